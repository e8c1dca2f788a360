"""Training a network on games, and on positions that searches asked about, labelled by a search (`taught`).

Some epochs of Adam with learning rates that fall along a cosine, validated on whole games that are held out.
Checkpoints beside the network's file let a training resume after it was killed.
"""

from __future__ import annotations

import json
import signal
import sys
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from math import cos, inf, isfinite, pi
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
from eval.training.positions import Corpus, Reals, Records, RecordsError, count, slope_of, targets
from eval.training.trainer import AdamSteps, Backpropagation

Rows = npt.NDArray[np.uint32]

GAMES = "games"
"""The name of the training in what a network's file says of it; others once came before."""

LEAST, LAST = "least", "last"
"""Which network is kept: that with the least validation loss, or that of the last epoch."""

SCALE = 139
"""Centipawns a logit of what a network answers."""

LAST_RATE = 0.05
"""What part of the first learning rate is left at the end."""

PROCESSOR, TORCH_PROCESSOR, CUDA = "cpu", "cpu-torch", "cuda"
DEVICES = (PROCESSOR, TORCH_PROCESSOR, CUDA)
"""The compiled trainer, and PyTorch on the processor or a GPU."""

_WARM_UP = 50  # steps in which the learning rate grows to its full size
_SECONDS_BETWEEN_CHECKPOINTS = 180.0
_PLIES = (0, 20, 40, 60, 80, 120, 255)
_ARRAYS = ("values", "mean", "square", "best")
_DAMAGES = (
    *(ArithmeticError, AttributeError, EOFError, LookupError, RuntimeError, TypeError, ValueError),
    *(zipfile.BadZipFile, zlib.error),
)


@dataclass(frozen=True, slots=True)
class Settings:
    """`rate`: the first learning rate; each `held_out`-th game is for validation; `kept`: LEAST or LAST."""

    epochs: int
    batch: int
    rate: float
    held_out: int
    seed: int
    threads: int
    device: str = PROCESSOR
    kept: str = LEAST


@dataclass(frozen=True, slots=True)
class NetworkPlan:
    """What to learn from, and how.

    `taught`: positions learned among those of games, by their score alone. `share`: the part of the game's
    result in the targets of games; `foresight`: that of later scores, see `targets`. `start`: the file of a
    network to go on from. If the network with the least validation loss is kept, that can be `start`, which
    is only fair if it did not learn from the validation games. `sampled`: how the taught positions were made,
    if known.
    """

    games: tuple[Path, ...]
    taught: tuple[Path, ...]
    width: int
    king_buckets: int
    start: Path | None
    share: float
    foresight: float
    settings: Settings
    sampled: Mapping[Path, dict[str, Any]] = field(default_factory=dict)

    def described(self) -> dict[str, Any]:
        settings = asdict(self.settings)
        return {
            **{name: [path.resolve().name for path in getattr(self, name)] for name in ("games", "taught")},
            **{name: getattr(self, name) for name in ("width", "king_buckets", "share", "foresight")},
            "seed": settings.pop("seed"),
            "start": None if self.start is None else f"{self.start.name} {positions.digest(self.start)}",
            "settings": {GAMES: settings},
        }


@dataclass(frozen=True, slots=True)
class Examples:
    """Targets are the points that the mover can expect, 0 to 1; only the first `played` may be held out."""

    records: Records
    targets: Reals
    played: int


@dataclass(frozen=True, slots=True)
class Epoch:
    """The losses in nats after epoch `number`: while it ran, and of the validation at its end."""

    number: int
    training: float
    validation: float


@dataclass(slots=True)
class DescentState:
    """All that a descent needs to go on: `batch` is the next one of the epoch after `epochs`.

    `best`: the network to end with so far, see `Settings.kept`. `least`: its validation loss, None while
    unknown, infinite while there is no candidate.
    """

    network: FloatNetwork
    mean: Reals
    square: Reals
    best: FloatNetwork
    least: float | None = inf
    steps: int = 0
    batch: int = 0
    loss: float = 0.0
    epochs: list[Epoch] = field(default_factory=list)

    @classmethod
    def start(cls, network: FloatNetwork, candidate: FloatNetwork | None = None) -> DescentState:
        """Before the first batch. `candidate` is the best network unless an epoch has less loss."""
        zeros = np.zeros_like(network.values)
        least = inf if candidate is None else None
        return cls(network.copy(), zeros, zeros.copy(), candidate or network, least)


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
            **{name: getattr(state, name) for name in ("least", "steps", "batch", "loss")},
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
        for key in sorted(found.plan.keys() | plan.keys()):
            before, now = found.plan.get(key), plan.get(key)
            if before != now:
                raise ValueError(f"{path} belongs to another training: {key} was {before} and is {now}")
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
            **{name: described[name] for name in ("least", "steps", "batch", "loss")},
        )
        plan = dict(described["plan"].items())
        return cls(plan, state, described["contents"])


