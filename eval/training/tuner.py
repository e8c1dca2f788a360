"""Learning the weights of the linear evaluation: gradient descent on the logistic loss of values.

The loss is the cross entropy, in nats a position, of White's expected points (see `positions.expected`). Adam
(D. P. Kingma and J. Ba, 2015, https://arxiv.org/abs/1412.6980) descends, with a learning rate that falls
along a cosine. A prior holds weights near their start if the games say little about them, and keeps a pawn
near 100: the loss alone does not change when all weights grow and the slope shrinks.
"""

import hashlib
import signal
import zipfile
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from functools import cache
from math import cos, pi, sqrt
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import xlogy

from engine.system.files import writing
from eval.evaluator import FULL_PHASE, FULL_SCALE
from eval.features import FEATURES, WEIGHTS
from eval.linear import Linear
from eval.training import game_file
from eval.training.positions import Reals, expected, fit_slope
from eval.weight_file import LARGEST_WEIGHT, Weights

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
HAND = "set by hand"
"""The name of the weights of `hand_set`."""


class TuningError(ValueError):
    """The games cannot be learned from. The message says why."""


def kept_path(path: Path) -> Path:
    """games-00012.counts.npz for games-00012.games."""
    return path.with_suffix(".counts.npz")


def prepare(paths: Sequence[Path], workers: int) -> Iterator[Path]:
    """Extract missing features, in processes if `workers` > 1, yielding each file when it has them."""
    if workers == 1:
        for path in paths:
            _keep(path)
            yield path
        return
    with ProcessPoolExecutor(workers, get_context("spawn"), _leave_interrupts) as pool:
        try:
            yield from pool.map(_keep, paths)
        except BrokenProcessPool:
            raise TuningError(
                "a process that extracted features was killed, perhaps for lack of memory"
            ) from None
        finally:
            pool.shutdown(cancel_futures=True)


def _leave_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _keep(path: Path) -> Path:
    state = path.stat()
    key = f"{state.st_size} {state.st_mtime_ns} {_fingerprint()}"
    try:
        with kept_path(path).open("rb") as file, np.load(file) as kept:
            if str(kept[_KEY]) == key:
                return path
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        pass
    columns: dict[str, Any] = {_KEY: np.array(key), **extract(path)}
    with writing(kept_path(path)) as out:
        np.savez(out, **columns)
    return path


@cache
def _fingerprint() -> str:
    own = Path(__file__).parent
    sources = [path for path in own.parent.iterdir() if path.suffix in {".py", ".pxd"}]
    digest = hashlib.sha256()
    for source in sorted([*sources, Path(__file__), own / "game_file.py"]):
        digest.update(source.read_bytes())
    return digest.hexdigest()


def extract(path: Path) -> Columns:
    """The scale of drawish endings depends on which side is ahead by the weights set by hand."""
    evaluator = Linear(hand_set())
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

    def uses(self) -> npt.NDArray[np.int64]:
        return np.bincount(self.counts.indices, minlength=WEIGHTS)


def load(folders: Sequence[Sequence[Path]], mix: float) -> Dataset:
    """Of files that `prepare` has done, by folder. `mix`: see `targets_of`."""
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
    """The mean loss in nats: at least `least_loss`, and log 2 for values of 0."""
    logits = np.float32(slope) * values
    return float(np.mean(np.logaddexp(np.float32(0), logits) - targets * logits, dtype=np.float64))


def least_loss(targets: Reals) -> float:
    """The loss of a perfect prediction: the entropy of the targets."""
    return -float(np.mean(xlogy(targets, targets) + xlogy(1 - targets, 1 - targets), dtype=np.float64))


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


@dataclass(frozen=True, slots=True)
class Tuned:
    """`least`: the least possible validation loss; `uses`: `Dataset.uses` of the training positions."""

    weights: Weights
    before: Table
    epochs: Sequence[Epoch]
    judgements: dict[str, Judgement]
    least: float
    uses: npt.NDArray[np.int64]


