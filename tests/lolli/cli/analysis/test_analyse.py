"""`lolli analyse` where nobody looks: its words, its lines and its JSON."""

import json
import os
import re
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import chess
import chess.engine
import pytest
from click.testing import CliRunner, Result

from engine.search.limits import Limits
from lolli._analyst import Analyst
from lolli._findings import AnalystSettings
from lolli.cli.analyse import command
from tests.patience import PATIENCE

START = chess.STARTING_FEN
BLACK = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3"
CHESS960 = "nrbkqrbn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQRBN w FBfb - 0 1"
MATE = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"
HEAD = " depth   score   W/D/L %  nodes  nodes/s   time  line"
NODES = ("--nodes", "300")


def run(
    command: Sequence[str], *words: str, said: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*command, "analyse", *words],
        input=said,
        capture_output=True,
        check=False,
        text=True,
        timeout=PATIENCE,
        env={**os.environ, **environment},
    )


def here(*words: str, said: str | None = None) -> Result:
    return CliRunner().invoke(command, words, input=said)


def objects(done: Result) -> list[dict[str, Any]]:
    assert done.exit_code == 0, done.output
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_board_then_each_depth_then_the_best_line(lolli_command: list[str]) -> None:
    done = run(lolli_command, BLACK, *NODES)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    lines = done.stdout.replace("\ufe0e", "").splitlines()
    board = chess.Board(BLACK)
    drawn = board.unicode(empty_square="·").split("\n")
    assert [line[4:19] for line in lines[:8]] == drawn
    assert lines[4].endswith("   Black to move")
    assert lines[8:13] == [
        "    a b c d e f g h",
        "C50 Italian Game",
        BLACK,
        "Score and chances (win/draw/loss) are White's.",
        HEAD,
    ]
    *depths, last = lines[13:]
    row = r" *(\d+)/\d+ +(≥|≤)?[+-]\d+\.\d\d +\d+/\d+/\d+ +\S+ +\S+ +\S+ s  (3\.\.\. .*)"
    matches = [re.fullmatch(row, line) for line in depths]
    assert all(matches)
    assert [int(match[1]) for match in matches if match] == sorted(
        int(match[1]) for match in matches if match
    )
    best = re.fullmatch(r"Best move: (\S+)  [+-]\d+\.\d\d  (3\.\.\. .*)", last)
    assert best is not None
    assert matches[-1] is not None
    assert best[2] == matches[-1][3]
    played = board.copy()
    for word in best[2].split():
        if not word[0].isdigit():
            played.push_san(word)
    assert played.move_stack[0] == board.parse_san(best[1])


@pytest.mark.parametrize(("fen", "lines"), [(BLACK, 1), (MATE, 1), (CHESS960, 3)])
def test_json_is_what_the_analyst_finds(fen: str, lines: int) -> None:
    *found, last = objects(here(fen, *NODES, "--lines", str(lines), "--json"))
    board = chess.Board(fen, chess960=fen == CHESS960)
    expected: list[dict[str, Any]] = []
    with Analyst(AnalystSettings(lines=lines)) as analyst:
        for finding in analyst.search(board, Limits(nodes=300)):
            white = finding.score.white()
            wdl = finding.chances.white() if finding.chances else None
            mate = white.mate()
            played = board.copy()
            expected.append(
                {
                    "fen": board.fen(),
                    "chess960": board.chess960,
                    "name": "",
                    "opening": {"eco": "C50", "name": "Italian Game"} if fen == BLACK else None,
                    "line": finding.line,
                    "depth": finding.depth,
                    "seldepth": finding.seldepth,
                    "score": {"cp": white.score()} if mate is None else {"mate": mate},
                    "bound": finding.bound.value,
                    "wdl": wdl and {"win": wdl.wins, "draw": wdl.draws, "loss": wdl.losses},
                    "nodes": finding.nodes,
                    "pv": [move.uci() for move in finding.moves],
                    "san": [played.san_and_push(move) for move in finding.moves],
                }
            )
    for each in (*found, last):
        assert each.pop("nps") > 0
        assert each.pop("time") >= 0
    assert found == expected
    best = next(each for each in reversed(expected) if each["line"] == 1)
    assert last == {**best, "best": best["pv"][0]}


