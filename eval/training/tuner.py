"""Learning the weights of the linear evaluation: gradient descent on the logistic loss of values.

The loss is the cross entropy, in nats a position, of White's expected points (see `positions.expected`). Adam
(D. P. Kingma and J. Ba, 2015, https://arxiv.org/abs/1412.6980) descends, with a learning rate that falls
along a cosine. A prior holds weights near their start if the games say little about them, and keeps a pawn
near 100: the loss alone does not change when all weights grow and the slope shrinks.
"""

import hashlib
import zipfile
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from functools import cache
from math import cos, pi
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse

from engine.system.files import writing
from eval.evaluator import FULL_PHASE, FULL_SCALE
from eval.features import WEIGHTS
from eval.linear import Linear
from eval.training import game_file
from eval.training.positions import Reals, expected, fit_slope
from eval.weight_file import LARGEST_WEIGHT, STANDARD, Weights
from eval.weight_file import load as load_weights

Columns = dict[str, npt.NDArray[np.generic]]
"""`lengths`: the number of `indices` and `counts` (White's minus Black's) of each position. `material`
(White's centipawns), `phase`, `scale`: as in `Trace`. `score`, in White's centipawns, `result`, 1, 0 or -1,
and the number of the `game`."""

Rows = npt.NDArray[np.intp]
Table = npt.NDArray[np.float64]
"""Weights in centipawns, two rows: middle game and endgame."""

_KEY = "key"
_GAME_BITS = 32
_LAST_RATE = 0.01
_DECAY, _SQUARE_DECAY, _TINY = 0.9, 0.999, 1e-12
MATERIAL = "material"
"""The name of weights that are all 0: a position is worth its material."""


class TuningError(ValueError):
    """The games cannot be learned from. The message says why."""


def kept_path(path: Path) -> Path:
    """games-00012.counts.npz for games-00012.games."""
    return path.with_suffix(".counts.npz")


def keep_features(path: Path) -> None:
    """Extract the features of the positions in a file, and keep them beside it, unless they are there."""
    state = path.stat()
    key = f"{state.st_size} {state.st_mtime_ns} {_fingerprint()}"
    try:
        with kept_path(path).open("rb") as file, np.load(file) as kept:
            if str(kept[_KEY]) == key:
                return
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        pass
    columns: dict[str, Any] = {_KEY: np.array(key), **extract(path)}
    with writing(kept_path(path)) as out:
        np.savez(out, **columns)


@cache
def _fingerprint() -> str:
    own = Path(__file__).parent
    sources = [path for path in own.parent.iterdir() if path.suffix in {".py", ".pxd"}]
    digest = hashlib.sha256()
    for source in sorted([*sources, Path(__file__), own / "game_file.py", Path(STANDARD)]):
        digest.update(source.read_bytes())
    return digest.hexdigest()


def extract(path: Path) -> Columns:
    """The scale of drawish endings depends on which side is ahead by the weights learned before."""
    evaluator = Linear(load_weights(STANDARD))
    columns = {
        name: array(kind)
        for name, kind in (
            *(("lengths", "H"), ("indices", "H"), ("counts", "b"), ("material", "i")),
            *(("phase", "B"), ("scale", "B"), ("score", "h"), ("result", "b"), ("game", "I")),
        )
    }
    for game in game_file.games(path):
        scores = game.plies["score"].tolist()
        for ply, position in game.kept():
            trace = evaluator.trace(position)
            if trace.known:
                continue
            row = {index: white - black for index, (white, black) in trace.counts.items() if white != black}
            columns["indices"].extend(row.keys())
            columns["counts"].extend(row.values())
            for name, value in (
                *(("lengths", len(row)), ("material", trace.material), ("phase", trace.phase)),
                *(("scale", trace.scale), ("score", -scores[ply] if position.side else scores[ply])),
                *(("result", game.result), ("game", game.number)),
            ):
                columns[name].append(value)
    return {name: np.array(column) for name, column in columns.items()}


