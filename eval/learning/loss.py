"""How wrong values are about games: logistic loss, and the scale between centipawns and chances.

A value of v centipawns expects 1 / (1 + exp(-slope * v)) points of a game for White. The loss is the
cross entropy between that and the points to be expected, the target, in nats for each position.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import expit, xlogy

from eval.learning.dataset import Dataset, Reals, Rows

LEAST_SLOPE, MOST_SLOPE = 1e-4, 1e-1
"""Bounds of a slope, for values that say nothing about games, or all."""

_USUAL_SLOPE = 4e-3
_STEPS = 50
_CLOSE = 1e-7


@dataclass(frozen=True, slots=True)
class Examples:
    """Positions with the points that White is to expect of each, 0 … 1."""

    data: Dataset
    targets: Reals

    def take(self, rows: Rows | slice) -> "Examples":
        """These rows only, in this order."""
        return Examples(self.data.take(rows), self.targets[rows])


@dataclass(frozen=True, slots=True)
class Judgement:
    """What weights are worth: `slope` fits their values to the training; `training` and `validation` are
    the losses at that slope, `outcome` that in validation against nothing but the games' results."""

    name: str
    slope: float
    training: float
    validation: float
    outcome: float


def judge(
    name: str, weights: npt.NDArray[np.floating], training: Examples, validation: Examples
) -> Judgement:
    """Judge weights, in two rows, on equal terms with all others: each by the slope that fits it best."""
    values, judged = training.data.values(weights), validation.data.values(weights)
    slope = fit_slope(values, training.targets)
    by_result = fit_slope(values, training.data.result)
    return Judgement(
        name,
        slope,
        loss(slope, values, training.targets),
        loss(slope, judged, validation.targets),
        loss(by_result, judged, validation.data.result),
    )


def expected(slope: float, values: Reals) -> Reals:
    """White's points, 0 … 1, at these values."""
    points: Reals = expit(np.float32(slope) * values)
    return points


def loss(slope: float, values: Reals, targets: Reals) -> float:
    """The mean loss in nats; log 2 where nothing is known, `least_loss` at best."""
    logits = np.float32(slope) * values
    return float(np.mean(np.logaddexp(np.float32(0), logits) - targets * logits, dtype=np.float64))


def least_loss(targets: Reals) -> float:
    """What the loss is where the targets themselves are expected."""
    return -float(np.mean(xlogy(targets, targets) + xlogy(1 - targets, 1 - targets), dtype=np.float64))


def fit_slope(values: Reals, targets: Reals) -> float:
    """The slope of the least loss, by Newton's method: the loss is convex in it."""
    slope = _USUAL_SLOPE
    for _ in range(_STEPS):
        points = expected(slope, values)
        first = np.mean((points - targets) * values, dtype=np.float64)
        second = np.mean(points * (1 - points) * values * values, dtype=np.float64)
        step = first / second if second > 0 else 0.0
        better = float(np.clip(slope - step, max(slope / 2, LEAST_SLOPE), min(slope * 2, MOST_SLOPE)))
        if abs(better - slope) <= _CLOSE * slope:
            return better
        slope = better
    return slope


def targets_of(data: Dataset, mix: float) -> Reals:
    """The points to be expected: `mix` of the game's result, the rest by the score of its search.

    What a score stands for is fitted to the results, for each folder on its own: their searches may
    have had different evaluators.
    """
    targets = np.empty_like(data.result)
    for source in np.unique(data.source):
        rows: npt.NDArray[np.bool_] = data.source == source
        score, result = data.score[rows], data.result[rows]
        targets[rows] = mix * result + (1 - mix) * expected(fit_slope(score, result), score)
    return targets
