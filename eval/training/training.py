"""Training a network: first on the static values of positions that a search asks about, then on games."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from eval.network_file import load_network
from eval.training import checkpoint, corpus, game_file, records
from eval.training.checkpoint import TrainingCheckpoint
from eval.training.devices import open_device
from eval.training.float_network import FloatNetwork, king_places
from eval.training.interruption import PostponedInterruption
from eval.training.network_judgement import NetworkJudgement, judge_network
from eval.training.network_learning import DescentState, NetworkDescent, NetworkExamples, StageSettings
from eval.training.targets import count, slope_of, targets

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from eval.training.corpus import Corpus
    from eval.training.network_learning import LearningDevice, NetworkEpoch

STATIC, GAMES = "static values", "games"
"""The names of the stages."""

_SECONDS_BETWEEN_CHECKPOINTS = 180.0


class Teller(Protocol):
    """Is told how a training goes."""

    def say(self, line: str) -> None:
        """Something that is worth a line."""

    def read(self, file: str) -> None:
        """A file has been read."""

    def show(self, epoch: int, done: int, total: int, speed: float) -> None:
        """`done` of `total` batches of a stage are learned, at `speed` positions a second."""


@dataclass(frozen=True, slots=True)
class NetworkPlan:
    """What to learn from, and how.

    `taught` positions are learned among those of games, by their score alone. `share` is the part of the
    game's result in the targets of games, and `foresight` that of later scores, see `targets`. `scale` is how
    many centipawns a logit stands for, in the static values and in the network. `start` is the file of a
    network to go on from. Where the network with the least validation loss is kept, that can be the one of
    `start`, which is only fair if it did not learn from the validation games. `sampled` says how the asked
    and the taught positions were made, where that is known.
    """

    games: tuple[Path, ...]
    asked: tuple[Path, ...]
    taught: tuple[Path, ...]
    width: int
    king_buckets: int
    start: Path | None
    share: float
    foresight: float
    scale: int
    seed: int
    static: StageSettings
    on_games: StageSettings
    sampled: Mapping[Path, dict[str, Any]] = field(default_factory=dict)

    def described(self) -> dict[str, Any]:
        """The plan in JSON. Raises OSError where the file to start from cannot be read."""
        return {
            "games": [path.resolve().name for path in self.games],
            "asked": [path.resolve().name for path in self.asked],
            "taught": [path.resolve().name for path in self.taught],
            "width": self.width,
            "king_buckets": self.king_buckets,
            "start": None if self.start is None else f"{self.start.name} {corpus.digest(self.start)}",
            "share": self.share,
            "foresight": self.foresight,
            "scale": self.scale,
            "seed": self.seed,
            "settings": {each.name: each.described() for each in self.stages()},
        }

    def stages(self) -> list[StageSettings]:
        """The stages, in order."""
        stages = [(self.asked, self.static), (self.games, self.on_games)]
        return [settings for paths, settings in stages if paths]


@dataclass(frozen=True, slots=True)
class Trained:
    """A network, how it judges the last stage's validation, and how it was made."""

    network: FloatNetwork
    judgement: NetworkJudgement
    about: dict[str, Any]