def learn(
    data: Dataset,
    sources: Sequence[tuple[str, dict[str, Any]]],
    start: tuple[str, Weights],
    settings: TunerSettings,
    tell: Callable[[Epoch], object],
    *,
    mix: float,
    held_out: float,
) -> Tuned:
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
    epochs = []
    for epoch in tuner.epochs():
        tell(epoch)
        epochs.append(epoch)
    learned = rounded(tuner.best)
    tables = {"material": zero_table(), HAND: table_of(hand_set())}
    if origin != HAND:
        tables[f"before: {origin}"] = before
    tables["learned"] = table_of(learned)
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
    learned = replace(learned, outcome=weights.outcome, about=about)
    return Tuned(learned, before, epochs, judgements, least_loss(validation.targets), training.uses())


# Weights set by hand from common textbook advice, from which learning starts: short formulas in centipawns,
# (middle game, endgame), with the right sign and about the right size. Material stays 1, 3, 3, 5, 9; the rest
# of a piece's value is in its placement.

Pair = tuple[float, float]
"""Middle game and endgame, in centipawns."""

Part = dict[str, list[Pair]]
"""The weights of some features by name, in their order."""


def hand_set() -> Weights:
    """Sensible chess, but no model of the outcome."""
    parts = _placement() | _mobility() | _pieces() | _pawns() | _passed() | _threats() | _king()
    pairs = [pair for feature in FEATURES for pair in _checked(parts, feature.name, feature.size)]
    return Weights(
        middle=tuple(round(middle) for middle, _ in pairs),
        endgame=tuple(round(endgame) for _, endgame in pairs),
        about={"data": "set by hand"},
    )


def _checked(parts: Part, name: str, size: int) -> list[Pair]:
    pairs = parts[name]
    if len(pairs) != size:
        raise AssertionError(f"{name!r} has {len(pairs)} weights set by hand instead of {size}")
    return pairs


def _by_rank(formula: Callable[[int], Pair], ranks: Iterable[int] = range(1, 7)) -> list[Pair]:
    return [formula(rank) if rank in ranks else (0, 0) for rank in range(8)]


# Placement


def _placement() -> Part:
    squares = [(rank, file) for rank in range(8) for file in range(8)]
    own = (_pawn, _knight, _bishop, _rook, _queen, _own_king)
    near_king = (0, 2, 2, 1, 4)
    return {
        "placement": [formula(rank, file) for formula in own for rank, file in squares],
        "facing": [
            (factor * max(0, 4 - max(abs(rank - 7), abs(file - 6))), 0)
            for factor in near_king
            for rank, file in squares
        ],
    }


def _middle(line: int) -> int:
    return min(line, 7 - line)


def _pawn(rank: int, file: int) -> Pair:
    if rank in {0, 7}:
        return 0, 0
    return 3 * (_middle(file) - 1) * (min(rank, 4) - 1) - 5, 4 * (rank - 2) + 10


def _knight(rank: int, file: int) -> Pair:
    inside = _middle(rank) + _middle(file)
    return 5 * inside - 12 + 3 * min(rank, 5), 4 * inside - 10


def _bishop(rank: int, file: int) -> Pair:
    inside = _middle(rank) + _middle(file)
    return 2 * inside + 6 + 5 * (rank > 0), 2 * inside + 4


def _rook(rank: int, file: int) -> Pair:
    return 2 * _middle(file) - 5, 10 + 2 * min(rank, 5)


def _queen(rank: int, file: int) -> Pair:
    inside = _middle(rank) + _middle(file)
    return inside + 25 - 2 * max(0, rank - 4), 5 * inside + 20


def _own_king(rank: int, file: int) -> Pair:
    wing = (12, 20, 5, -12, -12, -15, 20, 15)[file]
    return wing - (0, 15, 40, 60, 75, 90, 100, 110)[rank], 10 * (_middle(rank) + _middle(file)) - 25


# Pieces


