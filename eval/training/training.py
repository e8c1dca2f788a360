"""Training a network on games, and on positions that searches asked about, labelled by a search (`taught`).

Some epochs of AdamW with learning rates that fall along a cosine, validated on whole games that are held out.
An epoch goes through all positions in chunks: while one is learned from, the next is read, and no more are in
memory. Checkpoints beside the network's file let a training resume after it was killed.
"""

from __future__ import annotations

import json
import signal
import sys
import tempfile
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from math import ceil, cos, isfinite, pi
from pathlib import Path
from types import FrameType
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from scipy.special import xlogy

from engine.system import services
from engine.system.files import writing
from eval.network_file import load_network
from eval.network_shape import MEN_A_BUCKET, OUTPUT_BUCKETS
from eval.training import game_file, positions
from eval.training.float_network import ADAM, LARGEST, FloatNetwork, king_places
from eval.training.positions import Corpus, Examples, Reals, RecordsError, Scratch
from eval.training.trainer import AdamSteps, Backpropagation

Rows = npt.NDArray[np.uint32]

GAMES = "games"
"""The name of the training in what a network's file says of it; others once came before."""

LAST, MEAN = "last", "mean"
"""Which network is kept: the last one, or a mean.

The mean is of the networks at every hundredth of the training in its last fifth (stochastic weight averaging,
P. Izmailov et al., 2018, https://arxiv.org/abs/1803.05407).
"""

SCALE = 139
"""Centipawns a logit of what a network answers."""

PROCESSOR, TORCH_PROCESSOR, CUDA = "cpu", "cpu-torch", "cuda"
DEVICES = (PROCESSOR, TORCH_PROCESSOR, CUDA)
"""The compiled trainer, and PyTorch on the processor or a GPU."""

_WARM_UP = 50  # steps in which the learning rate grows to its full size
_AVERAGED = 0.2  # the part of the training, at its end, whose networks have a mean
_SECONDS_BETWEEN_CHECKPOINTS = 180.0
_PLIES = (0, 20, 40, 60, 80, 120, 255)
_PLANNED = ("width", "king_buckets", "share", "last_share", "foresight")
_ARRAYS = ("values", "mean", "square", "best")
_NUMBERS = ("steps", "chunk", "batch", "loss", "averaged")
_DAMAGES = (
    *(ArithmeticError, AttributeError, EOFError, LookupError, RuntimeError, TypeError, ValueError),
    *(zipfile.BadZipFile, zlib.error),
)


@dataclass(frozen=True, slots=True)
class Settings:
    """How to learn.

    Each `held_out`-th game is for validation. The learning rate falls from `rate` to `last_rate`. `kept`:
    LAST or MEAN. `decay`: a step takes the rate times so much from each weight, biases included (AdamW,
    I. Loshchilov and F. Hutter, 2019, https://arxiv.org/abs/1711.05101). `chunk`: about how many positions
    are read and shuffled together.
    """

    epochs: int
    batch: int
    rate: float
    held_out: int
    seed: int
    threads: int
    device: str = PROCESSOR
    kept: str = LAST
    last_rate: float = 1e-5
    decay: float = 0.01
    chunk: int = 32_000_000

    def rate_at(self, done: float) -> float:
        """When the part `done` of the training is done (I. Loshchilov and F. Hutter, "SGDR", 2017)."""
        return self.last_rate + (self.rate - self.last_rate) * (1 + cos(pi * done)) / 2


@dataclass(frozen=True, slots=True)
class NetworkPlan:
    """What to learn from, and how.

    `taught`: positions learned among those of games, by their score alone. `share`: the part of the game's
    result in the targets of games; chunk by chunk it approaches `last_share`, which counts in validation.
    `foresight`: the part of later scores, see `positions.targets`. `start`: the file of a network to go on
    from. `sampled`: how the taught positions were made, if known.
    """

    games: tuple[Path, ...]
    taught: tuple[Path, ...]
    width: int
    king_buckets: int
    start: Path | None
    share: float
    last_share: float
    foresight: float
    settings: Settings
    sampled: Mapping[Path, dict[str, Any]] = field(default_factory=dict)

    def described(self) -> dict[str, Any]:
        settings = asdict(self.settings)
        return {
            **{name: [path.resolve().name for path in getattr(self, name)] for name in ("games", "taught")},
            **{name: getattr(self, name) for name in _PLANNED},
            "seed": settings.pop("seed"),
            "start": None if self.start is None else f"{self.start.name} {positions.digest(self.start)}",
            "settings": {GAMES: settings},
        }

    def share_of(self, number: int, chunks: int) -> float:
        """In the `number`-th chunk of the training, from 0."""
        return self.share + (self.last_share - self.share) * number / max(1, chunks - 1)


