"""The engine as the commands have it; what it finds is compared in test_engine_like_uci.py."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import chess
import chess.engine
import pytest

from engine.board.fen import FenError
from engine.search.limits import Limits
from engine.search.report import Listener, Outcome
from eval.choice import EvaluatorError
from eval.weight_file import WeightsError
from lolli import _analyst as module
from lolli._analyst import Analyst
from lolli._findings import AnalystSettings
from tests.stopping import stopped

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"


@pytest.fixture(scope="module")
def analyst() -> Iterator[Analyst]:
    with Analyst(AnalystSettings(lines=3)) as analyst:
        yield analyst


@pytest.mark.parametrize(
    ("fen", "mate", "white"),
    [
        ("3R2k1/5ppp/8/8/8/8/8/K7 b - - 0 1", 0, chess.engine.MateGiven),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", None, chess.engine.Cp(0)),
    ],
)
def test_a_game_that_is_over(fen: str, mate: int | None, white: chess.engine.Score, analyst: Analyst) -> None:
    (finding,) = analyst.findings(chess.Board(fen), Limits(depth=5))
    assert finding.moves == ()
    assert finding.depth == 0
    assert finding.white == white
    assert finding.white.mate() == mate
    assert finding.chances is not None
    assert finding.chances.white() == (
        chess.engine.Wdl(0, 1000, 0) if mate is None else chess.engine.Wdl(1000, 0, 0)
    )


def test_there_is_a_finding_however_little_may_be_spent(analyst: Analyst) -> None:
    board = chess.Board(KIWIPETE)
    assert analyst.best(board, Limits(nodes=1)).moves[0] in board.legal_moves


def test_closing_the_iterator_stops_the_search(analyst: Analyst) -> None:
    search = analyst.search(chess.Board(), Limits(infinite=True))
    next(search)
    assert analyst.session.searching
    search.close()
    assert not analyst.session.searching


def test_another_thread_may_stop_the_search(analyst: Analyst) -> None:
    with stopped(analyst.stop):
        assert analyst.best(chess.Board(), Limits(infinite=True)).moves


def test_what_the_search_failed_with_is_raised(analyst: Analyst, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_limits: Limits, listener: Listener) -> None:
        listener.failed(ArithmeticError("broken"))
        listener.outcome(Outcome(0, 0))

    monkeypatch.setattr(analyst.session, "go", fail)
    with pytest.raises(chess.engine.EngineError, match="broken"):
        analyst.findings(chess.Board(), Limits(depth=1))


def test_a_board_that_the_engine_cannot_use_changes_nothing(analyst: Analyst) -> None:
    with pytest.raises(FenError, match="king"):
        analyst.findings(chess.Board("8/8/8/8/8/8/8/K7 w - - 0 1"), Limits(depth=1))
    assert analyst.best(chess.Board(), Limits(depth=1)).moves


def test_settings_reach_the_engine() -> None:
    settings = AnalystSettings("material", None, megabytes=2, threads=2, lines=2)
    with Analyst(settings) as analyst:
        assert analyst.evaluator == "material"
        assert analyst.session._engine.table.megabytes == 2
        assert (analyst.session.settings.threads, analyst.session.settings.lines) == (2, 2)


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        (AnalystSettings("nonsense"), EvaluatorError),
        (AnalystSettings(weights="no/such/file.json"), WeightsError),
    ],
)
def test_settings_that_cannot_be_used(settings: AnalystSettings, error: type[Exception]) -> None:
    with pytest.raises(error):
        Analyst(settings)


def test_what_can_no_longer_be_repeated_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """The result is the same as where the engine gets all moves of the game."""

    def whole(board: chess.Board) -> tuple[str, list[str]]:
        return board.root().fen(), [move.uci() for move in board.move_stack]

    choice = Random(5)
    board = chess.Board()
    while board.ply() < 240:
        moves = list(board.legal_moves)
        quiet = [move for move in moves if not board.is_zeroing(move)]
        board.push(choice.choice(quiet if quiet and board.halfmove_clock < 40 else moves))
        if not any(board.legal_moves):
            board.pop()
        if board.ply() < 160:
            continue
        with Analyst(AnalystSettings(megabytes=1)) as analyst:
            found = analyst.best(board, Limits(nodes=300))
            analyst.new_game()
            with monkeypatch.context() as patched:
                patched.setattr(module, "history", whole)
                expected = analyst.best(board, Limits(nodes=300))
        assert replace(found, milliseconds=0) == replace(expected, milliseconds=0)
