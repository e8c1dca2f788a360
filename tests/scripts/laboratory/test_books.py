"""Making books from searches, and the table of opening names."""

import json
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from math import exp
from pathlib import Path
from typing import cast

import chess
import chess.polyglot
import pytest
from chess.engine import Cp, PovScore
from click.testing import CliRunner, Result

from engine.lookup.book import encoded
from engine.lookup.openings import COMMENT
from engine.search.limits import Limits
from engine.search.report import Bound
from lolli._analyst import Analyst
from lolli._findings import Finding
from scripts.laboratory.books import (
    Grower,
    GrowingRules,
    book_bytes,
    make_book,
    name_openings,
)
from scripts.laboratory.learning.evaluators import engine
from scripts.laboratory.long_run import RunJournal

SEARCH = ["search", "--positions", "5", "--nodes", "300"]


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(make_book, [str(word) for word in words])


def content(path: Path) -> dict[str, dict[str, int]]:
    """What a book plays after moves from the start, as far as it plays itself."""
    found: dict[str, dict[str, int]] = {}
    with chess.polyglot.open_reader(path) as reader:
        waiting = [chess.Board()]
        while waiting:
            board = waiting.pop()
            line = " ".join(move.uci() for move in board.move_stack)
            moves = {entry.move: entry.weight for entry in reader.find_all(board)}
            if moves:
                found[line] = {move.uci(): weight for move, weight in moves.items()}
            for move in moves:
                waiting.append(board.copy())
                waiting[-1].push(move)
    return found


def test_searched_twice_it_is_the_same(tmp_path: Path) -> None:
    for name in ("a.bin", "b.bin"):
        result = run(*SEARCH, "--out", tmp_path / name)
        assert result.exit_code == 0, result.output
    assert (tmp_path / "a.bin").read_bytes() == (tmp_path / "b.bin").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.bin", "b.bin"]
    book = content(tmp_path / "a.bin")
    assert "" in book
    assert f"5 positions, {(tmp_path / 'a.bin').stat().st_size // 16} moves" in result.output


RULES = asdict(GrowingRules(positions=1, nodes=300))


def recorded(book: Path, *records: Mapping[str, object]) -> Path:
    """What a run by RULES that was stopped has left."""
    path = book.with_name(f"{book.name}.jsonl")
    path.write_text("".join(f"{json.dumps(line)}\n" for line in (RULES | {"engine": engine()}, *records)))
    return path


def test_a_run_that_was_stopped_goes_on(tmp_path: Path) -> None:
    """With the results of the searches made before: they are not made again."""
    path = tmp_path / "book.bin"
    scores = {"g1h3": 100, "a2a3": 100, "b1a3": 75, "h2h3": 51}
    record = recorded(path, {"fen": chess.STARTING_FEN, "scores": scores})
    result = run("search", "--positions", "1", "--nodes", "300", "--out", path)
    assert result.exit_code == 0, result.output
    # exp(-25/20) = 0.2865 of the best; h2h3 is known to exist at exp(-49/20) = 0.0863, but is not played.
    total = 2 + 0.2865 + 0.0863
    assert content(path)[""] == {
        "a2a3": int(1000 / total),
        "g1h3": int(1000 / total),
        "b1a3": int(286.5 / total),
    }
    assert not record.exists()


def test_positions_are_sorted_and_the_likeliest_move_comes_first() -> None:
    book = book_bytes({5: {2: 21.9, 1: 999.5, 3: 21.9}, 4: {9: 1.0}})
    assert [book[place : place + 16].hex() for place in range(0, len(book), 16)] == [
        f"{4:016x}{9:04x}{1:04x}{0:08x}",
        f"{5:016x}{1:04x}{999:04x}{0:08x}",
        f"{5:016x}{2:04x}{21:04x}{0:08x}",
        f"{5:016x}{3:04x}{21:04x}{0:08x}",
    ]


GROWING = GrowingRules(positions=5, nodes=100, margin=20, temperature=20, answered=40)


class MadeUp:
    """An analyst that says after some lines what the test wants; elsewhere three moves are equally good."""

    def __init__(self, said: Mapping[str, Mapping[str, int]]) -> None:
        self._said = {board_after(line).fen(): moves for line, moves in said.items()}
        self.events: list[str] = []

    def new_game(self) -> None:
        self.events.append("new game")

    def search(self, board: chess.Board, limits: Limits) -> Iterator[Finding]:
        assert limits == Limits(nodes=GROWING.nodes)
        self.events.append(board.fen())
        usual = {move.uci(): 0 for move in list(board.legal_moves)[:3]}
        moves = self._said.get(board.fen(), usual)
        for line, (move, score) in enumerate(moves.items(), 1):
            yield finding(board, 5, line, move, score)

    @property
    def searched(self) -> list[str]:
        return [event for event in self.events if event != "new game"]


def finding(board: chess.Board, depth: int, line: int, move: str, score: int) -> Finding:
    told = PovScore(Cp(score), board.turn)
    return Finding(line, depth, depth, told, None, Bound.EXACT, 1, 1, 0, (board.parse_uci(move),))


def board_after(line: str) -> chess.Board:
    board = chess.Board()
    for move in line.split():
        board.push_uci(move)
    return board


def grow(analyst: object, folder: Path, rules: GrowingRules = GROWING) -> Grower:
    with RunJournal(folder / "record", {}) as journal:
        grower = Grower(rules, journal)
        steps = list(grower.run(cast("Analyst", analyst)))
        assert len(steps) == grower.done
    return grower