@dataclass(frozen=True, slots=True)
class Dataset:
    """A row for each position, from White's point of view.

    `counts`: sparse, White's minus Black's, a column for each weight. `material`: centipawns. `middle`,
    `endgame`: the weights of both stages in the value, 0 to 1; their sum is below 1 if the endgame is scaled
    down because it is hard to win. `score`: of the search, in centipawns. `result`, `targets`: points, 0 to
    1. `source`: the number of the folder. `game`: unique over all folders.
    """

    counts: Any
    material: Reals
    middle: Reals
    endgame: Reals
    score: Reals
    result: Reals
    source: npt.NDArray[np.int32]
    game: npt.NDArray[np.int64]
    targets: Reals

    def __len__(self) -> int:
        return len(self.material)

    def take(self, rows: Rows | slice) -> Self:
        return type(self)(**{field.name: getattr(self, field.name)[rows] for field in fields(self)})

    def values(self, weights: npt.NDArray[np.floating]) -> Reals:
        """White's centipawns, not rounded; `weights` has two rows, middle game and endgame."""
        middle, endgame = np.ascontiguousarray(weights, np.float32)
        value: Reals = self.middle * (self.material + self.counts @ middle)
        value += self.endgame * (self.material + self.counts @ endgame)
        return value

    def gradients(self, by_value: Reals) -> Table:
        """The gradient by the weights, in two rows, from the gradient by the values."""
        columns = self.counts.T
        return np.array([columns @ (by_value * self.middle), columns @ (by_value * self.endgame)], np.float64)


def load(folders: Sequence[Sequence[Path]], mix: float) -> Dataset:
    """Of files that `keep_features` has done, by folder. `mix`: see `targets_of`."""
    parts = []
    for source, paths in enumerate(folders):
        for path in paths:
            with np.load(kept_path(path)) as kept:
                part: dict[str, Any] = {name: kept[name] for name in kept.files if name != _KEY}
            part["game"] = part["game"].astype(np.int64) + (source << _GAME_BITS)
            parts.append(part | {"source": np.full(len(part["game"]), source, np.int32)})
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    lengths, indices = columns["lengths"], columns["indices"].astype(np.int32)
    if not len(lengths):
        raise TuningError("no positions to learn from")
    starts = np.zeros(len(lengths) + 1, np.int64 if len(indices) >= 1 << 31 else np.int32)
    np.cumsum(lengths, out=starts[1:])
    phase = columns["phase"] / FULL_PHASE
    counts = sparse.csr_array((columns["counts"], indices, starts), shape=(len(lengths), WEIGHTS))
    score, result = columns["score"].astype(np.float32), ((columns["result"] + 1) / 2).astype(np.float32)
    return Dataset(
        counts=counts,
        material=columns["material"].astype(np.float32),
        middle=phase.astype(np.float32),
        endgame=((1 - phase) * columns["scale"] / FULL_SCALE).astype(np.float32),
        score=score,
        result=result,
        source=columns["source"],
        game=columns["game"],
        targets=targets_of(score, result, columns["source"], mix),
    )


def targets_of(score: Reals, result: Reals, source: Any, mix: float) -> Reals:
    """`mix` of the result, and the rest of the score, with a slope for each folder: evaluators may differ."""
    targets = np.empty_like(result)
    for number in np.unique(source):
        rows = source == number
        by_score = expected(fit_slope(score[rows], result[rows]), score[rows])
        targets[rows] = mix * result[rows] + (1 - mix) * by_score
    return targets


def split(data: Dataset, share: float, seed: int) -> tuple[Rows, Rows]:
    chance = np.random.default_rng(seed)
    games, game_of_row = np.unique(data.game, return_inverse=True)
    held_out = np.zeros(len(games), np.bool_)
    held_out[chance.permutation(len(games))[: round(share * len(games))]] = True
    judging = held_out[game_of_row]
    return chance.permutation(np.flatnonzero(~judging)), np.flatnonzero(judging)


@dataclass(frozen=True, slots=True)
class Judgement:
    """`slope` fits the values to the training targets; `training` and `validation`: the losses at that slope.

    `outcome` is the loss of the validation against the results alone.
    """

    slope: float
    training: float
    validation: float
    outcome: float


def judge(weights: npt.NDArray[np.floating], training: Dataset, validation: Dataset) -> Judgement:
    """`weights` in two rows; at the slope that fits them best."""
    values, judged = training.values(weights), validation.values(weights)
    slope = fit_slope(values, training.targets)
    return Judgement(
        slope,
        loss(slope, values, training.targets),
        loss(slope, judged, validation.targets),
        loss(fit_slope(values, training.result), judged, validation.result),
    )


def loss(slope: float, values: Reals, targets: Reals) -> float:
    """The mean loss in nats: log 2 for values of 0."""
    logits = np.float32(slope) * values
    return float(np.mean(np.logaddexp(np.float32(0), logits) - targets * logits, dtype=np.float64))


