"""The puzzles of games that everybody knows, and what python-chess reads of them."""

import shutil
from collections.abc import Iterator
from typing import Any

import chess
import chess.engine
import chess.pgn
import pytest

import lolli
from engine.search.limits import Limits
from lolli._analyst import Analyst
from lolli._findings import AnalystSettings
from lolli._puzzles import LINES, Goal, Puzzle, puzzles_of, reached
from lolli.cli.suite import parse_position
from lolli.cli.tactics import epd_of, exercise_of, pgn_of, story_of
from lolli.cli.tactics.find import analysed_by
from tests.lolli.cli.annotation.annotating import read
from tests.lolli.cli.tactics.tactical_games import LEGAL, QUIET, SCHOLAR
from tests.patience import PATIENCE

ALL: dict[str, Any] = {"nodes": 4000, "scan_nodes": 1000, "skip": 0}
STOCKFISH = "/usr/games/stockfish"


@pytest.fixture(scope="module")
def analyst() -> Iterator[Analyst]:
    with Analyst(AnalystSettings(megabytes=1, lines=LINES)) as analyst:
        yield analyst


def found(analyst: Analyst, text: str, **options: Any) -> list[Puzzle]:
    puzzles, positions = puzzles_of(
        read(text), analysed_by(analyst), **{**ALL, "source": "game 1", **options}
    )
    assert positions > 0
    return puzzles


def by_last_move(puzzles: list[Puzzle]) -> dict[str, str]:
    return {str(each.last): " ".join(move.uci() for move in each.line) for each in puzzles}


def test_legals_mate_is_one_puzzle(analyst: Analyst) -> None:
    """It is mate in two; the position before the mate is not a puzzle of its own."""
    puzzles = found(analyst, LEGAL)
    assert by_last_move(puzzles)["g4d1"] == "c4f7 e8e7 c3d5"
    mate = next(each for each in puzzles if each.last == chess.Move.from_uci("g4d1"))
    assert (mate.goal, mate.found, mate.source) == (Goal.WIN, True, "game 1, move 6")
    assert mate.task == "White to move and win."
    assert story_of(mate) == "Legal found 6. Bxf7+."
    assert "e8e7" not in by_last_move(puzzles)


def test_what_was_missed_and_whose_move_it_was(analyst: Analyst) -> None:
    mate, *_ = found(analyst, SCHOLAR)
    assert (mate.line, mate.found) == ((chess.Move.from_uci("h5f7"),), False)
    assert story_of(mate) == "A played 4. Nf3."
    assert found(analyst, SCHOLAR, missed=True) == [mate]
    assert mate not in found(analyst, SCHOLAR, colors=[chess.BLACK])
    assert mate in found(analyst, SCHOLAR, colors=[chess.WHITE])


def test_openings_and_quiet_games_have_none(analyst: Analyst) -> None:
    assert found(analyst, QUIET) == []
    assert puzzles_of(read(LEGAL), analysed_by(analyst), skip=7) == ([], 0)


def test_a_game_from_a_position_has_no_opening_to_skip(
    analyst: Analyst, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a quick look and the solution, that is confirmed with four times the nodes."""
    nodes: list[int | None] = []
    lines = analyst.lines

    def noted(board: chess.Board, limits: Limits) -> list[chess.engine.InfoDict]:
        nodes.append(limits.nodes)
        return lines(board, limits)

    monkeypatch.setattr(analyst, "lines", noted)
    text = '[FEN "6k1/5ppp/8/8/8/7q/5P1P/3R2K1 w - - 0 1"]\n\n1. Rd8# *'
    assert by_last_move(found(analyst, text, skip=1)) == {"None": "d1d8"}
    assert nodes == [1000, 4000, 16000]


def test_pgn_and_back(analyst: Analyst) -> None:
    for text in (LEGAL, SCHOLAR):
        for puzzle in found(analyst, text):
            game = read(pgn_of(puzzle))
            assert tuple(game.mainline_moves()) == puzzle.line
            assert game.board().fen() == puzzle.board.fen()
            assert pgn_of(exercise_of(game)) == pgn_of(puzzle)
            played = [each.move for each in game.variations]
            assert played == list(dict.fromkeys([puzzle.line[0], puzzle.played]))
    assert "PuzzleGoal" not in read(LEGAL).headers


def test_epd_is_a_test_suite(analyst: Analyst) -> None:
    puzzle = next(each for each in found(analyst, LEGAL) if len(each.line) == 3)
    board, operations = chess.Board.from_epd(epd_of(puzzle))
    assert board.epd() == puzzle.board.epd()
    assert operations["bm"] == [puzzle.line[0]]
    assert operations["pv"] == list(puzzle.line)
    assert operations["id"] == "game 1, move 6"
    assert parse_position(epd_of(puzzle), "puzzles.epd", 1).board.epd() == puzzle.board.epd()


def test_from_python_they_are_those_of_the_command(analyst: Analyst) -> None:
    """Of games that python-chess has read: the same positions, lines and scores, each position once."""
    expected = found(analyst, LEGAL) + found(analyst, SCHOLAR, source="game 3")
    games = [read(text) for text in (LEGAL, QUIET, SCHOLAR, LEGAL)]
    puzzles = list(lolli.puzzles(games, hash=1, **ALL))
    assert [(each.board.fen(), each.line, each.scores, each.source) for each in puzzles] == [
        (each.board.fen(), each.line, each.scores, each.source) for each in expected
    ]
    assert [each.headers["White"] for each in lolli.puzzles(games, player=" LEGAL ", hash=1, **ALL)] == [
        each.headers["White"] for each in expected if each.board.turn and each.headers["White"] == "Legal"
    ]


def assert_one_solution(engine: chess.engine.SimpleEngine, puzzle: Puzzle, nodes: int) -> None:
    """Each of the solver's moves reaches the goal in at least half of the games, and no other move does."""

    def reaches(moves: list[chess.Move]) -> int:
        info = engine.analyse(board, chess.engine.Limit(nodes=nodes), root_moves=moves, game=object())
        return reached(puzzle.goal, (info.get("wdl") or info["score"].wdl()).relative)

    board = puzzle.board.copy()
    for number, move in enumerate(puzzle.line):
        others = [each for each in board.legal_moves if each != move]
        if number % 2 == 0 and others:
            assert reaches([move]) >= 500 > reaches(others)
        board.push(move)


@pytest.mark.skipif(shutil.which(STOCKFISH) is None, reason="Stockfish is not installed")
def test_stockfish_agrees(analyst: Analyst) -> None:
    with chess.engine.SimpleEngine.popen_uci(STOCKFISH, timeout=PATIENCE) as engine:
        engine.configure({"UCI_ShowWDL": True})
        for text in (LEGAL, SCHOLAR):
            for puzzle in found(analyst, text):
                assert_one_solution(engine, puzzle, nodes=20_000)