def played(grower: Grower, line: str) -> dict[str, float]:
    board = board_after(line)
    weights = grower.weights[chess.polyglot.zobrist_hash(board)]
    return {
        move.uci(): weights[code] for move in board.legal_moves if (code := encoded(board, move)) in weights
    }


def test_the_likeliest_positions_come_first(tmp_path: Path) -> None:
    """By the product of the moves' shares: 0.73 for e2e4, half of that for its answers, 0.27 for d2d4."""
    analyst = MadeUp({"": {"e2e4": 30, "d2d4": 10}, "e2e4": {"e7e5": 0, "c7c5": 0}})
    grow(analyst, tmp_path)
    expected = ["", "e2e4", "e2e4 e7e5", "e2e4 c7c5", "d2d4"]
    assert analyst.searched == [board_after(line).fen() for line in expected]


def test_what_is_not_played_may_be_answered(tmp_path: Path) -> None:
    analyst = MadeUp({"": {"e2e4": 30, "d2d4": 10, "g2g4": -10, "h2h4": -11}})
    grower = grow(analyst, tmp_path, replace(GROWING, positions=40))
    total = 1 + exp(-1) + exp(-2)
    assert played(grower, "") == pytest.approx({"e2e4": 1000 / total, "d2d4": 1000 * exp(-1) / total})
    assert board_after("g2g4").fen() in analyst.searched
    assert board_after("h2h4").fen() not in analyst.searched


def test_a_position_with_several_ways_there_is_searched_once(tmp_path: Path) -> None:
    knights = {
        "": {"g1f3": 0, "b1c3": 0},
        "g1f3": {"g8f6": 0},
        "b1c3": {"g8f6": 0},
        "g1f3 g8f6": {"b1c3": 0},
        "b1c3 g8f6": {"g1f3": 0},
    }
    analyst = MadeUp(knights)
    grow(analyst, tmp_path, replace(GROWING, positions=12))
    assert analyst.searched.count(board_after("g1f3 g8f6 b1c3").fen()) == 1
    assert len(analyst.searched) == len(set(analyst.searched)) == 12


def test_scores_of_different_depths_are_not_compared(tmp_path: Path) -> None:
    """The second depth was cut short; the last lines are told once more, those not reached as they were."""

    class CutShort(MadeUp):
        def search(self, board: chess.Board, limits: Limits) -> Iterator[Finding]:
            del limits
            for line, (move, score) in enumerate({"e2e4": 0, "d2d4": -5, "c2c4": -6}.items(), 1):
                yield finding(board, 4, line, move, score)
            yield finding(board, 5, 1, "c2c4", 15)
            yield finding(board, 4, 2, "e2e4", 0)
            yield finding(board, 4, 3, "d2d4", -5)

    grower = grow(CutShort({}), tmp_path, replace(GROWING, positions=1))
    weights = played(grower, "")
    assert weights["e2e4"] > weights["d2d4"] > weights["c2c4"]


HEAD = "eco\tname\tpgn\n"


def made(folder: Path, lines: str) -> Result:
    for volume in "abcde":
        (folder / f"{volume}.tsv").write_text(HEAD + (lines if volume == "b" else ""), encoding="utf-8")
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    for words in (("init", "-q"), ("add", "."), (*identity, "commit", "-q", "-m", "openings")):
        subprocess.run(["git", *words], cwd=folder, check=True)
    return CliRunner().invoke(name_openings, [str(folder), "--out", str(folder / "out.tsv")])


def test_a_folder_that_is_not_a_clone(tmp_path: Path) -> None:
    done = CliRunner().invoke(name_openings, [str(tmp_path)])
    assert done.exit_code == 2
    assert "is not a clone of" in done.output


def test_a_line_for_each_position(tmp_path: Path) -> None:
    done = made(tmp_path, "B10\tCaro-Kann Defense\t1. e4 c6\nB00\tKing's Pawn Game\t1. e4\n")
    assert done.exit_code == 0, done.output
    head, *lines = (tmp_path / "out.tsv").read_text(encoding="utf-8").splitlines()
    assert head.startswith(COMMENT)
    board = chess.Board()
    board.push_san("e4")
    first = f"B00\tKing's Pawn Game\t{board.epd()}"
    board.push_san("c6")
    assert lines == [first, f"B10\tCaro-Kann Defense\t{board.epd()}"]


@pytest.mark.parametrize("row", ["B00\t1. e4", "B00\tA\t1. a9", "B00\tA\t1. e5", "B00\tA\t"])
def test_a_row_that_is_not_an_opening(tmp_path: Path, row: str) -> None:
    done = made(tmp_path, row + "\n")
    assert done.exit_code == 2
    assert done.output.splitlines()[-1].startswith(f"Error: b.tsv: not eco, name and moves: {row}: ")


def test_a_table_that_cannot_be_read_or_written(tmp_path: Path) -> None:
    made(tmp_path, "")
    out = tmp_path / "missing" / "out.tsv"
    done = CliRunner().invoke(name_openings, [str(tmp_path), "--out", str(out)])
    assert (done.exit_code, done.output) == (1, f"Error: {out}: No such file or directory\n")
    (tmp_path / "c.tsv").write_bytes(HEAD.encode() + b"\xff")
    done = CliRunner().invoke(name_openings, [str(tmp_path), "--out", str(tmp_path / "out.tsv")])
    assert done.exit_code == 2
    assert "is not a clone of" in done.output
