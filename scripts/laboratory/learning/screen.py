"""What many switches and numbers are worth, all measured in the same games.

A factorial experiment: in each pair of games either side has some of the factors, drawn at random. A logistic
regression of the points on the differences tells each factor's Elo. Each pair says something of all factors,
so a match's worth of games does for all what it would do for one; what factors do together is not told apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log, sqrt
from random import Random
from typing import TYPE_CHECKING

import numpy as np

from .duel import Duel

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy.typing as npt

    from .duel import Fought

_ELO = 400 / log(10)  # of a unit of the logistic scale
_STEPS = 25


@dataclass(frozen=True, slots=True)
class Factor:
    """A parameter and a value of it that is not the usual one."""

    name: str
    value: int


@dataclass(frozen=True, slots=True)
class Effect:
    """The Elo that a factor brings, with the half of its 95% interval; infinite where nothing tells of it."""

    factor: Factor
    elo: float
    error: float


def duels(factors: Sequence[Factor], rate: float, seed: int, numbers: range) -> Iterator[Duel]:
    """Pairs of these numbers, in which each side has each factor with the probability `rate`."""
    for number in numbers:
        random = Random(f"{seed}:{number}")
        yield Duel(number, _drawn(factors, rate, random), _drawn(factors, rate, random))


def effects(factors: Sequence[Factor], fought: Sequence[Fought]) -> list[Effect]:
    """What each factor brings, by maximum likelihood; pairs are what varies independently."""
    rows = np.array(
        [
            [_has(each.duel.first, factor) - _has(each.duel.second, factor) for factor in factors]
            for each in fought
        ],
        dtype=float,
    ).reshape(len(fought), len(factors))
    shares = np.array([each.points / 2 for each in fought])
    strengths, covariance = _fit(rows, shares)
    told = np.abs(rows).sum(axis=0)
    return [
        Effect(factor, _ELO * strengths[i], 1.96 * _ELO * sqrt(covariance[i, i]) if told[i] else inf)
        for i, factor in enumerate(factors)
    ]


def _drawn(factors: Sequence[Factor], rate: float, random: Random) -> dict[str, int]:
    return {factor.name: factor.value for factor in factors if random.random() < rate}


def _has(changed: Mapping[str, int], factor: Factor) -> int:
    return int(changed.get(factor.name) == factor.value)


def _fit(
    rows: npt.NDArray[np.float64], shares: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Newton's method with a weak prior; the covariance is the robust one (White's sandwich)."""
    strengths = np.zeros(rows.shape[1])
    prior = np.eye(rows.shape[1]) * 0.1
    for _ in range(_STEPS):
        expected = 1 / (1 + np.exp(-rows @ strengths))
        weights = expected * (1 - expected)
        curvature = rows.T @ (rows * weights[:, None]) + prior
        strengths = strengths + np.linalg.solve(curvature, rows.T @ (shares - expected) - prior @ strengths)
    bread = np.linalg.inv(curvature)
    scores = rows * (shares - expected)[:, None]
    return strengths, bread @ (scores.T @ scores) @ bread