class Training:
    """A training that goes on where it was if it is cut short."""

    def __init__(self, plan: NetworkPlan, state_file: Path, teller: Teller) -> None:
        """Begin, or go on from `state_file`.

        Raises CheckpointError, WeightsError, and ValueError where the network to start from does not fit.
        """
        self._plan = plan
        self._file = state_file
        self._teller = teller
        kept = checkpoint.load(state_file, plan.described())
        if kept is not None:
            teller.say(f"Going on from {state_file}")
        self._candidate = _candidate(plan)
        first = DescentState.start(self._candidate or _drawn(plan), self._candidate)
        self._kept = kept or TrainingCheckpoint(plan.described(), first)

    def run(self) -> Trained:
        """Go through all stages. Raises DeviceError, GameFileError, RecordsError and OSError.

        SIGINT and SIGTERM raise KeyboardInterrupt, once what has been learned is kept.
        """
        stages = self._plan.stages()
        judgement = None
        for number in range(self._kept.stage, len(stages)):
            if judgement is not None:
                self._begin(number)
            judgement = self._learn(stages[number])
        assert judgement is not None  # noqa: S101 - a training has a stage
        about = {**self._plan.described(), "stages": self._kept.done}
        return Trained(self._kept.state.best, judgement, about)

    def _begin(self, number: int) -> None:
        """Begin a stage with the best network of the one before."""
        self._kept.stage = number
        self._kept.state = DescentState.start(self._kept.state.best, self._candidate)
        self._kept.save(self._file)

    def _learn(self, settings: StageSettings) -> NetworkJudgement:
        """Learn one stage, and note what is to be known of it."""
        started = time.monotonic()
        found = self._load(settings)
        self._kept.contents[settings.name] = found.contents()
        self._kept.save(self._file)
        examples, data = _examples(self._plan, found)
        for each in data:
            self._teller.say(_generation_line(each))
        device = open_device(settings.device, examples, self._kept.state, settings.threads)
        descent = NetworkDescent(examples, settings, self._kept.state, device)
        self._teller.say(
            f"{settings.name}: {len(descent.training)} positions to learn from, {len(descent.validation)} for"
            f" validation; read in {time.monotonic() - started:.0f} s"
        )
        self._descend(descent, device, settings)
        seen = {epoch.validation for epoch in self._kept.state.epochs}
        if self._candidate is not None and self._kept.state.least not in seen:
            self._teller.say(f"{settings.name}: no epoch was better than {self._plan.start}, which is kept")
        judgement = judge_network(descent.judge(self._kept.state.best), examples, descent.validation)
        epochs = [asdict(epoch) for epoch in self._kept.state.epochs]
        self._kept.done.append(
            {"name": settings.name, "data": data, "epochs": epochs, "judgement": judgement.about()}
        )
        return judgement

    def _load(self, settings: StageSettings) -> Corpus:
        plan = self._plan
        if settings.name == STATIC:
            found = [(path, records.SUFFIX) for path in plan.asked]
        else:
            found = [(path, game_file.SUFFIX) for path in plan.games]
            found += [(path, records.SUFFIX) for path in plan.taught]
        return corpus.load(
            found,
            settings.threads,
            self._teller.read,
            self._kept.contents.get(settings.name),
            plan.sampled,
        )

    def _descend(self, descent: NetworkDescent, device: LearningDevice, settings: StageSettings) -> None:
        """Learn all batches of a stage. Checkpoints: after each epoch, now and then, when interrupted."""
        state = self._kept.state
        saved = started = time.monotonic()
        with PostponedInterruption() as interruption:
            for learned, epoch in enumerate(descent.run(), start=1):
                now = time.monotonic()
                speed = learned * settings.batch / max(now - started, 1e-9)
                done = len(state.epochs) * descent.batches + state.batch
                self._teller.show(len(state.epochs) + (epoch is None), done, descent.total, speed)
                if epoch is not None:
                    self._teller.say(_epoch_line(epoch, settings.epochs, speed))
                is_due = now - saved > _SECONDS_BETWEEN_CHECKPOINTS
                if epoch is not None or is_due or interruption.came:
                    device.save()
                    self._kept.save(self._file)
                    saved = time.monotonic()
                if interruption.came:
                    break


def _drawn(plan: NetworkPlan) -> FloatNetwork:
    return FloatNetwork.drawn(plan.width, king_places(plan.king_buckets), plan.seed)


def _candidate(plan: NetworkPlan) -> FloatNetwork | None:
    """The network to go on from. Raises WeightsError, and ValueError where it does not fit."""
    if plan.start is None:
        return None
    network = FloatNetwork.of_file(load_network(plan.start))
    if network.width != plan.width:
        raise ValueError(f"{plan.start}: its width is {network.width}, not {plan.width}")
    return network.with_places(king_places(plan.king_buckets))


def _examples(plan: NetworkPlan, found: Corpus) -> tuple[NetworkExamples, list[dict[str, Any]]]:
    """The records with their targets; and of each generation a record with the slope of its scores.

    Taught positions have no results to fit a slope to, and take that of the last generation of games.
    """
    made = np.empty(len(found.records), np.float32)
    data = []
    slope = 1 / plan.scale
    played = 0
    for generation in found.generations:
        part = found.records[generation.first : generation.last]
        share = foresight = 0.0
        if generation.suffix == game_file.SUFFIX:
            slope, share, foresight = slope_of(count(part)), plan.share, plan.foresight
            played = generation.last
        made[generation.first : generation.last] = targets(part, slope, share, foresight)
        data.append({**generation.about(), "slope": round(slope, 7)})
    return NetworkExamples(found.records, made, played or len(made)), data


def _generation_line(about: dict[str, Any]) -> str:
    games = f"{about['games']} games, " if about["games"] else ""
    return (
        f"{about['name']}: {games}{about['positions']} positions, {1 / about['slope']:.1f} centipawns a logit"
    )


def _epoch_line(epoch: NetworkEpoch, epochs: int, speed: float) -> str:
    return (
        f"{epoch.stage}, epoch {epoch.number}/{epochs}: training {epoch.training:.5f}, "
        f"validation {epoch.validation:.5f}; {speed / 1e6:.2f} million positions/s"
    )
