"""The analyst against the same engine over UCI, heard by python-chess."""

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
from lolli.cli.analysis import AnalystSettings
from lolli.cli.analysis import analyst as module
from lolli.cli.analysis.analyst import Analyst
from tests.stopping import stopped

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
MATE_IN_TWO = "7k/6pp/8/8/8/8/1R6/K2R4 w - - 0 1"
CASTLES = "1r2k1r1/p2p1p1p/8/8/8/8/P2P1P1P/1R2K1R1 w GBgb - 0 1"


@pytest.fixture(scope="module")
def analyst() -> Iterator[Analyst]:
    with Analyst(AnalystSettings(lines=3)) as analyst:
        yield analyst


@pytest.fixture(scope="module")
def over_uci(lolli_command: list[str]) -> Iterator[chess.engine.SimpleEngine]:
    with chess.engine.SimpleEngine.popen_uci(lolli_command) as engine:
        engine.configure({"UCI_ShowWDL": True})
        yield engine


def board_after(*moves: str, fen: str = chess.STARTING_FEN) -> chess.Board:
    board = chess.Board(fen)
    for move in moves:
        board.push_san(move)
    return board


@pytest.mark.parametrize(
    "board",
    [
        board_after(),
        board_after("e4", "e5", "Nf3"),
        board_after("Kf1", fen=KIWIPETE),
        board_after(fen=MATE_IN_TWO),
        chess.Board(CASTLES, chess960=True),
    ],
    ids=chess.Board.fen,
)
def test_finds_what_the_engine_says_over_uci(
    board: chess.Board, analyst: Analyst, over_uci: chess.engine.SimpleEngine
) -> None:
    analyst.new_game()
    found = analyst.findings(board, Limits(depth=3))
    heard = over_uci.analyse(board, chess.engine.Limit(depth=3), multipv=3, game=object())
    assert len(found) == len(heard) == 3
    for rank, (finding, info) in enumerate(zip(found, heard, strict=True), 1):
        assert finding.line == rank
        assert finding.score == info["score"]
        assert finding.white == info["score"].white()
        assert finding.chances == info["wdl"]
        assert list(finding.moves) == info["pv"]
        assert (finding.depth, finding.seldepth, finding.nodes) == (
            info["depth"],
            info["seldepth"],
            info["nodes"],
        )


def test_a_repetition_is_seen_through_the_moves_of_the_board(analyst: Analyst) -> None:
    shuffled = board_after(
        *["Kh2", "Kb8", "Kh1", "Ka8"] * 2, "Kh2", "Kb8", fen="k7/8/8/2q5/8/8/8/7K w - - 0 1"
    )
    forgetful = chess.Board(shuffled.fen())
    analyst.new_game()
    assert analyst.best(shuffled, Limits(depth=2)).white == chess.engine.Cp(0)
    analyst.new_game()
    assert analyst.best(forgetful, Limits(depth=2)).white < chess.engine.Cp(-300)


def test_a_side_may_have_passed(analyst: Analyst) -> None:
    board = board_after("e4")
    board.push(chess.Move.null())
    board.push_san("d4")
    analyst.new_game()
    passed = analyst.best(board, Limits(nodes=200))
    analyst.new_game()
    board.clear_stack()
    assert passed.moves == analyst.best(board, Limits(nodes=200)).moves
    assert passed.moves[0] in board.legal_moves


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
    with pytest.raises(ArithmeticError, match="broken"):
        analyst.findings(chess.Board(), Limits(depth=1))


def test_a_board_that_the_engine_cannot_use_changes_nothing(analyst: Analyst) -> None:
    with pytest.raises(FenError, match="king"):
        analyst.findings(chess.Board("8/8/8/8/8/8/8/K7 w - - 0 1"), Limits(depth=1))
    assert analyst.best(chess.Board(), Limits(depth=1)).moves


def test_settings_reach_the_engine() -> None:
    settings = AnalystSettings("material", None, megabytes=2, threads=2, lines=2)
    with Analyst(settings) as analyst:
        assert analyst.evaluator == "material"
        assert analyst.session.hash_megabytes == 2
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
