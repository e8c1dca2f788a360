"""Learning a network from records: epochs of Adam, a cosine of learning rates, validation on whole games."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from math import cos, inf, isfinite, pi
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from eval.training.float_network import FloatNetwork
from eval.training.records import RecordsError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from eval.training.records import Records

    Reals = npt.NDArray[np.float32]
    Rows = npt.NDArray[np.uint32]

ADAM = (0.9, 0.999, 1e-8)
"""See `trainer.AdamSteps`."""

LAST_RATE = 0.05
"""What part of the first learning rate is left at the end."""

LEAST, LAST = "least", "last"
"""Which network a stage ends with: that with the least validation loss, or that of the last epoch."""

_WARM_UP = 50  # steps in which the learning rate grows to its full size


@dataclass(frozen=True, slots=True)
class NetworkExamples:
    """Records, and their targets: the points that the mover can expect, 0 to 1.

    Only of the first `played` records some are held out for validation.
    """

    records: Records
    targets: Reals
    played: int


@dataclass(frozen=True, slots=True)
class StageSettings:
    """How to descend.

    `rate` is the first learning rate; each `held_out`-th game is for validation; `kept` is LEAST or LAST.
    """

    name: str
    epochs: int
    batch: int
    rate: float
    held_out: int
    seed: int
    threads: int
    device: str = "cpu"
    kept: str = LEAST

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
    """All that a descent needs to go on: `batch` is the next one of the epoch after `epochs`.

    `best` is the network to end with so far, see `StageSettings.kept`. Its validation loss is `least`, None
    where it is still to be found, and infinite where there is no candidate yet.
    """

    network: FloatNetwork
    mean: Reals
    square: Reals
    best: FloatNetwork
    least: float | None = inf
    steps: int = 0
    batch: int = 0
    loss: float = 0.0
    epochs: list[NetworkEpoch] = field(default_factory=list)

    @classmethod
    def start(cls, network: FloatNetwork, candidate: FloatNetwork | None = None) -> DescentState:
        """The state before the first batch. `candidate` is the best network unless an epoch has less loss."""
        own = FloatNetwork(network.width, network.places, network.values.copy())
        zeros = np.zeros_like(own.values)
        if candidate is None:
            return cls(own, zeros, zeros.copy(), network)
        return cls(own, zeros, zeros.copy(), candidate, least=None)


class LearningDevice(Protocol):
    """What does the arithmetic for one descent; it knows the examples and the state."""

    def learn(self, rows: Rows, rate: float, step: int) -> float:
        """Make step `step`, from 1, from these examples. The sum of their losses before it, in nats."""

    def judge(self, network: FloatNetwork, rows: Rows) -> Reals:
        """The logits of these examples, from the mover's point of view."""

    def save(self) -> None:
        """Bring the arrays of the state up to date."""


class NetworkDescent:
    """Learns one stage. The same examples, settings, start and device give the same network."""

    def __init__(
        self, examples: NetworkExamples, settings: StageSettings, state: DescentState, device: LearningDevice
    ) -> None:
        """Raises RecordsError where there are too few games."""
        self._examples = examples
        self._settings = settings
        self._device = device
        self.state = state
        self.training, self.validation = split(examples.records, settings.held_out, examples.played)
        if not len(self.training) or not len(self.validation):
            raise RecordsError("too few games for training and validation")
        self.batches = max(1, len(self.training) // settings.batch)
        """How many make an epoch."""

    @property
    def total(self) -> int:
        """The number of batches of all epochs."""
        return self.batches * self._settings.epochs

    def run(self) -> Iterator[NetworkEpoch | None]:
        """Descend, yielding after each batch: None, or at the end of an epoch its losses."""
        if self.state.least is None:
            self.state.least = self._validation_loss(self.state.best)
        while len(self.state.epochs) < self._settings.epochs:
            order = self._order(len(self.state.epochs))
            while self.state.batch < self.batches:
                self._learn(order)
                self.state.batch += 1
                if self.state.batch < self.batches:
                    yield None
            yield self._finish_epoch()

    def judge(self, network: FloatNetwork) -> Reals:
        """The logits of the validation records."""
        return self._device.judge(network, self.validation)

    def _order(self, epoch: int) -> Rows:
        """The order of the training records in an epoch, from 0."""
        chance = np.random.default_rng([self._settings.seed, epoch])
        return chance.permutation(self.training)

    def _learn(self, order: Rows) -> None:
        """Learn from the next batch; the last one of an epoch has what is left over as well."""
        first = self.state.batch * self._settings.batch
        last = first + self._settings.batch
        if self.state.batch == self.batches - 1:
            last = len(order)
        self.state.steps += 1
        self.state.loss += self._device.learn(order[first:last], self._rate(), self.state.steps)

    def _rate(self) -> float:
        """The learning rate of the present step."""
        done = (self.state.steps - 1) / self.total
        cosine = LAST_RATE + (1 - LAST_RATE) * (1 + cos(pi * done)) / 2
        return self._settings.rate * cosine * min(1.0, self.state.steps / _WARM_UP)

    def _finish_epoch(self) -> NetworkEpoch:
        self._device.save()
        now = self.state.network
        epoch = NetworkEpoch(
            self._settings.name,
            len(self.state.epochs) + 1,
            self.state.loss / len(self.training),
            self._validation_loss(now),
        )
        if not isfinite(epoch.validation):
            raise RecordsError("the loss is no longer a number: try a lower learning rate")
        is_least = self.state.least is None or epoch.validation < self.state.least
        if is_least or self._settings.kept == LAST:
            self.state.least = epoch.validation
            self.state.best = FloatNetwork(now.width, now.places, now.values.copy())
        self.state.epochs.append(epoch)
        self.state.batch = 0
        self.state.loss = 0.0
        return epoch

    def _validation_loss(self, network: FloatNetwork) -> float:
        wanted = self._examples.targets[self.validation]
        return float(losses(self.judge(network), wanted).mean(dtype=np.float64))


def losses(logits: Reals, targets: Any) -> Reals:
    """The cross entropy of each position, in nats."""
    found: Reals = np.logaddexp(np.float32(0), logits) - targets * logits
    return found


def split(found: Records, held_out: int, played: int) -> tuple[Rows, Rows]:
    """The rows of the training records, and of those of each `held_out`-th game among the first `played`.

    Later records of games with such numbers are in neither: they may be of the very games that are held out.
    """
    held = found["game"] % held_out == held_out - 1
    judging = np.flatnonzero(held[:played])
    return np.flatnonzero(~held).astype(np.uint32), judging.astype(np.uint32)
