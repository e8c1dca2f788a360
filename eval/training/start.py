"""Weights set by hand from common textbook advice, from which learning starts.

They are short formulas in centipawns, (middle game, endgame), with the right sign and about the right size.
Material stays 1, 3, 3, 5, 9. The rest of a piece's value is in its placement.
"""

from collections.abc import Callable, Iterable
from math import sqrt

from eval.features import FEATURES
from eval.weight_file import Weights

Pair = tuple[float, float]
"""Middle game and endgame, in centipawns."""

Part = dict[str, list[Pair]]
"""The weights of some features by name, in their order."""


def hand_set() -> Weights:
    """Weights that play sensible chess. They have no model of the outcome."""
    parts = _placement() | _mobility() | _pieces() | _pawns() | _passed() | _threats() | _king()
    pairs = [pair for feature in FEATURES for pair in _checked(parts, feature.name, feature.size)]
    return Weights(
        middle=tuple(round(middle) for middle, _ in pairs),
        endgame=tuple(round(endgame) for _, endgame in pairs),
        about={"data": "set by hand"},
    )


def _checked(parts: Part, name: str, size: int) -> list[Pair]:
    pairs = parts[name]
    if len(pairs) != size:
        raise AssertionError(f"{name!r} has {len(pairs)} weights set by hand instead of {size}")
    return pairs


def _by_rank(formula: Callable[[int], Pair], ranks: Iterable[int] = range(1, 7)) -> list[Pair]:
    """Eight pairs, zero on ranks without such pawns."""
    return [formula(rank) if rank in ranks else (0, 0) for rank in range(8)]


# Placement


def _placement() -> Part:
    squares = [(rank, file) for rank in range(8) for file in range(8)]
    own = (_pawn, _knight, _bishop, _rook, _queen, _own_king)
    near_king = (0, 2, 2, 1, 4)
    return {
        "placement": [formula(rank, file) for formula in own for rank, file in squares],
        "facing": [
            (factor * max(0, 4 - max(abs(rank - 7), abs(file - 6))), 0)
            for factor in near_king
            for rank, file in squares
        ],
    }


def _middle(line: int) -> int:
    """How far a rank or file is from the edge: 0 to 3."""
    return min(line, 7 - line)


def _pawn(rank: int, file: int) -> Pair:
    if rank in {0, 7}:
        return 0, 0
    return 3 * (_middle(file) - 1) * (min(rank, 4) - 1) - 5, 4 * (rank - 2) + 10


def _knight(rank: int, file: int) -> Pair:
    inside = _middle(rank) + _middle(file)
    return 5 * inside - 12 + 3 * min(rank, 5), 4 * inside - 10


def _bishop(rank: int, file: int) -> Pair:
    inside = _middle(rank) + _middle(file)
    return 2 * inside + 6 + 5 * (rank > 0), 2 * inside + 4


def _rook(rank: int, file: int) -> Pair:
    return 2 * _middle(file) - 5, 10 + 2 * min(rank, 5)


def _queen(rank: int, file: int) -> Pair:
    inside = _middle(rank) + _middle(file)
    return inside + 25 - 2 * max(0, rank - 4), 5 * inside + 20


def _own_king(rank: int, file: int) -> Pair:
    wing = (12, 20, 5, -12, -12, -15, 20, 15)[file]
    return wing - (0, 15, 40, 60, 75, 90, 100, 110)[rank], 10 * (_middle(rank) + _middle(file)) - 25


# Pieces


def _mobility() -> Part:
    """Each further square counts less than the one before. Usual mobility is worth 0."""

    def curve(squares: int, usual: int, middle: float, endgame: float) -> list[Pair]:
        gains = [sqrt(reach + 1) - sqrt(usual + 1) for reach in range(squares)]
        return [(middle * gain, endgame * gain) for gain in gains]

    return {
        "knight mobility": curve(9, 4, 26, 24),
        "bishop mobility": curve(14, 6, 24, 24),
        "rook mobility": curve(15, 7, 13, 28),
        "queen mobility": curve(28, 13, 8, 16),
    }