@dataclass(frozen=True, slots=True)
class Epoch:
    """The losses in nats after epoch `number`: while it ran, and of the validation at its end."""

    number: int
    training: float
    validation: float


@dataclass(slots=True)
class DescentState:
    """All that a descent needs to go on: `chunk` and `batch` are the next ones of the epoch after `epochs`.

    `best`: the network to end with so far, see `Settings.kept`; a mean of `averaged` networks.
    """

    network: FloatNetwork
    mean: Reals
    square: Reals
    best: FloatNetwork
    steps: int = 0
    chunk: int = 0
    batch: int = 0
    loss: float = 0.0
    averaged: int = 0
    epochs: list[Epoch] = field(default_factory=list)

    @classmethod
    def start(cls, network: FloatNetwork) -> DescentState:
        """Before the first batch."""
        zeros = np.zeros_like(network.values)
        return cls(network.copy(), zeros, zeros.copy(), network)


@dataclass(slots=True)
class Checkpoint:
    """`plan`: in JSON. `contents`: `Corpus.contents`, None before the first files are read."""

    plan: dict[str, Any]
    state: DescentState
    contents: dict[str, tuple[int, str]] | None = None

    def save(self, path: Path) -> None:
        state = self.state
        described = {
            "plan": self.plan,
            "contents": self.contents,
            **{name: getattr(state, name) for name in _NUMBERS},
            "width": state.network.width,
            "places": state.network.places,
            "epochs": [asdict(epoch) for epoch in state.epochs],
        }
        arrays = (state.network.values, state.mean, state.square, state.best.values)
        path.parent.mkdir(parents=True, exist_ok=True)
        with writing(path) as file:
            named: dict[str, Any] = dict(zip(_ARRAYS, arrays, strict=True))
            np.savez(file, described=np.array(json.dumps(described)), **named)

    @classmethod
    def load(cls, path: Path, plan: dict[str, Any]) -> Checkpoint | None:
        """None if there is no file. Raises ValueError for a checkpoint of another plan, or a damaged one."""
        try:
            found = cls._read(path)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise ValueError(f"{path}: cannot be read: {error.strerror or error}") from None
        except _DAMAGES:
            raise ValueError(
                f"{path}: cannot be read: it is damaged or of another version; delete it to start over"
            ) from None
        before, now = dict(_leaves(found.plan)), dict(_leaves(plan))
        for key in sorted(before.keys() | now.keys()):
            if before.get(key) != now.get(key):
                raise ValueError(
                    f"{path} belongs to another training: {key} was {before.get(key)} and is {now.get(key)}"
                )
        return found

    @classmethod
    def _read(cls, path: Path) -> Checkpoint:
        with path.open("rb") as file:
            with zipfile.ZipFile(file) as archive:
                if archive.testzip() is not None:
                    raise zipfile.BadZipFile
            file.seek(0)
            with np.load(file) as kept:
                described = json.loads(str(kept["described"]))
                values, mean, square, best = (kept[name] for name in _ARRAYS)
        width, places = described["width"], tuple(described["places"])
        state = DescentState(
            network=FloatNetwork(width, places, values),
            mean=mean,
            square=square,
            best=FloatNetwork(width, places, best),
            epochs=[Epoch(**epoch) for epoch in described["epochs"]],
            **{name: described[name] for name in _NUMBERS},
        )
        plan = dict(described["plan"].items())
        return cls(plan, state, described["contents"])