@pytest.mark.parametrize(
    ("words", "board"),
    [
        ((), chess.Board()),
        ((BLACK,), chess.Board(BLACK)),
        (("--moves", "e4 e5"), chess.Board("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2")),
        ((BLACK, "--moves", "3... Nf6 4. e1g1"), None),
        (("game.pgn", "--game", "2", "--ply", "1"), chess.Board("4k3/8/8/8/8/8/8/5RK1 b - - 1 1")),
    ],
)
def test_the_position(
    words: Sequence[str], board: chess.Board | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("game.pgn").write_text(
        '[White "A"]\n\n1. e4 *\n\n[White "B"]\n[FEN "4k3/8/8/8/8/8/8/4K2R w K - 0 1"]\n\n1. O-O Kd7 *\n'
    )
    if board is None:
        board = chess.Board(BLACK)
        for san in ("Nf6", "O-O"):
            board.push_san(san)
    assert objects(here(*words, "--nodes", "20", "--json"))[-1]["fen"] == board.fen()


@pytest.mark.parametrize(
    ("words", "told", "result", "reason"),
    [
        (("f3", "e5", "g4", "Qh4#"), "Checkmate: Black has won.", "0-1", "checkmate"),
        (("8/8/8/8/8/5k2/5p2/5K2 w - - 0 1",), "Stalemate: a draw.", "1/2-1/2", "stalemate"),
        (
            ("8/8/8/8/8/5k2/8/5K2 w - - 0 1",),
            "Insufficient material: a draw.",
            "1/2-1/2",
            "insufficient_material",
        ),
    ],
)
def test_a_game_that_is_over(words: Sequence[str], told: str, result: str, reason: str) -> None:
    done = here(*words)
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (0, told)
    (last,) = objects(here(*words, "--json"))
    assert (last["best"], last["result"], last["reason"]) == (None, result, reason)


def test_several_positions(tmp_path: Path) -> None:
    path = tmp_path / "some.epd"
    path.write_text(f'{BLACK} id "first";\n8/8/8/8/8/5k2/8/5K2 w - -\n{MATE} id "third";\n')
    found = objects(here(str(path), "--nodes", "100", "--json"))
    ends = [each for each in found if "best" in each]
    assert [(each["name"], each["fen"]) for each in ends] == [
        ("first", BLACK),
        ("", "8/8/8/8/8/5k2/8/5K2 w - - 0 1"),
        ("third", MATE),
    ]
    text = here(str(path), str(path), "--nodes", "100").stdout
    titles = [line for line in text.splitlines() if re.match(r"\d/6", line)]
    assert titles == ["1/6  first", "2/6", "3/6  third", "4/6  first", "5/6", "6/6  third"]
    # The next search knows nothing of the one before.
    assert [each["nodes"] for each in objects(here(MATE, "--nodes", "100", "--json"))] == [
        each["nodes"] for each in found if each["name"] == "third"
    ]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("rubbish",), "not a FEN, a file or a move: 'rubbish'"),
        (("no.pgn",), "no.pgn: no such file"),
        (("--moves", "e4 e6 e6"), "--moves: 2. e6 is not a legal move: no pawn moves to e6"),
        (("e4", "--ply", "2"), "no ply 2: the game has 1"),
        ((".",), ".: is a directory"),
        (
            ("--weights", "no.json", "--eval", "material"),
            "--weights no.json is for --eval linear, not for --eval material",
        ),
    ],
)
@pytest.mark.parametrize("more", [(), ("--json",)])
def test_what_cannot_be_used_gets_one_line(words: Sequence[str], reason: str, more: Sequence[str]) -> None:
    done = here(*words, *more)
    assert (done.exit_code, done.stdout, done.stderr) == (2, "", f"Error: {reason}\n")


