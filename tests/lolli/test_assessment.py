"""What moves are worth: figures worked out by hand, and a slow second way to the accuracy of a game."""

import io
import math
import statistics

import chess
import chess.pgn
import pytest
from chess.engine import Cp, Mate, MateGiven, Score
from hypothesis import given
from hypothesis import strategies as st

from lolli._assessment import (
    Mark,
    PlayerSummary,
    after_first,
    assess,
    game_summary,
    over_games,
    summary,
    winning_chances,
)
from lolli._positions import is_recapture

SCORES = st.one_of(
    st.integers(-3000, 3000).map(Cp), st.integers(-20, -1).map(Mate), st.integers(1, 20).map(Mate)
)


@pytest.mark.parametrize(
    ("score", "chances"),
    [
        (Cp(0), 0.0),
        (Cp(100), 0.18209),
        (Cp(-100), -0.18209),
        (Cp(300), 0.50228),
        (Cp(1000), 0.95096),
        (Cp(5000), 0.95096),
        (Mate(3), 1.0),
        (Mate(-3), -1.0),
        (Mate(0), -1.0),
        (MateGiven, 1.0),
    ],
)
def test_winning_chances(score: Score, chances: float) -> None:
    assert winning_chances(score) == pytest.approx(chances, abs=1e-4)


@pytest.mark.parametrize(
    ("first", "before", "after", "mark", "centipawns"),
    [
        (chess.WHITE, Cp(0), Cp(-50), None, 50),
        (chess.WHITE, Cp(0), Cp(-60), Mark.INACCURACY, 60),
        (chess.WHITE, Cp(0), Cp(-120), Mark.MISTAKE, 120),
        (chess.WHITE, Cp(0), Cp(-180), Mark.BLUNDER, 180),
        (chess.BLACK, Cp(0), Cp(180), Mark.BLUNDER, 180),
        (chess.BLACK, Cp(0), Cp(-180), None, 0),
        (chess.WHITE, Cp(3000), Cp(1100), None, 0),
        (chess.WHITE, Cp(3000), Cp(900), None, 100),
        (chess.WHITE, Mate(2), Cp(200), Mark.BLUNDER, 800),
        (chess.WHITE, Mate(2), Cp(1500), None, 0),
        (chess.WHITE, Mate(2), Mate(9), None, 0),
        (chess.WHITE, Cp(0), Mate(-1), Mark.BLUNDER, 1000),
        (chess.BLACK, Mate(-1), MateGiven, Mark.BLUNDER, 2000),
        (chess.WHITE, Mate(1), MateGiven, None, 0),
    ],
)
def test_marks_and_centipawns(
    first: chess.Color, before: Score, after: Score, mark: Mark | None, centipawns: int
) -> None:
    (each,) = assess(first, [before, after])
    assert each is not None
    assert (each.mark, each.centipawn_loss) == (mark, centipawns)


def test_accuracy_of_a_move() -> None:
    """A tenth of the winning per cent lost: 103.1668 e^-0.43544 - 3.1669 + 1."""
    even = Cp(0)
    lost = Cp(round(-math.log(60 / 40) / 0.00368208))  # 40 %
    (move,) = assess(chess.WHITE, [even, lost])
    assert move is not None
    assert move.accuracy == pytest.approx(64.58, abs=0.1)
    (move,) = assess(chess.WHITE, [lost, even])
    assert move is not None
    assert move.accuracy == 100
    (move,) = assess(chess.WHITE, [Mate(1), Mate(-1)])
    assert move is not None
    assert move.accuracy == 0


def test_moves_beside_an_unknown_score_are_not_judged() -> None:
    scores = [None, Cp(0), Cp(0), None, Cp(0), Cp(0)]
    judged = [each is not None for each in assess(chess.WHITE, scores)]
    assert judged == [False, True, False, False, True]
    assert summary(chess.WHITE, [None, None, None], chess.WHITE) is None
    assert summary(chess.WHITE, [Cp(0)], chess.WHITE) is None
    white = summary(chess.WHITE, scores, chess.WHITE)
    black = summary(chess.WHITE, scores, chess.BLACK)
    assert white is not None
    assert black is not None
    assert (white.moves, black.moves) == (1, 1)