class Device(Protocol):
    """The arithmetic of one descent, whose examples and state it knows."""

    def learn(self, rows: Rows, rate: float, step: int) -> float:
        """Make step `step`, from 1, from these examples. The sum of their losses before it, in nats."""

    def judge(self, network: FloatNetwork, rows: Rows) -> Reals:
        """The logits of these examples, from the mover's point of view."""

    def save(self) -> None:
        """Bring the arrays of the state up to date."""


def open_device(name: str, examples: Examples, state: DescentState, threads: int) -> Device:
    if name == PROCESSOR:
        return Processor(examples, state, threads)
    try:
        from eval.training.torch_device import TorchDevice  # noqa: PLC0415 - an extra
    except ImportError:
        raise ValueError(f"PyTorch is not installed: {sys.executable} -m pip install torch") from None
    return TorchDevice(examples, state, threads, "cuda" if name == CUDA else "cpu")


class Processor(Device):
    def __init__(self, examples: Examples, state: DescentState, threads: int) -> None:
        self._words = positions.words(examples.records)
        self._targets = examples.targets
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads)
        values = state.network.values
        gradients = np.zeros((threads, len(values)), np.float32)
        self._parts = shares(len(values), threads)
        self._backward = [_backpropagation(state.network, each) for each in gradients]
        self._adam = AdamSteps(values, gradients.ravel(), state.mean, state.square, ADAM, LARGEST)

    def learn(self, rows: Rows, rate: float, step: int) -> float:
        def add_up(backward: Backpropagation, share: tuple[int, int]) -> float:
            loss: float = backward.learn(self._words, self._targets, rows, *share)
            return loss

        def descend(part: tuple[int, int]) -> None:
            self._adam.step(rate, step, len(rows), *part)

        losses = [*self._pool.map(add_up, self._backward, shares(len(rows), self._threads))]
        for _ in self._pool.map(descend, self._parts):
            pass
        return sum(losses)

    def judge(self, network: FloatNetwork, rows: Rows) -> Reals:
        logits = np.empty(len(rows), np.float32)

        def work(share: tuple[int, int]) -> None:
            _backpropagation(network, np.empty_like(network.values)).judge(self._words, rows, logits, *share)

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
    """The same examples, settings, start and device give the same network."""

    def __init__(self, examples: Examples, settings: Settings, state: DescentState, device: Device) -> None:
        self._examples = examples
        self.settings = settings
        self._device = device
        self.state = state
        self.training, self.validation = split(examples.records, settings.held_out, examples.played)
        if not len(self.training) or not len(self.validation):
            raise RecordsError("too few games for training and validation")
        self.batches = max(1, len(self.training) // settings.batch)
        """How many make an epoch."""

    def run(self) -> Iterator[Epoch | None]:
        """Yield after each batch: None, or at the end of an epoch its losses."""
        state, settings = self.state, self.settings
        if state.least is None:
            state.least = self._validation_loss(state.best)
        while len(state.epochs) < settings.epochs:
            chance = np.random.default_rng([settings.seed, len(state.epochs)])
            order = chance.permutation(self.training)
            while state.batch < self.batches:
                first = state.batch * settings.batch
                last = first + settings.batch if state.batch < self.batches - 1 else len(order)
                state.steps += 1
                state.loss += self._device.learn(order[first:last], self._rate(), state.steps)
                state.batch += 1
                if state.batch < self.batches:
                    yield None
            yield self._finish_epoch()

    def judge(self, network: FloatNetwork) -> Reals:
        return self._device.judge(network, self.validation)

    def _rate(self) -> float:
        done = (self.state.steps - 1) / (self.batches * self.settings.epochs)
        cosine = LAST_RATE + (1 - LAST_RATE) * (1 + cos(pi * done)) / 2
        return self.settings.rate * cosine * min(1.0, self.state.steps / _WARM_UP)

    def _finish_epoch(self) -> Epoch:
        self._device.save()
        state = self.state
        loss = self._validation_loss(state.network)
        if not isfinite(loss):
            raise RecordsError("the loss is no longer a number: try a lower learning rate")
        number = len(state.epochs) + 1
        state.epochs.append(Epoch(number, state.loss / len(self.training), loss))
        if state.least is None or loss < state.least or self.settings.kept == LAST:
            state.least = loss
            state.best = state.network.copy()
        state.batch = 0
        state.loss = 0.0
        return state.epochs[-1]

    def _validation_loss(self, network: FloatNetwork) -> float:
        wanted = self._examples.targets[self.validation]
        return float(losses(self.judge(network), wanted).mean(dtype=np.float64))


def losses(logits: Reals, targets: Any) -> Reals:
    """The cross entropy of each position, in nats."""
    found: Reals = np.logaddexp(np.float32(0), logits) - targets * logits
    return found


def split(found: Records, held_out: int, played: int) -> tuple[Rows, Rows]:
    """Later records of games with held-out numbers are in neither: they may be of the very same games."""
    held = found["game"] % held_out == held_out - 1
    judging = np.flatnonzero(held[:played])
    return np.flatnonzero(~held).astype(np.uint32), judging.astype(np.uint32)


def judge_network(logits: Reals, examples: Examples, rows: Rows) -> dict[str, Any]:
    """The quality of these logits: `total`, and lists of bands by `men` and by `plies`.

    A band has its name, the number of positions, and in nats the mean loss, the least possible one, and the
    loss against the results alone.
    """
    found = examples.records[rows]
    wanted = examples.targets[rows]
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
        "total": band("all", np.ones(len(rows), np.bool_)),
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
    if kept is not None:
        say(f"Going on from {state_file}")
    candidate = _candidate(plan)
    if kept is None:
        drawn = candidate or FloatNetwork.drawn(
            plan.width, king_places(plan.king_buckets), plan.settings.seed
        )
        kept = Checkpoint(plan.described(), DescentState.start(drawn, candidate))
    folders = [(path, game_file.SUFFIX) for path in plan.games]
    folders += [(path, positions.SUFFIX) for path in plan.taught]
    found = positions.load(folders, plan.settings.threads, say, kept.contents, plan.sampled)
    kept.contents = found.contents()
    kept.save(state_file)
    examples, data = _examples(plan, found)
    for each in data:
        games = f"{each['games']} games, " if each["games"] else ""
        logit = f"{1 / each['slope']:.1f} centipawns a logit"
        say(f"{each['name']}: {games}{each['positions']} positions, {logit}")
    state = kept.state
    device = open_device(plan.settings.device, examples, state, plan.settings.threads)
    descent = Descent(examples, plan.settings, state, device)
    say(
        f"{len(descent.training)} positions to learn from, {len(descent.validation)} for validation;"
        f" read in {time.monotonic() - started:.0f} s"
    )
    _descend(descent, device, lambda: kept.save(state_file), say, show)
    if candidate is not None and state.least not in {epoch.validation for epoch in state.epochs}:
        say(f"No epoch was better than {plan.start}, which is kept")
    judgement = judge_network(descent.judge(state.best), examples, descent.validation)
    epochs = [asdict(epoch) for epoch in state.epochs]
    stage = {"name": GAMES, "data": data, "epochs": epochs, "judgement": judgement}
    return state.best, {**plan.described(), "stages": [stage]}


def _descend(
    descent: Descent,
    device: Device,
    save: Callable[[], None],
    say: Callable[[str], object],
    show: Callable[[int, str], object],
) -> None:
    state, settings = descent.state, descent.settings
    saved = started = time.monotonic()
    with postponed_interruption() as came:
        for learned, epoch in enumerate(descent.run(), start=1):
            now = time.monotonic()
            speed = f"{learned * settings.batch / max(now - started, 1e-9) / 1e6:.2f} million positions/s"
            if epoch is None:
                progress = f"{100 * state.batch // descent.batches}% of an epoch, {speed}"
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


def _candidate(plan: NetworkPlan) -> FloatNetwork | None:
    if plan.start is None:
        return None
    network = FloatNetwork.of_file(load_network(plan.start))
    if network.width != plan.width:
        raise ValueError(f"{plan.start}: its width is {network.width}, not {plan.width}")
    return network.with_places(king_places(plan.king_buckets))


def _examples(plan: NetworkPlan, found: Corpus) -> tuple[Examples, list[dict[str, Any]]]:
    """Taught positions have no results to fit a slope to, and take that of the last generation of games."""
    made = np.empty(len(found.records), np.float32)
    data = []
    slope, played = 1 / SCALE, 0
    for generation in found.generations:
        part = found.records[generation.first : generation.last]
        share = foresight = 0.0
        if generation.suffix == game_file.SUFFIX:
            slope, share, foresight = slope_of(count(part)), plan.share, plan.foresight
            played = generation.last
        made[generation.first : generation.last] = targets(part, slope, share, foresight)
        data.append({**generation.about(), "slope": round(slope, 7)})
    return Examples(found.records, made, played), data