def _leaves(plan: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in plan.items():
        yield from _leaves(value) if isinstance(value, dict) else [(key, value)]


class Device(Protocol):
    """The arithmetic of one descent, whose state it knows."""

    def take(self, examples: Examples) -> None:
        """Learn from these from now on, and forget those before."""

    def learn(self, rows: Rows, rate: float, step: int) -> float:
        """Make step `step`, from 1, from these examples. The sum of their losses before it, in nats."""

    def judge(self, network: FloatNetwork, examples: Examples) -> Reals:
        """The logits of other examples, from the mover's point of view."""

    def save(self) -> None:
        """Bring the arrays of the state up to date."""


def open_device(name: str, state: DescentState, threads: int, decay: float = 0.0) -> Device:
    if name == PROCESSOR:
        return Processor(state, threads, decay)
    try:
        from eval.training.torch_device import TorchDevice  # noqa: PLC0415 - an extra
    except ImportError:
        raise ValueError(f"PyTorch is not installed: {sys.executable} -m pip install torch") from None
    return TorchDevice(state, threads, decay, "cuda" if name == CUDA else "cpu")


class Processor(Device):
    def __init__(self, state: DescentState, threads: int, decay: float) -> None:
        self._threads = threads
        self._decay = decay
        self._values = state.network.values
        self._pool = ThreadPoolExecutor(threads)
        gradients = np.zeros((threads, len(self._values)), np.float32)
        self._parts = shares(len(self._values), threads)
        self._backward = [_backpropagation(state.network, each) for each in gradients]
        self._adam = AdamSteps(self._values, gradients.ravel(), state.mean, state.square, ADAM, LARGEST)

    def take(self, examples: Examples) -> None:
        self._words = positions.words(examples.records)
        self._targets = examples.targets

    def learn(self, rows: Rows, rate: float, step: int) -> float:
        def add_up(backward: Backpropagation, share: tuple[int, int]) -> float:
            loss: float = backward.learn(self._words, self._targets, rows, *share)
            return loss

        def descend(part: tuple[int, int]) -> None:
            self._values[slice(*part)] *= 1 - rate * self._decay
            self._adam.step(rate, step, len(rows), *part)

        losses = [*self._pool.map(add_up, self._backward, shares(len(rows), self._threads))]
        for _ in self._pool.map(descend, self._parts):
            pass
        return sum(losses)

    def judge(self, network: FloatNetwork, examples: Examples) -> Reals:
        words = positions.words(examples.records)
        rows = np.arange(len(examples.records), dtype=np.uint32)
        logits = np.empty(len(rows), np.float32)

        def work(share: tuple[int, int]) -> None:
            _backpropagation(network, np.empty_like(network.values)).judge(words, rows, logits, *share)

        for _ in self._pool.map(work, shares(len(rows), self._threads)):
            pass
        return logits

    def save(self) -> None:
        """Do nothing: the arrays of the state are those that learn."""


def shares(length: int, count: int) -> list[tuple[int, int]]:
    return list(pairwise(length * number // count for number in range(count + 1)))


def _backpropagation(network: FloatNetwork, gradients: Reals) -> Backpropagation:
    return Backpropagation(network.values, gradients, network.width, network.places)


class Descent:
    """The same corpus, plan, start and device give the same network."""

    def __init__(self, corpus: Corpus, plan: NetworkPlan, state: DescentState, device: Device) -> None:
        self._corpus = corpus
        self._plan = plan
        self._device = device
        self.state = state
        self.validation = corpus.validation(plan.last_share, plan.foresight)
        if not corpus.blocks or not len(self.validation.records):
            raise RecordsError("too few games for training and validation")
        self.chunks = min(ceil(corpus.size / plan.settings.chunk), len(corpus.blocks))
        """How many make an epoch."""
        self.part = 0.0
        """How much of the epoch is done, 0 to 1."""

    def run(self) -> Iterator[Epoch | None]:
        """Yield after each batch: None, or at the end of an epoch its losses."""
        state, settings = self.state, self._plan.settings
        first, total = len(state.epochs) * self.chunks + state.chunk, settings.epochs * self.chunks
        with ThreadPoolExecutor(1) as ahead:
            following = ahead.submit(self._read, min(first, total - 1))
            for number in range(first, total):
                examples, order = following.result()
                self._device.take(examples)
                del examples  # the chunk before is now forgotten, and there is room for the next
                if number + 1 < total:
                    following = ahead.submit(self._read, number + 1)
                batches = max(1, len(order) // settings.batch)
                for batch in range(state.batch, batches):
                    ends = batch == batches - 1
                    rows = order[batch * settings.batch : None if ends else (batch + 1) * settings.batch]
                    done = (number + batch / batches) / total
                    state.steps += 1
                    rate = settings.rate_at(done) * min(1.0, state.steps / _WARM_UP)
                    state.loss += self._device.learn(rows, rate, state.steps)
                    state.chunk, state.batch = (state.chunk + 1, 0) if ends else (state.chunk, batch + 1)
                    self._average(done, (number + (batch + 1) / batches) / total)
                    self.part = (state.chunk + state.batch / batches) / self.chunks
                    yield self._finish_epoch() if state.chunk == self.chunks else None

    def judge(self, network: FloatNetwork) -> Reals:
        return self._device.judge(network, self.validation)

    def _read(self, number: int) -> tuple[Examples, Rows]:
        """The `number`-th chunk of the training, and the order in which to learn from it."""
        epoch, place = divmod(number, self.chunks)
        seed, plan = self._plan.settings.seed, self._plan
        blocks = self._corpus.chunks(self.chunks, [seed, epoch, 0, 1])[place]
        share = plan.share_of(number, self.chunks * plan.settings.epochs)
        examples = self._corpus.examples(blocks, share, plan.foresight)
        order = np.arange(len(examples.records), dtype=np.uint32)
        np.random.default_rng([seed, epoch, place]).shuffle(order)
        return examples, order

    def _average(self, before: float, now: float) -> None:
        state = self.state
        if self._plan.settings.kept != MEAN or now <= 1 - _AVERAGED or int(100 * before) == int(100 * now):
            return
        self._device.save()
        state.averaged += 1
        share = np.float32(1 / state.averaged)
        mean = state.best.values + share * (state.network.values - state.best.values)
        state.best = replace(state.best, values=mean)

    def _finish_epoch(self) -> Epoch:
        self._device.save()
        state = self.state
        logits = self.judge(state.network)
        loss = float(losses(logits, self.validation.targets).mean(dtype=np.float64))
        if not isfinite(loss):
            raise RecordsError("the loss is no longer a number: try a lower learning rate")
        state.epochs.append(Epoch(len(state.epochs) + 1, state.loss / self._corpus.size, loss))
        if self._plan.settings.kept == LAST:
            state.best = state.network.copy()
        state.chunk = 0
        state.loss = 0.0
        return state.epochs[-1]


def losses(logits: Reals, targets: Any) -> Reals:
    """The cross entropy of each position, in nats."""
    found: Reals = np.logaddexp(np.float32(0), logits) - targets * logits
    return found


def judge_network(logits: Reals, examples: Examples) -> dict[str, Any]:
    """The quality of these logits: `total`, and lists of bands by `men` and by `plies`.

    A band has its name, the number of positions, and in nats the mean loss, the least possible one, and the
    loss against the results alone.
    """
    found, wanted = examples.records, examples.targets
    columns = {
        "loss": losses(logits, wanted),
        "least": -(xlogy(wanted, wanted) + xlogy(1 - wanted, 1 - wanted)),
        "result": losses(logits, found["result"].astype(np.float32) / 2),
    }

    def band(name: str, chosen: Any) -> dict[str, Any]:
        number = int(chosen.sum())
        means = {
            key: round(float(column[chosen].mean(dtype=np.float64)), 5) if number else 0.0
            for key, column in columns.items()
        }
        return {"name": name, "positions": number, **means}

    buckets = (positions.men(found).astype(int) - 1) // MEN_A_BUCKET
    plies = np.searchsorted(_PLIES, found["ply"], "right") - 1
    names = [*(f"{first} to {last - 1}" for first, last in pairwise(_PLIES)), f"from {_PLIES[-1]}"]
    return {
        "total": band("all", np.ones(len(found), np.bool_)),
        "men": [
            band(f"{number * MEN_A_BUCKET + 1} to {(number + 1) * MEN_A_BUCKET}", buckets == number)
            for number in range(OUTPUT_BUCKETS)
        ],
        "plies": [band(name, plies == number) for number, name in enumerate(names)],
    }


def train(
    plan: NetworkPlan,
    state_file: Path,
    say: Callable[[str], object],
    show: Callable[[int, str], object] = lambda *_: None,
) -> tuple[FloatNetwork, dict[str, Any]]:
    """The network, and how it learned, for its file.

    `say` gets lines about the training; `show`, after each batch, the epochs done and a status.

    Raises WeightsError, RecordsError, GameFileError, and ValueError if the checkpoint is of another training
    or `start` does not fit. SIGINT and SIGTERM raise KeyboardInterrupt, after a checkpoint.
    """
    started = time.monotonic()
    kept = Checkpoint.load(state_file, plan.described())
    if kept is None:
        kept = Checkpoint(plan.described(), DescentState.start(_network_before(plan)))
    else:
        say(f"Going on from {state_file}")
    folders = [(path, game_file.SUFFIX) for path in plan.games]
    folders += [(path, positions.SUFFIX) for path in plan.taught]
    settings, state = plan.settings, kept.state
    state_file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=state_file.parent) as file:
        found = positions.load(
            folders, settings.threads, settings.held_out, Scratch(file), say, kept.contents, plan.sampled
        )
        kept.contents = found.contents()
        data = [each.about() for each in found.generations]
        for each in data:
            games = f"{each['games']} games, " if each["games"] else ""
            logit = f"{1 / each['slope']:.1f} centipawns a logit"
            say(f"{each['name']}: {games}{each['positions']} positions, {logit}")
        device = open_device(settings.device, state, settings.threads, settings.decay)
        descent = Descent(found, plan, state, device)
        say(
            f"{found.size} positions to learn from, {len(descent.validation.records)} for validation;"
            f" read in {time.monotonic() - started:.0f} s"
        )
        kept.save(state_file)  # not earlier: after unusable data none may block the corrected command
        _descend(descent, device, settings, lambda: kept.save(state_file), say, show)
    judgement = judge_network(descent.judge(state.best), descent.validation)
    epochs = [asdict(epoch) for epoch in state.epochs]
    stage = {"name": GAMES, "data": data, "epochs": epochs, "judgement": judgement}
    return state.best, {**plan.described(), "stages": [stage]}


def _descend(
    descent: Descent,
    device: Device,
    settings: Settings,
    save: Callable[[], None],
    say: Callable[[str], object],
    show: Callable[[int, str], object],
) -> None:
    state = descent.state
    saved = started = time.monotonic()
    with postponed_interruption() as came:
        for learned, epoch in enumerate(descent.run(), start=1):
            now = time.monotonic()
            speed = f"{learned * settings.batch / max(now - started, 1e-9) / 1e6:.2f} million positions/s"
            if epoch is None:
                progress = f"{int(100 * descent.part)}% of an epoch, {speed}"
            else:
                progress = (
                    f"epoch {epoch.number}/{settings.epochs}: training {epoch.training:.5f}, "
                    f"validation {epoch.validation:.5f}; {speed}"
                )
                say(progress)
            show(len(state.epochs), progress)
            if epoch is not None or now - saved > _SECONDS_BETWEEN_CHECKPOINTS or came:
                device.save()
                save()
                saved = time.monotonic()
            if came:
                break


@contextmanager
def postponed_interruption() -> Iterator[list[int]]:
    """Keep the first SIGINT or SIGTERM in the list, and raise KeyboardInterrupt at the end."""
    came: list[int] = []
    outside: dict[signal.Signals, Any] = {}

    def note(number: int, _frame: FrameType | None) -> None:
        came.append(number)
        restore()

    def restore() -> None:
        for each, handler in outside.items():
            signal.signal(each, handler)

    for each in services.unignored_signals("SIGINT", "SIGTERM"):
        outside[each] = signal.signal(each, note)
    try:
        yield came
    finally:
        restore()
    if came:
        raise KeyboardInterrupt


def _network_before(plan: NetworkPlan) -> FloatNetwork:
    """What the training begins with. Raises WeightsError, and ValueError if `start` does not fit."""
    places = king_places(plan.king_buckets)
    if plan.start is None:
        return FloatNetwork.drawn(plan.width, places, plan.settings.seed)
    network = FloatNetwork.of_file(load_network(plan.start))
    if network.width != plan.width:
        raise ValueError(f"{plan.start}: its width is {network.width}, not {plan.width}")
    return network.with_places(places)
