"""The sets of squares against their meaning; compiled they are C's, and tested through the evaluation."""

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board.position import COMPILED
from eval import masks

pytestmark = pytest.mark.skipif(COMPILED, reason="no concern of Python's")

SQUARES = range(64)
BOTH = (chess.WHITE, chess.BLACK)


def file_set(file: int) -> int:
    """The squares of a file, none where there is no such file."""
    return sum(1 << square for square in SQUARES if square % 8 == file)


def ahead_of(square: int, colour: bool) -> int:
    """The squares of all ranks ahead of a square, as that side sees it."""
    sign = 1 if colour else -1
    return sum(1 << other for other in SQUARES if sign * (other // 8 - square // 8) > 0)


def test_files_and_ranks() -> None:
    for line in range(8):
        assert masks.FILE[line] == chess.BB_FILES[line]
        assert masks.RANK[line] == chess.BB_RANKS[line]
        assert masks.NEIGHBOURS[line] == file_set(line - 1) | file_set(line + 1)


@pytest.mark.parametrize("colour", BOTH)
@pytest.mark.parametrize("at", range(8))
def test_what_lies_ahead_of_a_square(at: int, colour: bool) -> None:
    for square in range(at, 64, 8):
        index = (0 if colour else 64) + square
        ahead = ahead_of(square, colour)
        assert masks.AHEAD[index] == ahead
        assert masks.FRONT[index] == ahead & file_set(at)
        assert masks.PASSED_MASK[index] == ahead & (file_set(at - 1) | file_set(at) | file_set(at + 1))


@pytest.mark.parametrize("colour", BOTH)
@pytest.mark.parametrize("at", range(8))
def test_ring_is_what_lies_around_the_king_and_before_it_at_home(at: int, colour: bool) -> None:
    for square in range(at, 64, 8):
        rank = square // 8
        reach = 2 if rank == (0 if colour else 7) else 1
        ring = sum(
            1 << each for each in SQUARES if abs(each % 8 - at) <= 1 and abs(each // 8 - rank) <= reach
        )
        assert masks.KING_RING[(0 if colour else 64) + square] == ring


def test_flank_is_three_files_with_the_king_among_them() -> None:
    files = [{pos for pos in range(8) if masks.FLANK[king] & masks.FILE[pos]} for king in range(8)]
    assert files == [
        *({0, 1, 2}, {0, 1, 2}, {1, 2, 3}, {2, 3, 4}),
        *({3, 4, 5}, {4, 5, 6}, {5, 6, 7}, {5, 6, 7}),
    ]
    assert all(flank == sum(masks.FILE[pos] for pos in files[king]) for king, flank in enumerate(masks.FLANK))


def test_centre_is_four_files_on_three_ranks() -> None:
    ranks = chess.BB_RANK_2 | chess.BB_RANK_3 | chess.BB_RANK_4
    assert masks.CENTRE[0] == ranks & (chess.BB_FILE_C | chess.BB_FILE_D | chess.BB_FILE_E | chess.BB_FILE_F)
    assert masks.CENTRE[1] == chess.flip_vertical(masks.CENTRE[0])


def test_dark_squares_and_distances() -> None:
    assert masks.DARK == chess.BB_DARK_SQUARES
    for one in SQUARES:
        for other in SQUARES:
            assert masks.DISTANCE[one * 64 + other] == chess.square_distance(one, other)


@given(st.integers(0, 2**64 - 1), st.sampled_from(BOTH))
def test_steps_of_pawns(pawns: int, colour: bool) -> None:
    delta = 8 if colour else -8
    ahead = chess.SquareSet(square + delta for square in chess.SquareSet(pawns) if 0 <= square + delta < 64)
    assert masks.up(pawns, 0 if colour else 1) == int(ahead)
