"""How strong the levels of play are, from games among them and against weakened Stockfish.

All games are explained at once by ratings (R. Bradley and M. Terry, "Rank analysis of incomplete block
designs", 1952): those of the levels lie on a straight line, since nodes and errors of the levels are in
geometric progression, and Stockfish's are free. The Elo of a level is then read off Stockfish's Skill
Levels next to it, of which it is known; where there is none on one side, differences count as they are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import minimize

from engine.search.handicap import FULL_STRENGTH, WEAKEST_LEVEL

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    Matrix = npt.NDArray[np.float64]

LEVELS = range(WEAKEST_LEVEL, FULL_STRENGTH)


@dataclass(frozen=True, slots=True)
class Anchor:
    """A Skill Level of Stockfish's: what it is said to be worth, and levels that are about as strong."""

    elo: float
    levels: tuple[int, ...]


ANCHORS = {
    0: Anchor(1320.1, (5, 6, 7)),
    1: Anchor(1467.6, (6, 7, 8)),
    2: Anchor(1608.4, (7, 8, 9)),
    3: Anchor(1742.3, (8, 9, 10)),
    4: Anchor(1922.9, (9, 10, 11)),
    5: Anchor(2203.7, (10, 11, 12)),
    6: Anchor(2363.2, (11, 12, 13)),
    8: Anchor(2596.2, (14, 15, 16)),
    10: Anchor(2788.3, (16, 17, 18)),
}
"""Elo by its developers, six weeks after 15.1, from games at 120 s + 1 s against versions of Stash that CCRL
has rated at blitz: https://github.com/official-stockfish/Stockfish/commit/a08b8d4e9711"""

_PLAYERS = (*LEVELS, *(-1 - skill for skill in ANCHORS))
_SLOW_LEVEL = 12  # from here on a game takes seconds
_MANY, _ANCHORED, _FEW = 60, 16, 10
_RESAMPLES = 100
_PER_ELO = math.log(10) / 400


@dataclass(frozen=True, slots=True)
class Pairing:
    """So many games of a level against another one or, where that is negative, against an anchor.

    -1 is Stockfish's Skill Level 0, -2 its Skill Level 1, and so on.
    """

    level: int
    other: int
    games: int


@dataclass(frozen=True, slots=True)
class Result:
    """The points of the level, 0, ½ or 1, in a game of a pairing, whose games count from 0."""

    level: int
    other: int
    game: int
    points: float


@dataclass(frozen=True, slots=True)
class Rating:
    """The Elo of a level, with the standard error that comes from chance."""

    level: int
    elo: float
    error: float
    games: int


def pairings() -> list[Pairing]:
    """All that are to be played."""
    slow = range(_SLOW_LEVEL, FULL_STRENGTH)
    return [
        Pairing(level, -1 - skill, _ANCHORED) for skill, anchor in ANCHORS.items() for level in anchor.levels
    ] + [Pairing(level, other, _FEW if other in slow else _MANY) for level, other in pairwise(LEVELS)]


def rate(results: Sequence[Result]) -> list[Rating]:
    """The likeliest Elo of all levels. The errors are found by resampling games (bootstrap)."""
    matches: dict[tuple[int, int], list[float]] = {}
    for each in results:
        matches.setdefault((each.level, each.other), []).append(each.points)
    row = {player: index for index, player in enumerate(_PLAYERS)}
    basis = _basis()
    design = np.array([basis[row[level]] - basis[row[other]] for level, other in matches])
    counts = np.array([len(points) for points in matches.values()])
    chooser = np.random.default_rng(1)
    sums = [
        np.array([chooser.choice(points, len(points)).sum() for points in matches.values()])
        for _ in range(_RESAMPLES)
    ]
    errors = np.std([_elo(basis, design, counts, each) for each in sums], axis=0)
    elo = _elo(basis, design, counts, np.array([sum(points) for points in matches.values()]))
    games = [sum(level in {each.level, each.other} for each in results) for level in LEVELS]
    return [
        Rating(level, float(value), float(error), count)
        for level, value, error, count in zip(LEVELS, elo, errors, games, strict=True)
    ]


def _elo(basis: Matrix, design: Matrix, counts: Matrix, points: Matrix) -> Matrix:
    """The Elo of the levels that goes with so many points in so many games.

    A draw is added to each match, lest a difference be infinite.
    """
    start = np.zeros(basis.shape[1])
    coefficients = minimize(_unlikeliness, start, (design, counts + 1, points + 0.5), "BFGS", jac=True).x
    ratings = basis @ coefficients
    return _read_off(ratings[: len(LEVELS)], np.maximum.accumulate(ratings[len(LEVELS) :]))


def _read_off(ratings: Matrix, anchors: Matrix) -> Matrix:
    """The Elo of players with these ratings where the anchors have those, in ascending order."""
    known = [anchor.elo for anchor in ANCHORS.values()]
    below, above = np.minimum(ratings - anchors[0], 0), np.maximum(ratings - anchors[-1], 0)
    return np.asarray(np.interp(ratings, anchors, known) + below + above)


def _basis() -> Matrix:
    """For each player, by row, what its rating is made of: the level's number, or an anchor's own rating."""
    middle = (LEVELS[0] + LEVELS[-1]) / 2
    numbers = np.array([[level - middle] for level in LEVELS])
    nothing = np.zeros((len(LEVELS), len(ANCHORS)))
    return np.block([[numbers, nothing], [nothing.T[:, :1], np.eye(len(ANCHORS))]])


def _unlikeliness(
    coefficients: Matrix, design: Matrix, counts: Matrix, points: Matrix
) -> tuple[float, Matrix]:
    """Minus the logarithm of the likelihood of so many points in so many games, and its gradient."""
    expected = 1 / (1 + np.exp(-_PER_ELO * (design @ coefficients)))
    safe = np.clip(expected, 1e-12, 1 - 1e-12)
    value = -float(np.sum(points * np.log(safe) + (counts - points) * np.log(1 - safe)))
    return value, _PER_ELO * (design.T @ (counts * expected - points))
