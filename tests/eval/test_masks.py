"""The sets of squares against their meaning; compiled they are C's, and tested through the evaluation."""

from collections.abc import Callable

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board.position import COMPILED
from eval import masks

pytestmark = pytest.mark.skipif(COMPILED, reason="no concern of Python's")

SQUARES = range(64)
BOTH = (chess.WHITE, chess.BLACK)


def squares(holds: Callable[[int, int], bool]) -> int:
    """The set of those squares of which something holds, given file and rank."""
    return sum(1 << square for square in SQUARES if holds(square % 8, square // 8))


def further(colour: bool, rank: int, other: int) -> bool:
    """Whether the second rank is ahead of the first, as that side sees it."""
    return other > rank if colour else other < rank


def test_files_and_ranks() -> None:
    for line in range(8):
        assert masks.FILE[line] == chess.BB_FILES[line]
        assert masks.RANK[line] == chess.BB_RANKS[line]
        assert masks.NEIGHBOURS[line] == squares(lambda file, _, line=line: abs(file - line) == 1)  # type: ignore[misc]


@pytest.mark.parametrize("colour", BOTH)
@pytest.mark.parametrize("square", SQUARES)
def test_what_lies_ahead_of_a_square(square: int, colour: bool) -> None:
    at, line = square % 8, square // 8
    index = (0 if colour else 64) + square
    assert masks.AHEAD[index] == squares(lambda _, rank: further(colour, line, rank))
    assert masks.FRONT[index] == squares(lambda file, rank: file == at and further(colour, line, rank))
    assert masks.PASSED_MASK[index] == squares(
        lambda file, rank: abs(file - at) <= 1 and further(colour, line, rank)
    )


@pytest.mark.parametrize("colour", BOTH)
@pytest.mark.parametrize("square", SQUARES)
def test_ring_is_what_lies_around_the_king_and_before_it_at_home(square: int, colour: bool) -> None:
    at, line = square % 8, square // 8
    home = 0 if colour else 7
    reach = 2 if line == home else 1
    assert masks.KING_RING[(0 if colour else 64) + square] == squares(
        lambda file, rank: abs(file - at) <= 1 and abs(rank - line) <= reach
    )


def test_flank_is_three_files_with_the_king_among_them() -> None:
    files = [{pos for pos in range(8) if masks.FLANK[king] & masks.FILE[pos]} for king in range(8)]
    assert files == [
        *({0, 1, 2}, {0, 1, 2}, {1, 2, 3}, {2, 3, 4}),
        *({3, 4, 5}, {4, 5, 6}, {5, 6, 7}, {5, 6, 7}),
    ]
    assert all(flank == sum(masks.FILE[pos] for pos in files[king]) for king, flank in enumerate(masks.FLANK))


def test_centre_is_four_files_on_three_ranks() -> None:
    assert chess.SquareSet(masks.CENTRE[0]) == chess.SquareSet(
        squares(lambda f, r: 2 <= f <= 5 and 1 <= r <= 3)
    )
    assert masks.CENTRE[1] == chess.flip_vertical(masks.CENTRE[0])


def test_dark_squares_and_distances() -> None:
    assert masks.DARK == chess.BB_DARK_SQUARES
    for one in SQUARES:
        for other in SQUARES:
            assert masks.DISTANCE[one * 64 + other] == chess.square_distance(one, other)


@given(st.integers(0, 2**64 - 1), st.sampled_from(BOTH))
def test_steps_and_captures_of_pawns(pawns: int, colour: bool) -> None:
    delta = 8 if colour else -8
    ahead = chess.SquareSet(square + delta for square in chess.SquareSet(pawns) if 0 <= square + delta < 64)
    assert masks.up(pawns, 0 if colour else 1) == int(ahead)
    attacked = chess.SquareSet()
    for square in chess.SquareSet(pawns):
        attacked |= chess.SquareSet(chess.BB_PAWN_ATTACKS[colour][square])
    assert masks.pawn_attacks_of(pawns, 0 if colour else 1) == int(attacked)