def test_where_chess_pieces_cannot_be_written(lolli_command: list[str], tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    path.write_text('[White "Żywny"]\n\n1. e4 *\n')
    done = run(lolli_command, str(path), "--nodes", "100", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("?ywny - ?\n 8  r n b q k b n r\n")
    assert " 4  . . . .[P]. . ." in done.stdout
    done = run(lolli_command, str(path), "--nodes", "100", "--json", PYTHONIOENCODING="ascii")
    assert json.loads(done.stdout.splitlines()[-1])["name"] == "Żywny - ?"


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 0), (signal.SIGTERM, 143)], ids=["SIGINT", "SIGTERM"]
)
@pytest.mark.parametrize("more", [(), ("--json",)])
def test_lines_come_at_once_and_a_signal_ends_with_the_best_so_far(
    lolli_command: list[str], number: signal.Signals, status: int, more: Sequence[str]
) -> None:
    words = [*lolli_command, "analyse", "--time", "1000", *more]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if "  1. " in line or '"depth": 2' in line:
                break
        process.send_signal(number)
        rest, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, errors) == (status, "")
    last = rest.splitlines()[-1]
    assert json.loads(last)["best"] if more else last.startswith("Best move: ")


def test_ctrl_c_leaves_the_other_positions(lolli_command: list[str]) -> None:
    words = [*lolli_command, "analyse", "--time", "1000", "-"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{START}\n{BLACK}\n")
        process.stdin.close()
        for line in process.stdout:
            if "  1. " in line:
                break
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
        assert process.wait(PATIENCE) == 130
    assert "Best move: " in rest
    assert not any(line.startswith("2/2") for line in rest.splitlines())


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_a_reader_that_goes_away(lolli_command: list[str], more: Sequence[str]) -> None:
    words = [*lolli_command, "analyse", "--time", "1000", *more]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(PATIENCE) == 1
        assert process.stderr is not None
        assert process.stderr.read() == ""


@pytest.mark.alone
def test_five_seconds_where_nobody_could_end_it() -> None:
    last = objects(here("--json"))[-1]
    assert 4.9 < last["time"] <= 6


def test_why() -> None:
    """Of the best move and of the one played last, which a FEN does not have."""
    moves = ("1.", "e4", "e5", "2.", "Bc4", "Nc6", "3.", "Qh5", "Nf6", *NODES)
    *_, last, best = here(*moves, "--why").stdout.splitlines()
    assert last.startswith("3... Nf6??: Allows mate: 4. Qxf7#.")
    assert best == "4. Qxf7#: Checkmate."
    *_, told = objects(here(*moves, "--why", "--json"))
    expected = {"move": "Qxf7#", "mark": "", "text": "Checkmate.", "motifs": ["mate", "mateIn1"]}
    assert told["why"] == expected
    assert [told["last"][key] for key in ("move", "mark", "motifs")] == ["Nf6", "??", ["mate", "mateIn1"]]
    *_, told = objects(here(MATE, *NODES, "--why", "--json"))
    assert told["last"] is None
    *_, told = objects(here(MATE, *NODES, "--json"))
    assert "why" not in told


def test_why_the_last_move_was_wrong_though_it_ended_the_game() -> None:
    stalemate = ("7k/5Q2/8/6K1/8/8/8/8 w - - 0 1", "--moves", "Kg6", *NODES)
    *_, result, last = here(*stalemate, "--why").stdout.splitlines()
    assert result == "Stalemate: a draw."
    assert last.startswith("1. Kg6??: Stalemate gives away a winning position")
    (told,) = objects(here(*stalemate, "--why", "--json"))
    assert (told["best"], told["why"], told["result"]) == (None, None, "1/2-1/2")
    assert (told["last"]["move"], told["last"]["mark"]) == ("Kg6", "??")
    (told,) = objects(here(*stalemate, "--json"))
    assert not {"why", "last"} & told.keys()
