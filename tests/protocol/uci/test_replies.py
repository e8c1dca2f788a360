"""What the engine says, line by line."""

import chess
import pytest

from engine.board.fen import START_FEN, parse_fen
from engine.board.notation import parse_move
from engine.search.constants import MATE
from engine.search.report import Bound, Outcome, Progress, Report, Score
from eval.outcome import OutcomeModel
from protocol.evaluation import Scale, scale_of
from protocol.uci import replies as uci_replies

POSITION = parse_fen(START_FEN)
E4, KNIGHT = parse_move(POSITION, "e2e4"), parse_move(POSITION, "g1f3")
CASTLING = parse_move(parse_fen("4k3/8/8/8/8/8/8/4K2R w K -"), "e1g1")


def a_report(
    value: int = 31, bound: Bound = Bound.EXACT, milliseconds: int = 250, moves: tuple[int, ...] = (E4,)
) -> Report:
    return Report(
        depth=9,
        seldepth=15,
        line=2,
        score=Score(value),
        bound=bound,
        nodes=123456,
        milliseconds=milliseconds,
        hashfull=78,
        table_hits=0,
        moves=moves,
    )


def test_info() -> None:
    assert uci_replies.info(a_report(), chess960=False) == (
        "info depth 9 seldepth 15 multipv 2 score cp 31"
        " nodes 123456 nps 493824 hashfull 78 tbhits 0 time 250 pv e2e4"
    )


def test_bounds_and_no_moves() -> None:
    lower, upper = (uci_replies.info(a_report(-7, bound, moves=()), False) for bound in [*Bound][1:])
    assert "score cp -7 lowerbound nodes" in lower
    assert "score cp -7 upperbound nodes" in upper
    assert " pv" not in lower


def test_no_time_no_division_by_zero() -> None:
    assert "nps 123456000 " in uci_replies.info(a_report(milliseconds=0), chess960=False)


def test_castling_as_the_client_wants_it() -> None:
    assert uci_replies.info(a_report(moves=(CASTLING,)), chess960=False).endswith(" pv e1g1")
    assert uci_replies.info(a_report(moves=(CASTLING,)), chess960=True).endswith(" pv e1h1")
    assert uci_replies.best_move(Outcome(CASTLING, 0), chess960=True) == "bestmove e1h1"
    line = uci_replies.progress(Progress(depth=12, move=CASTLING, number=3), chess960=True)
    assert line == "info depth 12 currmove e1h1 currmovenumber 3"


def test_best_move() -> None:
    assert uci_replies.best_move(Outcome(E4, 0), chess960=False) == "bestmove e2e4"
    assert uci_replies.best_move(Outcome(E4, KNIGHT), chess960=False) == "bestmove e2e4 ponder g1f3"
    assert uci_replies.best_move(Outcome(0, 0), chess960=False) == "bestmove (none)"


FLAT = OutcomeModel((200.0, 0.0, 0.0, 0.0), (100.0, 0.0, 0.0, 0.0))


@pytest.mark.parametrize(
    ("scale", "words"),
    [
        (Scale(), "score cp 200 nodes"),
        (Scale(shows_chances=True), "score cp 200 nodes"),  # not known
        (Scale(FLAT, 58), "score cp 200 nodes"),
        (Scale(FLAT, 58, shows_chances=True), "score cp 200 wdl 500 482 18 nodes"),
        (Scale(FLAT, 58, normalises=True), "score cp 100 nodes"),
        (Scale(FLAT, 58, normalises=True, shows_chances=True), "score cp 100 wdl 500 482 18 nodes"),
    ],
)
def test_scales(scale: Scale, words: str) -> None:
    """The chance to lose is 1 / (1 + e⁴), 18 in a thousand."""
    assert words in uci_replies.info(a_report(200), chess960=False, scale=scale)


@pytest.mark.parametrize(
    "men", ["K1k", "KB1k", "KN1k", "K1kb", "K1kn", "KB1kb", "K1Bkb", "K2nkn", "KBB1k", "RK1k", "KB1kn"]
)
def test_nobody_wins_a_dead_position(men: str) -> None:
    board = chess.Board(f"8/8/8/8/8/8/8/{men}{8 - sum(int(c) if c.isdigit() else 1 for c in men)} w - - 0 1")
    line = uci_replies.info(a_report(3), False, scale_of(parse_fen(board.fen()), FLAT, False, True))
    assert ("wdl 0 1000 0 " in line) == board.is_insufficient_material()


def test_a_bound_belongs_to_the_score_and_comes_before_the_chances() -> None:
    line = uci_replies.info(a_report(0, Bound.LOWER), False, Scale(FLAT, 58, shows_chances=True))
    assert "score cp 0 lowerbound wdl 119 762 119 nodes" in line


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (MATE - 5, "score mate 3 wdl 1000 0 0 nodes"),
        (6 - MATE, "score mate -3 wdl 0 0 1000 nodes"),
        (-MATE, "score mate 0 wdl 0 0 1000 nodes"),
    ],
)
def test_a_mate_is_certain(value: int, words: str) -> None:
    scale = Scale(FLAT, 58, normalises=True, shows_chances=True)
    assert words in uci_replies.info(a_report(value), chess960=False, scale=scale)


def test_the_scale_of_a_position() -> None:
    """78 pawns at the start; without a model values are shown as they are."""
    assert scale_of(POSITION, FLAT, normalises=True) == Scale(FLAT, 78, normalises=True)
    assert scale_of(POSITION, None, normalises=True, shows_chances=True) == Scale()


def test_game_that_is_over_without_mate_is_drawn() -> None:
    """A stalemate, of which the model knows nothing."""
    scale = Scale(OutcomeModel((100, 0, 0, 0), (50, 0, 0, 0)), 17, shows_chances=True)
    over = Report(0, 0, 1, Score(0), Bound.EXACT, 0, 0, 0, 0, ())
    assert " score cp 0 wdl 0 1000 0 " in uci_replies.info(over, chess960=False, scale=scale)
    assert " wdl 0 1000 0 " not in uci_replies.info(a_report(0), chess960=False, scale=scale)
    mated = Report(0, 0, 1, Score(-MATE), Bound.EXACT, 0, 0, 0, 0, ())
    assert " wdl 0 0 1000 " in uci_replies.info(mated, chess960=False, scale=scale)
