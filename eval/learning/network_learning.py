"""Learning a network from records: epochs of Adam, a cosine of learning rates, validation on whole games."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from math import cos, pi
from typing import TYPE_CHECKING, Any

import numpy as np

from eval.learning import records
from eval.learning.float_network import FloatNetwork
from eval.learning.records import RecordsError
from eval.learning.trainer import AdamSteps, Backpropagation

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from eval.learning.records import Records

    Reals = npt.NDArray[np.float32]
    Rows = npt.NDArray[np.uint32]

LAST_RATE = 0.05
"""What part of the first learning rate is left at the end."""

_WARM_UP = 50  # steps in which the learning rate grows to its full size


@dataclass(frozen=True, slots=True)
class NetworkExamples:
    """Records, and their targets: the points that the mover can expect, 0 to 1."""

    records: Records
    targets: Reals


@dataclass(frozen=True, slots=True)
class StageSettings:
    """How to descend: `rate` is the first learning rate; each `held_out`-th game is for validation."""

    name: str
    epochs: int
    batch: int
    rate: float
    held_out: int
    seed: int
    threads: int

    def described(self) -> dict[str, Any]:
        """The settings that no plan says elsewhere, in JSON."""
        return {name: value for name, value in asdict(self).items() if name not in {"name", "seed"}}


@dataclass(frozen=True, slots=True)
class NetworkEpoch:
    """The losses in nats after epoch `number` of a stage: while it ran, and of the validation at its end."""

    stage: str
    number: int
    training: float
    validation: float


@dataclass(slots=True)
class DescentState:
    """All that a descent needs to go on: `batch` is the next one of the epoch after `epochs`."""

    network: FloatNetwork
    mean: Reals
    square: Reals
    best: FloatNetwork
    steps: int = 0
    batch: int = 0
    loss: float = 0.0
    epochs: list[NetworkEpoch] = field(default_factory=list)

    @classmethod
    def start(cls, network: FloatNetwork) -> DescentState:
        """The state before the first batch."""
        own = FloatNetwork(network.width, network.places, network.values.copy())
        zeros = np.zeros_like(own.values)
        return cls(own, zeros, zeros.copy(), network)


class NetworkDescent:
    """Learns one stage. The same examples, settings and start give the same network."""

    def __init__(self, examples: NetworkExamples, settings: StageSettings, state: DescentState) -> None:
        """Raises RecordsError where there are too few games."""
        self._examples = examples
        self._settings = settings
        self.state = state
        self.training, self.validation = split(examples.records, settings.held_out)
        if not len(self.training) or not len(self.validation):
            raise RecordsError("too few games for training and validation")
        self.batches = max(1, len(self.training) // settings.batch)
        """How many make an epoch."""
        self._words = records.words(examples.records)
        self._slopes = np.zeros((settings.threads, len(state.network.values)), np.float32)
        self._backward = [_backpropagation(state.network, slopes) for slopes in self._slopes]
        self._adam = AdamSteps(state.network.values, self._slopes.ravel(), state.mean, state.square)

    @property
    def total(self) -> int:
        """The number of batches of all epochs."""
        return self.batches * self._settings.epochs

    def run(self) -> Iterator[NetworkEpoch | None]:
        """Descend, yielding after each batch: None, or at the end of an epoch its losses."""
        with ThreadPoolExecutor(self._settings.threads) as pool:
            while len(self.state.epochs) < self._settings.epochs:
                order = self._order(len(self.state.epochs))
                while self.state.batch < self.batches:
                    self._learn(pool, order)
                    self.state.batch += 1
                    if self.state.batch < self.batches:
                        yield None
                yield self._finish_epoch(pool)

    def _order(self, epoch: int) -> Rows:
        """The order of the training records in an epoch, from 0."""
        chance = np.random.default_rng([self._settings.seed, epoch])
        return chance.permutation(self.training)

    def _learn(self, pool: ThreadPoolExecutor, order: Rows) -> None:
        """Learn from the next batch; the last one of an epoch has what is left over as well."""
        first = self.state.batch * self._settings.batch
        last = first + self._settings.batch
        if self.state.batch == self.batches - 1:
            last = len(order)
        shares = _shares(first, last, self._settings.threads)
        losses = pool.map(
            lambda thread: self._backward[thread].learn(
                self._words, self._examples.targets, order, *shares[thread]
            ),
            range(self._settings.threads),
        )
        self.state.loss += sum(losses)
        self.state.steps += 1
        rate, count = self._rate(), last - first
        parts = _shares(0, len(self.state.network.values), self._settings.threads)
        for _ in pool.map(lambda part: self._adam.step(rate, self.state.steps, count, *part), parts):
            pass

    def _rate(self) -> float:
        """The learning rate of the present step."""
        done = (self.state.steps - 1) / self.total
        cosine = LAST_RATE + (1 - LAST_RATE) * (1 + cos(pi * done)) / 2
        return self._settings.rate * cosine * min(1.0, self.state.steps / _WARM_UP)

    def _finish_epoch(self, pool: ThreadPoolExecutor) -> NetworkEpoch:
        logits = self._judge(pool, self.state.network)
        epoch = NetworkEpoch(
            self._settings.name,
            len(self.state.epochs) + 1,
            self.state.loss / len(self.training),
            float(losses(logits, self._examples.targets[self.validation]).mean()),
        )
        if all(epoch.validation < each.validation for each in self.state.epochs):
            now = self.state.network
            self.state.best = FloatNetwork(now.width, now.places, now.values.copy())
        self.state.epochs.append(epoch)
        self.state.batch = 0
        self.state.loss = 0.0
        return epoch

    def judge(self, network: FloatNetwork) -> Reals:
        """The logits of the validation records."""
        with ThreadPoolExecutor(self._settings.threads) as pool:
            return self._judge(pool, network)

    def _judge(self, pool: ThreadPoolExecutor, network: FloatNetwork) -> Reals:
        return judge(pool, network, self._words, self.validation, self._settings.threads)


def judge(
    pool: ThreadPoolExecutor, network: FloatNetwork, words: memoryview, rows: Rows, threads: int
) -> Reals:
    """The logits of these rows of records, from the mover's point of view."""
    logits = np.empty(len(rows), np.float32)

    def work(share: tuple[int, int]) -> None:
        _backpropagation(network, np.empty_like(network.values)).judge(words, rows, logits, *share)

    for _ in pool.map(work, _shares(0, len(rows), threads)):
        pass
    return logits


def losses(logits: Reals, targets: Any) -> Reals:
    """The cross entropy of each position, in nats."""
    found: Reals = np.logaddexp(np.float32(0), logits) - targets * logits
    return found


def split(found: Records, held_out: int) -> tuple[Rows, Rows]:
    """The rows of the training records, and of those of each `held_out`-th game."""
    judging = found["game"] % held_out == held_out - 1
    return np.flatnonzero(~judging).astype(np.uint32), np.flatnonzero(judging).astype(np.uint32)


def _backpropagation(network: FloatNetwork, slopes: Any) -> Backpropagation:
    return Backpropagation(network.values, slopes, network.width, network.places)


def _shares(first: int, last: int, count: int) -> list[tuple[int, int]]:
    """A range in `count` parts of about the same size."""
    ends = [first + (last - first) * number // count for number in range(count + 1)]
    return list(pairwise(ends))
