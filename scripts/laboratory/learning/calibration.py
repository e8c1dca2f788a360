"""How strong the levels of play are, from games among them and against weakened Stockfish.

All games are explained at once by ratings (R. Bradley and M. Terry, "Rank analysis of incomplete block
designs", 1952). Those of Stockfish's Skill Levels are known. Those of the levels lie on a parabola: nodes and
errors of the levels are in geometric progression, and doubling the nodes is worth less the more there are.
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
    """A Skill Level of Stockfish's: what it is said to be worth, and the level thought to be as strong."""

    elo: float
    level: int


ANCHORS = {
    0: Anchor(1320.1, 7),
    1: Anchor(1467.6, 8),
    2: Anchor(1608.4, 9),
    3: Anchor(1742.3, 10),
    4: Anchor(1922.9, 11),
    5: Anchor(2203.7, 13),
    6: Anchor(2363.2, 14),
    8: Anchor(2596.2, 16),
    10: Anchor(2788.3, 17),
}
"""Elo by its developers, six weeks after 15.1, from games at 120 s + 1 s against versions of Stash that CCRL
has rated at blitz: https://github.com/official-stockfish/Stockfish/commit/a08b8d4e9711"""

_SLOW_LEVEL = 12  # from here on a game takes seconds
_MANY, _FEW, _ANCHORED = 60, 10, 6
_DISTANCES = -2, 0, 2  # levels away from the one thought to be as strong
_RESAMPLES = 1000
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
class LevelResult:
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
        Pairing(anchor.level + distance, -1 - skill, _ANCHORED)
        for skill, anchor in ANCHORS.items()
        for distance in _DISTANCES
    ] + [Pairing(level, other, _FEW if other in slow else _MANY) for level, other in pairwise(LEVELS)]


def rate(results: Sequence[LevelResult]) -> list[Rating]:
    """The likeliest Elo of all levels. The errors are found by resampling games (bootstrap)."""
    matches: dict[tuple[int, int], list[float]] = {}
    for each in results:
        matches.setdefault((each.level, each.other), []).append(each.points)
    counts = np.array([len(points) for points in matches.values()])
    levels = _powers(LEVELS)
    design, known = _differences(list(matches))
    chooser = np.random.default_rng(1)
    sums = [
        np.array([chooser.choice(points, len(points)).sum() for points in matches.values()])
        for _ in range(_RESAMPLES)
    ]
    errors = np.std([levels @ _fit(design, known, counts, each) for each in sums], axis=0)
    points = np.array([sum(points) for points in matches.values()])
    elo = levels @ _fit(design, known, counts, points)
    games = [sum(level in {each.level, each.other} for each in results) for level in LEVELS]
    return [
        Rating(level, float(value), float(error), count)
        for level, value, error, count in zip(LEVELS, elo, errors, games, strict=True)
    ]


def _powers(levels: Sequence[int]) -> Matrix:
    """What a parabola's coefficients are multiplied with, a row for each level."""
    middle = (LEVELS[0] + LEVELS[-1]) / 2
    return np.vander((np.array(levels) - middle) / len(LEVELS), 3)


def _differences(matches: Sequence[tuple[int, int]]) -> tuple[Matrix, Matrix]:
    """The difference in Elo of each match's players: what depends on the coefficients, and what is known."""
    first = _powers([level for level, _ in matches])
    among = np.array([other > 0 for _, other in matches])
    second = np.where(among[:, None], _powers([other for _, other in matches]), 0)
    known = np.array([0.0 if other > 0 else -ANCHORS[-1 - other].elo for _, other in matches])
    return first - second, known


def _fit(design: Matrix, known: Matrix, counts: Matrix, points: Matrix) -> Matrix:
    """The coefficients for which so many points in so many games are the likeliest."""

    def unlikeliness(coefficients: Matrix) -> tuple[float, Matrix]:
        """Minus the logarithm of the likelihood, and its gradient, in Elo times _PER_ELO."""
        odds = design @ coefficients + _PER_ELO * known
        value = points @ np.logaddexp(0, -odds) + (counts - points) @ np.logaddexp(0, odds)
        return float(value), design.T @ (counts / (1 + np.exp(-odds)) - points)

    start = np.zeros(design.shape[1])
    return np.asarray(minimize(unlikeliness, start, method="BFGS", jac=True).x) / _PER_ELO
