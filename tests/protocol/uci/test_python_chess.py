"""python-chess drives the real process."""

import logging
from collections.abc import Iterator

import chess
import chess.engine
import pytest

from engine.board.position import COMPILED
from eval.choice import Choices
from tests.patience import PATIENCE

DEPTH = 5 if COMPILED else 2


@pytest.fixture
def engine(lolli_command: list[str], caplog: pytest.LogCaptureFixture) -> Iterator[chess.engine.SimpleEngine]:
    """The engine; python-chess must find nothing odd in what it says, or says unasked."""
    with caplog.at_level(logging.WARNING, "chess.engine"):
        with chess.engine.SimpleEngine.popen_uci(lolli_command, timeout=PATIENCE) as engine:
            yield engine
        assert [record.getMessage() for record in caplog.get_records("call")] == []


def test_identity_and_options(engine: chess.engine.SimpleEngine) -> None:
    assert engine.id["name"].startswith("Lolli")
    assert engine.id["author"]
    assert engine.options["Hash"].default == 16
    assert engine.options["MULTIPV"].max == 256
    assert engine.options["Debug Log File"].type == "string"
    assert engine.options["Eval"].var == [*Choices().names]
    assert engine.options["Eval"].default == Choices().names[0]
    assert engine.options["EvalFile"].default == "<standard>"
    assert engine.options["UCI_ShowWDL"].default is False


@pytest.mark.parametrize("chess960", [False, True])
def test_a_game(engine: chess.engine.SimpleEngine, chess960: bool) -> None:
    """Every move is legal, in Chess960 with its own way to write castling."""
    board = chess.Board.from_chess960_pos(17) if chess960 else chess.Board()
    limit = chess.engine.Limit(white_clock=0.5, black_clock=0.5, white_inc=0.02, black_inc=0.02)
    for _ in range(40):
        if board.is_game_over(claim_draw=True):
            break
        result = engine.play(board, limit, game=chess960)
        assert result.move is not None
        board.push(result.move)
    assert board.ply() >= 20


def test_analysis(engine: chess.engine.SimpleEngine) -> None:
    board = chess.Board("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 4 4")
    info = engine.analyse(board, chess.engine.Limit(depth=max(DEPTH, 3)))
    assert info["score"].white() == chess.engine.Mate(1)
    assert info["pv"] == [chess.Move.from_uci("f3f7")]


@pytest.mark.parametrize("evaluator", Choices().names)
def test_chances(engine: chess.engine.SimpleEngine, evaluator: str) -> None:
    engine.configure({"Eval": evaluator, "UCI_ShowWDL": True})
    even = engine.analyse(chess.Board(), chess.engine.Limit(depth=DEPTH))["wdl"].white()
    assert even.total() == 1000
    assert abs(even.wins - even.losses) < 500
    ahead = chess.Board("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")
    info = engine.analyse(ahead, chess.engine.Limit(depth=DEPTH))
    assert info["wdl"].white().wins > 700
    assert info["score"].white().score(mate_score=10_000) > 100
    mate = chess.Board("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
    assert engine.analyse(mate, chess.engine.Limit(depth=DEPTH))["wdl"].white() == chess.engine.Wdl(
        1000, 0, 0
    )


def test_ponder(engine: chess.engine.SimpleEngine) -> None:
    """The engine ponders on the move it expects; hit and miss both go on."""
    board = chess.Board()
    limit = chess.engine.Limit(white_clock=1, black_clock=1)
    for _ in range(6):
        result = engine.play(board, limit, ponder=True)
        assert result.move is not None
        board.push(result.move)
        if board.is_game_over():
            break
        board.push(result.ponder or next(iter(board.legal_moves)))


def test_options_are_taken(engine: chess.engine.SimpleEngine) -> None:
    engine.configure({"Hash": 4, "Threads": 2, "Move Overhead": 50, "SingularExtensions": True})
    engine.configure({"Eval": "material", "nodestime": 0, "UCI_AnalyseMode": True, "Clear Hash": None})
    assert engine.play(chess.Board(), chess.engine.Limit(depth=DEPTH)).move is not None
    with pytest.raises(chess.engine.EngineError):
        engine.configure({"Hash": 0})