def _pieces() -> Part:
    return {
        "bishop pair": [(25, 45)],
        "rook file": [(15, 8), (32, 14)],
        "rook on seventh": [(8, 22)],
        "outpost": [(26, 16), (16, 10)],
        "behind pawn": [(7, 2), (6, 2)],
        "bad bishop": [(-3, -5)],
        "knight with pawns": [(3, 3)],
        "rook with pawns": [(-3, -3)],
        "space": [(2, 0)],
        "tempo": [(14, 10)],
    }


# Pawns


def _pawns() -> Part:
    return {
        "isolated": [(-7, -9), (-14, -15)],
        "doubled": [(-7, -18)],
        "backward": [(-6, -8), (-13, -14)],
        "phalanx": _by_rank(lambda rank: (2 + 1.2 * rank * rank, rank * rank)),
        "supported": _by_rank(lambda rank: (4 + 1.2 * rank * rank, 2 + rank * rank), range(2, 7)),
    }


def _passed() -> Part:
    """`far` grows from 0 on the pawn's first rank to 25 on its last."""

    def far(rank: int) -> int:
        return (rank - 1) ** 2

    return {
        "passed": _by_rank(lambda rank: (4 + 3 * far(rank), 10 + 3.5 * far(rank))),
        "candidate": _by_rank(lambda rank: (2 + far(rank), 4 + 1.5 * far(rank))),
        "own king to passed": [(0, 5 * (3 - min(steps, 6))) for steps in range(8)],
        "enemy king to passed": [(0, 9 * (min(steps, 6) - 3)) for steps in range(8)],
        "blocked passed": _by_rank(lambda rank: (-0.7 * far(rank), -1.5 * far(rank))),
        "free passed": _by_rank(lambda rank: (0.4 * far(rank), 1.2 * far(rank))),
        "safe passed": _by_rank(lambda rank: (0.5 * far(rank), 1.2 * far(rank))),
        "defended passed": _by_rank(lambda rank: (0.4 * far(rank), 0.6 * far(rank))),
        "rook behind passed": [(6, 20), (-6, -20)],
        "unstoppable": [(400, 500)],
    }


# Threats and kings


def _threats() -> Part:
    return {
        "pawn threat": [(45, 30), (45, 32), (60, 35), (60, 35)],
        "minor threat": [(3, 10), (8, 8), (8, 8), (36, 36), (40, 44)],
        "rook threat": [(2, 10), (7, 12), (7, 12), (0, 4), (32, 30)],
        "king threat": [(10, 30)],
        "hanging": [(28, 18)],
        "push threat": [(18, 14)],
    }


def _king() -> Part:
    """Pawns before the own king, and attacks on the enemy king; both matter while there are queens."""
    weight_of_file = (1.0, 1.2, 0.9, 0.7)
    own_pawn = (-20, 20, 14, 2, -4, -8, -10, 0)
    enemy_pawn = (-4, -15, -32, -20, -8, 0, 0, 0)
    return {
        "shelter": [(factor * worth, 0) for factor in weight_of_file for worth in own_pawn],
        "storm": [(factor * worth, 0) for factor in weight_of_file for worth in enemy_pawn],
        "blocked storm": [(0.25 * worth, 0) if rank else (0, 0) for rank, worth in enumerate(enemy_pawn)],
        "ring attackers": [(5, 0), (4, 0), (5, 0), (4, 0)],
        "ring attacks": [(3, 0), (2, 0), (3, 0), (3, 2)],
        "safe checks": [(12, 2), (6, 2), (12, 3), (7, 4)],
        "danger": [(0.35 * units * units, 0.05 * units * units) for units in range(32)],
        "pawnless flank": [(-8, -25)],
        "castling rights": [(8, 0)],
    }
