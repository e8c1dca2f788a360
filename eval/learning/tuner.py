"""Learning: gradient descent on the loss of the values against the games.

Adam, D. P. Kingma and J. Ba, 2015 (https://arxiv.org/abs/1412.6980), in small batches, at a rate that
falls along a cosine. The loss has a prior added: each weight is expected to be within some centipawns
of where it started, so what the games say little about stays put. Since a scale of both the weights
and the slope means nothing, the prior also holds pawns near 100.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import cos, pi

import numpy as np
import numpy.typing as npt

from eval.features import WEIGHTS
from eval.learning.loss import Examples, expected, fit_slope, loss
from eval.weight_file import LARGEST_WEIGHT, Weights

Table = npt.NDArray[np.float64]
"""Weights in centipawns, two rows: middle game and endgame."""

_LAST_RATE = 0.01
_DECAY, _SQUARE_DECAY, _TINY = 0.9, 0.999, 1e-12


@dataclass(frozen=True, slots=True)
class TunerSettings:
    """`rate`: centipawns a step at first. `prior`: centipawns that a weight is expected to move.
    `repetition`: how many positions say no more than one would alone, for those of a game are alike.
    `patience`: epochs without progress in validation after which to stop."""

    epochs: int = 40
    batch: int = 16384
    rate: float = 1.0
    prior: float = 80.0
    repetition: float = 20.0
    patience: int = 10
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Epoch:
    """How things stand after so many passes: the slope that fits, and the losses without the prior."""

    number: int
    slope: float
    training: float
    validation: float


class Tuner:
    """One descent. `training` should be in random order; the same arguments give the same weights."""

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
        """The weights of the epoch with the least loss in validation so far."""

    def epochs(self) -> Iterator[Epoch]:
        """Descend, telling how things stood before and after each epoch."""
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
        """One epoch at a fixed slope."""
        steps = len(self._batches)
        for step, index in enumerate(self._chance.permutation(steps)):
            batch = self._batches[index]
            values = batch.data.values(self._weights)
            by_value = (expected(slope, values) - batch.targets) * np.float32(slope / len(batch.data))
            gradient = batch.data.slopes(by_value) + self._pull * (self._weights - self._start)
            progress = (number - 1 + step / steps) / self._settings.epochs
            self._weights -= self._rate(progress) * self._adam.direction(gradient)

    def _rate(self, progress: float) -> float:
        """Centipawns a step, after a part of the whole descent, 0 … 1."""
        return self._settings.rate * (_LAST_RATE + (1 - _LAST_RATE) * (1 + cos(pi * progress)) / 2)

    def _judge(self, number: int) -> Epoch:
        """The losses at the slope that fits the training best."""
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
    """Running means of the gradient and of its square, free of their bias towards 0."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._mean = np.zeros(shape)
        self._square = np.zeros(shape)
        self._steps = 0

    def direction(self, gradient: Table) -> Table:
        """Where to go uphill, about 1 in each weight that the gradient is sure about."""
        self._steps += 1
        self._mean += (1 - _DECAY) * (gradient - self._mean)
        self._square += (1 - _SQUARE_DECAY) * (gradient**2 - self._square)
        mean = self._mean / (1 - _DECAY**self._steps)
        square = self._square / (1 - _SQUARE_DECAY**self._steps)
        return mean / (np.sqrt(square) + _TINY)


def table_of(weights: Weights) -> Table:
    """Weights as numbers to learn with."""
    return np.array([weights.middle, weights.endgame], np.float64)


def nothing() -> Table:
    """The weights of an evaluation by material alone."""
    return np.zeros((2, WEIGHTS))


def rounded(table: Table) -> Weights:
    """What has been learned, in whole centipawns within the bounds of a file; says nothing about itself."""
    middle, endgame = np.clip(np.rint(table), -LARGEST_WEIGHT, LARGEST_WEIGHT).astype(int).tolist()
    return Weights(tuple(middle), tuple(endgame))
