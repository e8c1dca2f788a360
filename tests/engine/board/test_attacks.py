"""Sliders, by magics or PEXT, and lines: against plain walks over the board, and against python-chess."""

import random

import pytest

from engine.board import attacks
from engine.board.position import COMPILED, Position

KNIGHT, BISHOP, ROOK, QUEEN, KING, EMPTY = 1, 2, 3, 4, 5, 7
STRAIGHT = ((1, 0), (-1, 0), (0, 1), (0, -1))
DIAGONAL = ((1, 1), (-1, 1), (1, -1), (-1, -1))
JUMPS = tuple((x, y) for x in range(-2, 3) for y in range(-2, 3) if x * x + y * y == 5)
CORNERS = (0, 7, 56, 63)
OCCUPANCIES = 24

only_plain = pytest.mark.skipif(COMPILED, reason="a C array, which only the plain source shows")


def walk(square: int, directions: tuple[tuple[int, int], ...], occupied: int, most: int = 7) -> set[int]:
    """The squares that a piece reaches, the first occupied one in each direction included."""
    reached = set()
    for right, up in directions:
        file, rank = square & 7, square >> 3
        for _ in range(most):
            file, rank = file + right, rank + up
            if not (0 <= file < 8 and 0 <= rank < 8):
                break
            reached.add(rank * 8 + file)
            if occupied >> (rank * 8 + file) & 1:
                break
    return reached


def as_set(bitboard: int) -> set[int]:
    return {square for square in range(64) if bitboard >> square & 1}


def distance(one: int, other: int) -> int:
    return max(abs((one & 7) - (other & 7)), abs((one >> 3) - (other >> 3)))


def lone(piece: int, square: int, king: int) -> Position:
    """White's piece and king; Black's king is where it can do no harm."""
    pieces = [EMPTY] * 64
    pieces[square], pieces[king] = piece, KING
    pieces[next(free for free in range(64) if pieces[free] == EMPTY)] = 8 + KING
    return Position.set_up(pieces, 0)


def attacked_by(piece: int, square: int, occupied: int) -> set[int]:
    """All squares that the piece attacks, asked of positions in which its king is not near the answer."""
    positions = [lone(piece, square, king) for king in CORNERS if king != square]
    kings = [king for king in CORNERS if king != square]
    found = set()
    for target in range(64):
        i = next(i for i, king in enumerate(kings) if distance(king, target) > 1)
        if positions[i].attacked(target, 0, occupied):
            found.add(target)
    return found


def occupancies(seed: int) -> list[int]:
    """The empty and the full board, and random ones, sparse to crowded."""
    rng = random.Random(seed)
    sparse = [rng.getrandbits(64) & rng.getrandbits(64) & rng.getrandbits(64) for _ in range(OCCUPANCIES)]
    even = [rng.getrandbits(64) for _ in range(OCCUPANCIES)]
    return [0, 2**64 - 1, *sparse, *even]


@pytest.mark.parametrize("square", range(64))
def test_sliders(square: int) -> None:
    for occupied in occupancies(square):
        straight = walk(square, STRAIGHT, occupied)
        diagonal = walk(square, DIAGONAL, occupied)
        assert attacked_by(ROOK, square, occupied) == straight, hex(occupied)
        assert attacked_by(BISHOP, square, occupied) == diagonal, hex(occupied)
        assert attacked_by(QUEEN, square, occupied) == straight | diagonal, hex(occupied)


@pytest.mark.parametrize("square", range(64))
def test_leapers(square: int) -> None:
    assert attacked_by(KNIGHT, square, 2**64 - 1) == walk(square, JUMPS, 0, most=1)
    lonely = lone(KING, square, square)
    steps = walk(square, STRAIGHT + DIAGONAL, 0, most=1)
    assert {target for target in range(64) if lonely.attacked(target, 0, 2**64 - 1)} == steps


@pytest.mark.parametrize("colour", [0, 1])
def test_pawns(colour: int) -> None:
    up = -1 if colour else 1
    for square in range(8, 56):
        pieces = [EMPTY] * 64
        pieces[square] = colour * 8
        kings = (56, 63) if square < 32 else (0, 7)
        pieces[kings[0]], pieces[kings[1]] = KING, 8 + KING
        position = Position.set_up(pieces, 0)
        far = [target for target in range(64) if distance(target, kings[colour]) > 1]
        found = {target for target in far if position.attacked(target, colour, 0)}
        assert found == walk(square, ((-1, up), (1, up)), 0, most=1)


@only_plain
def test_every_set_of_blockers() -> None:
    """The tables hold all subsets, so that what random boards miss is found here."""
    for square in range(64):
        for directions, mask, look_up in (
            (STRAIGHT, attacks.ROOK_MASK[square], attacks.rook_attacks),
            (DIAGONAL, attacks.BISHOP_MASK[square], attacks.bishop_attacks),
        ):
            blockers = mask
            while blockers:
                blockers = (blockers - 1) & mask
                if blockers.bit_count() in (0, 1, 2, 5):
                    assert as_set(look_up(square, blockers)) == walk(square, directions, blockers)


@only_plain
def test_between_and_line() -> None:
    for one in range(64):
        for other in range(64):
            between, line = set(), set()
            for right, up in (*STRAIGHT, *DIAGONAL):
                reached = walk(one, ((right, up),), 0)
                if other in reached:
                    between = walk(one, ((right, up),), 1 << other) - {other}
                    line = reached | {one} | walk(one, ((-right, -up),), 0)
            assert as_set(attacks.BETWEEN[one * 64 + other]) == between
            assert as_set(attacks.LINE[one * 64 + other]) == line