def _mobility() -> Part:
    """Each further square counts less than the one before. Usual mobility is worth 0."""

    def curve(squares: int, usual: int, middle: float, endgame: float) -> list[Pair]:
        gains = [sqrt(reach + 1) - sqrt(usual + 1) for reach in range(squares)]
        return [(middle * gain, endgame * gain) for gain in gains]

    return {
        "knight mobility": curve(9, 4, 26, 24),
        "bishop mobility": curve(14, 6, 24, 24),
        "rook mobility": curve(15, 7, 13, 28),
        "queen mobility": curve(28, 13, 8, 16),
    }


def _pieces() -> Part:
    return {
        "bishop pair": [(25, 45)],
        "rook file": [(15, 8), (32, 14)],
        "rook on seventh": [(8, 22)],
        "outpost": [(26, 16), (16, 10)],
        "behind pawn": [(7, 2), (6, 2)],
        "bad bishop": [(-3, -5)],
        "knight with pawns": [(3, 3)],
        "rook with pawns": [(-3, -3)],
        "space": [(2, 0)],
        "tempo": [(14, 10)],
    }


# Pawns


def _pawns() -> Part:
    return {
        "isolated": [(-7, -9), (-14, -15)],
        "doubled": [(-7, -18)],
        "backward": [(-6, -8), (-13, -14)],
        "phalanx": _by_rank(lambda rank: (2 + 1.2 * rank * rank, rank * rank)),
        "supported": _by_rank(lambda rank: (4 + 1.2 * rank * rank, 2 + rank * rank), range(2, 7)),
    }


def _passed() -> Part:
    """`far` grows from 0 on the pawn's first rank to 25 on its last."""

    def far(rank: int) -> int:
        return (rank - 1) ** 2

    return {
        "passed": _by_rank(lambda rank: (4 + 3 * far(rank), 10 + 3.5 * far(rank))),
        "candidate": _by_rank(lambda rank: (2 + far(rank), 4 + 1.5 * far(rank))),
        "own king to passed": [(0, 5 * (3 - min(steps, 6))) for steps in range(8)],
        "enemy king to passed": [(0, 9 * (min(steps, 6) - 3)) for steps in range(8)],
        "blocked passed": _by_rank(lambda rank: (-0.7 * far(rank), -1.5 * far(rank))),
        "free passed": _by_rank(lambda rank: (0.4 * far(rank), 1.2 * far(rank))),
        "safe passed": _by_rank(lambda rank: (0.5 * far(rank), 1.2 * far(rank))),
        "defended passed": _by_rank(lambda rank: (0.4 * far(rank), 0.6 * far(rank))),
        "rook behind passed": [(6, 20), (-6, -20)],
        "unstoppable": [(400, 500)],
    }


# Threats and kings


def _threats() -> Part:
    return {
        "pawn threat": [(45, 30), (45, 32), (60, 35), (60, 35)],
        "minor threat": [(3, 10), (8, 8), (8, 8), (36, 36), (40, 44)],
        "rook threat": [(2, 10), (7, 12), (7, 12), (0, 4), (32, 30)],
        "king threat": [(10, 30)],
        "hanging": [(28, 18)],
        "push threat": [(18, 14)],
    }


def _king() -> Part:
    """Pawns before the own king, and attacks on the enemy king; both matter while there are queens."""
    weight_of_file = (1.0, 1.2, 0.9, 0.7)
    own_pawn = (-20, 20, 14, 2, -4, -8, -10, 0)
    enemy_pawn = (-4, -15, -32, -20, -8, 0, 0, 0)
    return {
        "shelter": [(factor * worth, 0) for factor in weight_of_file for worth in own_pawn],
        "storm": [(factor * worth, 0) for factor in weight_of_file for worth in enemy_pawn],
        "blocked storm": [(0.25 * worth, 0) if rank else (0, 0) for rank, worth in enumerate(enemy_pawn)],
        "ring attackers": [(5, 0), (4, 0), (5, 0), (4, 0)],
        "ring attacks": [(3, 0), (2, 0), (3, 0), (3, 2)],
        "safe checks": [(12, 2), (6, 2), (12, 3), (7, 4)],
        "danger": [(0.35 * units * units, 0.05 * units * units) for units in range(32)],
        "pawnless flank": [(-8, -25)],
        "castling rights": [(8, 0)],
    }