@dataclass(frozen=True, slots=True)
class TunerSettings:
    """`rate`: the first learning rate, in centipawns a step. `prior`: change of a weight, in centipawns.

    `repetition`: how many positions count as one, because those of a game are alike. `patience`: stop after
    this many epochs without a better validation loss.
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
    """After epoch `number`: the slope that fits best, and the losses without the prior."""

    number: int
    slope: float
    training: float
    validation: float


class Tuner:
    """`training` should be in random order. The same arguments give the same weights."""

    def __init__(self, training: Dataset, validation: Dataset, start: Table, settings: TunerSettings) -> None:
        starts = range(0, len(training), settings.batch)
        self._batches = [training.take(slice(first, first + settings.batch)) for first in starts]
        self._targets = training.targets
        self._validation = validation
        self._start = start
        self._settings = settings
        self._weights = start.copy()
        self._adam = Adam(start.shape)
        self._chance = np.random.default_rng(settings.seed)
        self._pull = settings.repetition / (settings.prior**2 * len(training))
        self.best = start.copy()
        """The weights of the epoch with the least validation loss so far."""

    def epochs(self) -> Iterator[Epoch]:
        best = epoch = self._judge(0)
        yield epoch
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
        steps = len(self._batches)
        for step, index in enumerate(self._chance.permutation(steps)):
            batch = self._batches[index]
            values = batch.values(self._weights)
            by_value = (expected(slope, values) - batch.targets) * np.float32(slope / len(batch))
            gradient = batch.gradients(by_value) + self._pull * (self._weights - self._start)
            progress = (number - 1 + step / steps) / self._settings.epochs
            rate = _LAST_RATE + (1 - _LAST_RATE) * (1 + cos(pi * progress)) / 2
            self._weights -= self._settings.rate * rate * self._adam.direction(gradient)

    def _judge(self, number: int) -> Epoch:
        values = np.concatenate([batch.values(self._weights) for batch in self._batches])
        slope = fit_slope(values, self._targets)
        judged = self._validation.values(self._weights)
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
        """About ±1 for each weight whose gradient has a constant sign."""
        self._steps += 1
        self._mean += (1 - _DECAY) * (gradient - self._mean)
        self._square += (1 - _SQUARE_DECAY) * (gradient**2 - self._square)
        mean = self._mean / (1 - _DECAY**self._steps)
        square = self._square / (1 - _SQUARE_DECAY**self._steps)
        return mean / (np.sqrt(square) + _TINY)


def table_of(weights: Weights) -> Table:
    return np.array([weights.middle, weights.endgame], np.float64)


def zero_table() -> Table:
    return np.zeros((2, WEIGHTS))


def rounded(table: Table) -> Weights:
    middle, endgame = np.clip(np.rint(table), -LARGEST_WEIGHT, LARGEST_WEIGHT).astype(int).tolist()
    return Weights(tuple(middle), tuple(endgame))


def learn(
    data: Dataset,
    sources: Sequence[tuple[str, dict[str, Any]]],
    start: tuple[str, Weights],
    settings: TunerSettings,
    tell: Callable[[Epoch], object],
    *,
    mix: float,
    held_out: float,
) -> tuple[Weights, dict[str, Judgement]]:
    """Learn, and call `tell` after each epoch. Raises TuningError if there are too few games.

    `sources`: the names of the folders, and how their games were played. `start`: the first weights and their
    name. `mix`: as in `load`. `held_out`: the share of games for validation.
    """
    rows, judging = split(data, held_out, settings.seed)
    if not len(rows) or not len(judging):
        raise TuningError("too few games for training and validation")
    training, validation = data.take(rows), data.take(judging)
    origin, weights = start
    before = table_of(weights)
    tuner = Tuner(training, validation, before, settings)
    for epoch in tuner.epochs():
        tell(epoch)
    learned = rounded(tuner.best)
    tables = {MATERIAL: zero_table(), origin: before, "learned": table_of(learned)}
    judgements = {name: judge(table, training, validation) for name, table in tables.items()}
    about = {
        "made": datetime.now(UTC).date().isoformat(),
        "start": origin,
        "data": [
            {
                "name": name,
                "games": len(np.unique(data.game[data.source == number])),
                "positions": int((data.source == number).sum()),
                "played": played,
            }
            for number, (name, played) in enumerate(sources)
        ],
        "positions": {"training": len(training), "validation": len(validation)},
        "settings": {"mix": mix, "held out": held_out, **asdict(settings)},
        "loss": {
            name: {
                "training": round(found.training, 5),
                "validation": round(found.validation, 5),
                "validation against results": round(found.outcome, 5),
            }
            for name, found in judgements.items()
        },
    }
    return replace(learned, outcome=weights.outcome, about=about), judgements
