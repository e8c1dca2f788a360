"""Training a network: first on the static values of positions that a search asks about, then on games."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from eval.learning import checkpoint, corpus, game_file, records
from eval.learning.checkpoint import Checkpoint
from eval.learning.float_network import FloatNetwork, king_places
from eval.learning.network_judgement import NetworkJudgement, judge_network
from eval.learning.network_learning import DescentState, Examples, NetworkDescent, StageSettings
from eval.learning.targets import count, fit_slope, targets
from eval.network_file import load_network

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Protocol

    from eval.learning.corpus import Corpus, Generation
    from eval.learning.network_learning import NetworkEpoch

    class Teller(Protocol):
        """Is told how a training goes."""

        def say(self, line: str) -> None:
            """Something that is worth a line."""

        def read(self, file: str) -> None:
            """A file has been read."""

        def show(self, epoch: int, done: int, total: int, positions: float) -> None:
            """`done` of `total` batches of a stage are learned, at `positions` a second."""


STATIC, GAMES = "static values", "games"
"""The names of the stages."""

_SECONDS_BETWEEN_CHECKPOINTS = 180.0


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """What to learn from, and how.

    `share` is that of the game's result in the targets of games. `scale` is how many centipawns a logit stands
    for, in the static values and in the network. `start` is the file of a network to go on from.
    """

    games: tuple[Path, ...]
    asked: tuple[Path, ...]
    width: int
    king_buckets: int
    start: Path | None
    share: float
    scale: int
    seed: int
    static: StageSettings
    on_games: StageSettings

    def described(self) -> dict[str, Any]:
        """The plan in JSON."""
        return {
            "games": [path.resolve().name for path in self.games],
            "asked": [path.resolve().name for path in self.asked],
            "width": self.width,
            "king_buckets": self.king_buckets,
            "start": None if self.start is None else self.start.name,
            "share": self.share,
            "scale": self.scale,
            "seed": self.seed,
            **{name.replace(" ", "_"): _settings(each) for name, each in self.stages()},
        }

    def stages(self) -> list[tuple[str, StageSettings]]:
        """The stages, in order."""
        found = [(STATIC, self.static)] if self.asked else []
        return [*found, (GAMES, self.on_games)] if self.games else found


@dataclass(frozen=True, slots=True)
class Trained:
    """A network, how it judges the last stage's validation, and how it was made."""

    network: FloatNetwork
    judgement: NetworkJudgement
    about: dict[str, Any]


def train(plan: TrainingPlan, state_file: Path, teller: Teller) -> Trained:
    """Train, from `state_file` if a training with this plan was cut short.

    Raises CheckpointError, GameFileError, RecordError, OSError, WeightsError, and ValueError where the network
    to start from does not fit.
    """
    kept = checkpoint.load(state_file, plan.described())
    if kept is None:
        kept = Checkpoint(plan.described(), DescentState.start(_first_network(plan)))
    else:
        teller.say(f"Going on with {state_file}")
    stages = plan.stages()
    for number in range(kept.stage, len(stages)):
        name, settings = stages[number]
        judgement = _learn_stage(plan, name, settings, kept, state_file, teller)
        network = kept.state.best
        if number + 1 < len(stages):
            kept.stage = number + 1
            kept.state = DescentState.start(network)
            kept.save(state_file)
    return Trained(network, judgement, {**plan.described(), "stages": kept.done})


def _first_network(plan: TrainingPlan) -> FloatNetwork:
    places = king_places(plan.king_buckets)
    if plan.start is None:
        return FloatNetwork.drawn(plan.width, places, plan.seed)
    network = FloatNetwork.of_file(load_network(plan.start))
    if network.width != plan.width:
        raise ValueError(f"{plan.start}: its width is {network.width}, not {plan.width}")
    return network.with_places(places)


def _learn_stage(  # noqa: PLR0913, PLR0917
    plan: TrainingPlan,
    name: str,
    settings: StageSettings,
    kept: Checkpoint,
    state_file: Path,
    teller: Teller,
) -> NetworkJudgement:
    started = time.monotonic()
    found = _load(plan, name, settings.threads, kept.sizes.get(name), teller)
    kept.sizes[name] = found.sizes()
    examples, slopes = _examples(plan, name, found)
    for generation, slope in zip(found.generations, slopes, strict=True):
        teller.say(_line(generation, slope))
    descent = NetworkDescent(examples, settings, kept.state)
    teller.say(
        f"{name}: {len(descent.training)} positions to learn from, {len(descent.validation)} for validation; "
        f"read in {time.monotonic() - started:.0f} s"
    )
    _descend(descent, settings, kept, state_file, teller)
    judgement = judge_network(descent.judge(kept.state.best), examples, descent.validation)
    kept.done.append(
        {
            "name": name,
            "data": [
                {**generation.about(), "slope": round(slope, 7)}
                for generation, slope in zip(found.generations, slopes, strict=True)
            ],
            "epochs": [asdict(epoch) for epoch in kept.state.epochs],
            "judgement": judgement.about(),
        }
    )
    return judgement


def _descend(
    descent: NetworkDescent, settings: StageSettings, kept: Checkpoint, state_file: Path, teller: Teller
) -> None:
    saved = started = time.monotonic()
    learned = 0
    for epoch in descent.run():
        learned += 1
        now = time.monotonic()
        number = len(kept.state.epochs) + (epoch is None)
        done = len(kept.state.epochs) * descent.batches + kept.state.batch
        speed = learned * settings.batch / max(now - started, 1e-9)
        teller.show(number, done, descent.total, speed)
        if epoch is not None:
            teller.say(_epoch_line(epoch, settings.epochs, speed))
        if epoch is not None or now - saved > _SECONDS_BETWEEN_CHECKPOINTS:
            kept.save(state_file)
            saved = time.monotonic()


def _load(
    plan: TrainingPlan, name: str, threads: int, sizes: dict[str, int] | None, teller: Teller
) -> Corpus:
    if name == STATIC:
        return corpus.load(plan.asked, records.SUFFIX, threads, teller.read, sizes)
    return corpus.load(plan.games, game_file.SUFFIX, threads, teller.read, sizes)


def _examples(plan: TrainingPlan, name: str, found: Corpus) -> tuple[Examples, list[float]]:
    """The records with their targets, and the slope of each generation's scores."""
    made = np.empty(len(found.records), np.float32)
    slopes = []
    for generation in found.generations:
        part = found.records[generation.first : generation.last]
        slope = 1 / plan.scale if name == STATIC else fit_slope(count(part))
        slopes.append(slope)
        made[generation.first : generation.last] = targets(part, slope, plan.share if name == GAMES else 0)
    return Examples(found.records, made), slopes


def _line(generation: Generation, slope: float) -> str:
    about = generation.about()
    games = f"{about['games']} games, " if about["games"] else ""
    return f"{generation.name}: {games}{about['positions']} positions, {1 / slope:.1f} centipawns a logit"


def _epoch_line(epoch: NetworkEpoch, epochs: int, speed: float) -> str:
    return (
        f"{epoch.stage}, epoch {epoch.number}/{epochs}: training {epoch.training:.5f}, "
        f"validation {epoch.validation:.5f}; {speed / 1e6:.2f} million positions/s"
    )


def _settings(settings: StageSettings) -> dict[str, Any]:
    return {name: value for name, value in asdict(settings).items() if name not in {"name", "seed"}}