@given(st.lists(SCORES, min_size=2, max_size=120), st.booleans(), st.booleans())
def test_accuracy_of_a_game_by_the_book(scores: list[Score], first: bool, color: bool) -> None:
    """The same, written out move by move."""
    moves = len(scores) - 1
    percent = [50 + 50 * winning_chances(score) for score in scores]
    length = min(8, max(2, moves // 10))
    total = weight_sum = inverse = count = 0.0
    for number, each in enumerate(assess(first, scores)):
        if (number % 2 == 0) != (first == color):
            continue
        begin = max(0, number - (length - 2))
        spread = statistics.pstdev(percent[begin : begin + length])
        weight = 0.5 if spread < 0.5 else 12.0 if spread > 12 else spread
        assert each is not None
        total += weight * each.accuracy
        weight_sum += weight
        inverse += 1 / max(1.0, each.accuracy)
        count += 1
    found = summary(first, scores, color)
    if count == 0:
        assert found is None
    else:
        assert found is not None
        assert found.accuracy == pytest.approx((total / weight_sum + count / inverse) / 2)
        assert 0 <= found.accuracy <= 100


@pytest.mark.parametrize("told", ["nan", "inf", "-inf", "1e999"])
def test_an_invalid_accuracy_header_is_ignored(told: str) -> None:
    """That of the scores counts, as where there is none in the headers."""
    text = "1. e4 {[%eval 0.2]} f6 {[%eval 1.5]} 2. Nc3 {[%eval 0.3]} *"
    bare = chess.pgn.read_game(io.StringIO(text))
    game = chess.pgn.read_game(io.StringIO(text))
    assert bare is not None
    assert game is not None
    game.headers.update(Analysis="Lolli 0.1.0, network", WhiteACPL="12", WhiteAccuracy=told)
    found = game_summary(game, chess.WHITE)
    assert found is not None
    assert found == game_summary(bare, chess.WHITE)
    game.headers["WhiteAccuracy"] = "51.5"
    found = game_summary(game, chess.WHITE)
    assert found is not None
    assert (found.accuracy, found.average_centipawn_loss) == (51.5, 12)


@pytest.mark.parametrize(
    ("nags", "mark"),
    [
        ([6, 2], Mark.MISTAKE),
        ([2, 6, 4], Mark.BLUNDER),
        ([1, 6, 14], Mark.INACCURACY),
        ([1, 3, 14], None),
        ([], None),
    ],
)
def test_the_worst_of_several_marks_counts(nags: list[int], mark: Mark | None) -> None:
    assert Mark.among(nags) is mark
    assert Mark.among({*nags}) is mark


def test_taking_back() -> None:
    board = chess.Board()
    for san in ("e4", "d5", "exd5"):
        board.push_san(san)
    assert is_recapture(board, board.parse_san("Qxd5"))
    assert not is_recapture(board, board.parse_san("Nf6"))
    assert not is_recapture(chess.Board(board.fen()), board.parse_san("Qxd5"))


def test_of_several_games_each_counts_by_its_moves() -> None:
    assert over_games([None]) is None
    games = [PlayerSummary(30, 20, 90.0), None, PlayerSummary(10, 60, 50.0)]
    assert over_games(games) == PlayerSummary(40, 30, 80.0)


@pytest.mark.parametrize("mover", chess.COLORS)
@pytest.mark.parametrize(
    ("before", "after"), [(Mate(3), Mate(2)), (Mate(1), MateGiven), (Mate(-2), Mate(-2)), (Cp(35), Cp(35))]
)
def test_a_mate_is_a_move_nearer_after_the_first(before: Score, after: Score, mover: chess.Color) -> None:
    white = [score if mover == chess.WHITE else -score for score in (before, after)]
    assert after_first(white[0], mover) == white[1]
    assert after_first(white[1], mover, -1) == white[0]
