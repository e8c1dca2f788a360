"""Learning weights: gradient descent on the logistic loss of values against the results of games.

The points that a value predicts for White are those of eval/training/slope.py. The loss is the cross entropy
between the prediction and the target, in nats for each position. The descent is Adam, D. P. Kingma and J. Ba,
2015 (https://arxiv.org/abs/1412.6980), in small batches, with a learning rate that falls along a cosine. A
prior is added to the loss: each weight is expected to stay within some centipawns of its start, so that
weights about which the games say little do not move. The prior also keeps the value of a pawn near 100, since
the loss alone does not change when all weights grow and the slope shrinks.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import cos, pi
from typing import Self

import numpy as np
import numpy.typing as npt
from scipy.special import xlogy

from eval.features import WEIGHTS
from eval.training.dataset import Dataset, Reals, Rows
from eval.training.slope import expected, fit_slope
from eval.weight_file import LARGEST_WEIGHT, Weights


@dataclass(frozen=True, slots=True)
class Examples:
    """Positions, and their targets: the points that White can expect, 0 to 1."""

    data: Dataset
    targets: Reals

    def take(self, rows: Rows | slice) -> Self:
        """The given rows, in the given order."""
        return type(self)(self.data.take(rows), self.targets[rows])


@dataclass(frozen=True, slots=True)
class Judgement:
    """The quality of weights.

    `slope` fits their values to the training targets. `training` and `validation` are the losses at that
    slope. `outcome` is the loss of the validation against the results alone.
    """

    name: str
    slope: float
    training: float
    validation: float
    outcome: float


def judge(
    name: str, weights: npt.NDArray[np.floating], training: Examples, validation: Examples
) -> Judgement:
    """Judge weights, given in two rows, by the slope that fits them best."""
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


def loss(slope: float, values: Reals, targets: Reals) -> float:
    """The mean loss in nats: at least `least_loss`, and log 2 for values of 0."""
    logits = np.float32(slope) * values
    return float(np.mean(np.logaddexp(np.float32(0), logits) - targets * logits, dtype=np.float64))


def least_loss(targets: Reals) -> float:
    """The loss of a perfect prediction, which is the entropy of the targets."""
    return -float(np.mean(xlogy(targets, targets) + xlogy(1 - targets, 1 - targets), dtype=np.float64))


def targets_of(data: Dataset, mix: float) -> Reals:
    """The targets: `mix` of the game's result, and the rest from the score of the search.

    The slope of the scores is fitted to the results of each folder, because the folders may have been made
    with different evaluators.
    """
    targets = np.empty_like(data.result)
    for source in np.unique(data.source):
        rows: npt.NDArray[np.bool_] = data.source == source
        score, result = data.score[rows], data.result[rows]
        targets[rows] = mix * result + (1 - mix) * expected(fit_slope(score, result), score)
    return targets


Table = npt.NDArray[np.float64]
"""Weights in centipawns, two rows: middle game and endgame."""

_LAST_RATE = 0.01
_DECAY, _SQUARE_DECAY, _TINY = 0.9, 0.999, 1e-12


@dataclass(frozen=True, slots=True)
class TunerSettings:
    """How to descend.

    `rate`: the first learning rate, in centipawns a step. `prior`: the expected change of a weight, in
    centipawns. `repetition`: how many positions count as one, because those of a game are alike. `patience`:
    stop after this many epochs without a better validation loss.
    """

    epochs: int = 40
    batch: int = 16384
    rate: float = 1.0
    prior: float = 80.0
    repetition: float = 20.0
    patience: int = 10
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Epoch:
    """The state after epoch `number`: the slope that fits best, and the losses without the prior."""

    number: int
    slope: float
    training: float
    validation: float


class Tuner:
    """A descent. `training` should be in random order. The same arguments give the same weights."""

    def __init__(
        self, training: Examples, validation: Examples, start: Table, settings: TunerSettings
    ) -> None:
        starts = range(0, len(training.data), settings.batch)
        self._batches = [training.take(slice(first, first + settings.batch)) for first in starts]
        self._targets = training.targets
        self._validation = validation
        self._start = start
        self._settings = settings
        self._weights = start.copy()
        self._adam = Adam(start.shape)
        self._chance = np.random.default_rng(settings.seed)
        self._pull = settings.repetition / (settings.prior**2 * len(training.data))
        self.best = start.copy()
        """The weights of the epoch with the least validation loss so far."""

    def epochs(self) -> Iterator[Epoch]:
        """Descend, yielding the state at the start and after each epoch."""
        epoch = self._judge(0)
        yield epoch
        best = epoch
        for number in range(1, self._settings.epochs + 1):
            self._pass(epoch.slope, number)
            epoch = self._judge(number)
            if epoch.validation < best.validation:
                best = epoch
                self.best = self._weights.copy()
            yield epoch
            if number - best.number >= self._settings.patience:
                return

    def _pass(self, slope: float, number: int) -> None:
        """Run one epoch, at a fixed slope."""
        steps = len(self._batches)
        for step, index in enumerate(self._chance.permutation(steps)):
            batch = self._batches[index]
            values = batch.data.values(self._weights)
            by_value = (expected(slope, values) - batch.targets) * np.float32(slope / len(batch.data))
            gradient = batch.data.gradients(by_value) + self._pull * (self._weights - self._start)
            progress = (number - 1 + step / steps) / self._settings.epochs
            self._weights -= self._rate(progress) * self._adam.direction(gradient)

    def _rate(self, progress: float) -> float:
        """The learning rate after the fraction `progress` of the descent, in centipawns a step."""
        return self._settings.rate * (_LAST_RATE + (1 - _LAST_RATE) * (1 + cos(pi * progress)) / 2)

    def _judge(self, number: int) -> Epoch:
        """The losses, at the slope that fits the training best."""
        values = np.concatenate([batch.data.values(self._weights) for batch in self._batches])
        slope = fit_slope(values, self._targets)
        judged = self._validation.data.values(self._weights)
        return Epoch(
            number,
            slope,
            loss(slope, values, self._targets),
            loss(slope, judged, self._validation.targets),
        )


class Adam:
    """Running means of the gradient and of its square, corrected for their bias towards 0."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._mean = np.zeros(shape)
        self._square = np.zeros(shape)
        self._steps = 0

    def direction(self, gradient: Table) -> Table:
        """The ascent direction, about ±1 for each weight whose gradient has a constant sign."""
        self._steps += 1
        self._mean += (1 - _DECAY) * (gradient - self._mean)
        self._square += (1 - _SQUARE_DECAY) * (gradient**2 - self._square)
        mean = self._mean / (1 - _DECAY**self._steps)
        square = self._square / (1 - _SQUARE_DECAY**self._steps)
        return mean / (np.sqrt(square) + _TINY)


def table_of(weights: Weights) -> Table:
    """Weights as a table to learn with."""
    return np.array([weights.middle, weights.endgame], np.float64)


def zero_table() -> Table:
    """The weights of an evaluation by material alone."""
    return np.zeros((2, WEIGHTS))


def rounded(table: Table) -> Weights:
    """Weights in whole centipawns, within the bounds of a file of weights."""
    middle, endgame = np.clip(np.rint(table), -LARGEST_WEIGHT, LARGEST_WEIGHT).astype(int).tolist()
    return Weights(tuple(middle), tuple(endgame))
