"""The positions of self-play as a sparse matrix of their features.

The features of games-00012.games are extracted once and kept in games-00012.counts.npz, with a row for each
position whose value is the sum of its features; known endings are left out. The file is renewed when the
games, the features or the code that extracts them change.
"""

import hashlib
import json
import signal
import zipfile
from array import array
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import astuple, dataclass, fields
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse

from engine.system.files import writing
from eval.explanation import FULL_PHASE, FULL_SCALE
from eval.features import FEATURES, WEIGHTS
from eval.linear import Linear
from eval.training import samples
from eval.training.start import hand_set

Columns = dict[str, npt.NDArray[np.generic]]
"""Columns by name. `lengths`: the number of `indices` and `counts` (White's minus Black's) of each position.
`material` (White's centipawns), `phase`, `scale`: as in eval/explanation.py. `score`, `result`, `game`: as in
samples.SAMPLE."""

_KEY = "key"
_EVALUATION = Path(__file__).resolve().parent.parent


class ExtractionError(ValueError):
    """Samples cannot be used. The message names the file and the reason."""


def kept_path(path: Path) -> Path:
    """The file that keeps the features of a file of games or samples."""
    return path.with_suffix(".counts.npz")


def prepare(paths: Sequence[Path], workers: int) -> Iterator[Path]:
    """Extract the features of all files that lack them, yielding each file when it has them.

    More than one worker are separate processes. Raises ExtractionError and OSError.
    """
    missing = []
    for path in paths:
        if _is_kept(path):
            yield path
        else:
            missing.append(path)
    if workers == 1 or len(missing) == 1:
        for path in missing:
            _keep(path)
            yield path
    elif missing:
        processes = min(workers, len(missing))
        with ProcessPoolExecutor(processes, get_context("spawn"), _leave_interrupts) as pool:
            waiting = {pool.submit(_keep, path): path for path in missing}
            try:
                for future in as_completed(waiting):
                    future.result()
                    yield waiting[future]
            except BrokenProcessPool:
                raise ExtractionError(
                    "a process that extracted features was killed, perhaps for lack of memory"
                ) from None
            finally:
                pool.shutdown(cancel_futures=True)


def load_columns(path: Path) -> Columns:
    """The features of a file for which `prepare` was called. Raises OSError."""
    with np.load(kept_path(path)) as kept:
        return {name: kept[name] for name in kept.files if name != _KEY}


def extract(path: Path) -> Columns:
    """Extract the features of a file. Raises ExtractionError and OSError.

    The scale of drawish endings depends on which side is ahead by the weights set by hand.
    """
    evaluator = Linear(hand_set())
    lengths, indices, counts = array("H"), array("H"), array("b")
    material, phase, scale = array("i"), array("B"), array("B")
    records = samples.read([path])
    used = np.zeros(len(records), np.bool_)
    for number, record in enumerate(records):
        try:
            trace = evaluator.trace(samples.unpack(record))
        except ValueError as error:
            raise ExtractionError(f"{path}: sample {number} is not a position: {error}") from None
        if trace.known:
            continue
        used[number] = True
        row = {index: white - black for index, (white, black) in trace.counts.items() if white != black}
        lengths.append(len(row))
        indices.extend(row.keys())
        counts.extend(row.values())
        material.append(trace.material)
        phase.append(trace.phase)
        scale.append(trace.scale)
    columns = {"lengths": lengths, "indices": indices, "counts": counts}
    columns |= {"material": material, "phase": phase, "scale": scale}
    kept: Columns = {name: np.array(column) for name, column in columns.items()}
    return kept | {name: records[name][used] for name in ("score", "result", "game")}


def _leave_interrupts() -> None:
    """Ignore SIGINT: the parent process ends its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _is_kept(path: Path) -> bool:
    try:
        with kept_path(path).open("rb") as file, np.load(file) as kept:
            return str(kept[_KEY]) == _key(path)
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return False


def _keep(path: Path) -> None:
    """Write the features of a file, whole or not at all."""
    key = _key(path)
    kept: dict[str, Any] = {_KEY: np.array(key), **extract(path)}
    with writing(kept_path(path)) as file:
        np.savez(file, **kept)


def _key(path: Path) -> str:
    """A key that changes with the file and with the code that extracts features."""
    state = path.stat()
    return f"{state.st_size} {state.st_mtime_ns} {_fingerprint()}"


@cache
def _fingerprint() -> str:
    """A hash of the features and of the code that extracts them."""
    digest = hashlib.sha256(json.dumps([astuple(feature) for feature in FEATURES]).encode())
    digest.update(repr(hand_set()).encode())
    own = [Path(__file__), Path(samples.__file__)]
    for source in sorted([*_EVALUATION.glob("*.py"), *_EVALUATION.glob("*.pxd"), *own]):
        digest.update(source.read_bytes())
    return digest.hexdigest()


Reals = npt.NDArray[np.float32]
Rows = npt.NDArray[np.intp]

_GAME_BITS = 32


@dataclass(frozen=True, slots=True)
class Dataset:
    """A row for each position, from White's point of view.

    `counts`: sparse, White's minus Black's, a column for each weight. `material`: centipawns. `middle`,
    `endgame`: the weights of both stages in the value, 0 to 1. Their sum is below 1 where the endgame is
    scaled down because it is hard to win. `score`: of the search, in centipawns. `result`: 1 won, 0.5 drawn,
    0 lost. `source`: the number of the folder. `game`: unique over all folders.
    """

    counts: Any
    material: Reals
    middle: Reals
    endgame: Reals
    score: Reals
    result: Reals
    source: npt.NDArray[np.int32]
    game: npt.NDArray[np.int64]

    def __len__(self) -> int:
        """The number of positions."""
        return len(self.material)

    def take(self, rows: Rows | slice) -> Self:
        """The given rows, in the given order."""
        return type(self)(**{field.name: getattr(self, field.name)[rows] for field in fields(self)})

    def values(self, weights: npt.NDArray[np.floating]) -> Reals:
        """White's centipawns, not rounded; `weights` has two rows, middle game and endgame."""
        middle, endgame = np.ascontiguousarray(weights, np.float32)
        value: Reals = self.middle * (self.material + self.counts @ middle)
        value += self.endgame * (self.material + self.counts @ endgame)
        return value

    def gradients(self, by_value: Reals) -> npt.NDArray[np.float64]:
        """The gradient by the weights, in two rows, from the gradient by the values."""
        columns = self.counts.T
        stages = [columns @ (by_value * self.middle), columns @ (by_value * self.endgame)]
        return np.array(stages, np.float64)

    def uses(self) -> npt.NDArray[np.int64]:
        """For each weight the number of positions whose value depends on it."""
        return np.bincount(self.counts.indices, minlength=WEIGHTS)


def load(folders: Sequence[Sequence[Path]]) -> Dataset:
    """The positions of files for which `prepare` was called, by folder. Raises OSError."""
    parts = [_with_source(path, source) for source, paths in enumerate(folders) for path in paths]
    lengths = np.concatenate([part.pop("lengths") for part in parts])
    indices = np.concatenate([part.pop("indices") for part in parts], dtype=np.int32)
    counts = np.concatenate([part.pop("counts") for part in parts])
    starts = np.zeros(len(lengths) + 1, np.int64 if len(indices) >= 1 << 31 else np.int32)
    np.cumsum(lengths, out=starts[1:])
    columns: dict[str, Any] = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    phase = columns["phase"] / FULL_PHASE
    return Dataset(
        counts=sparse.csr_array((counts, indices, starts), shape=(len(lengths), WEIGHTS)),
        material=_reals(columns["material"]),
        middle=_reals(phase),
        endgame=_reals((1 - phase) * columns["scale"] / FULL_SCALE),
        score=_reals(columns["score"]),
        result=_reals((columns["result"] + 1) / 2),
        source=columns["source"].astype(np.int32),
        game=columns["game"].astype(np.int64),
    )


def split(data: Dataset, share: float, seed: int) -> tuple[Rows, Rows]:
    """Rows for training, shuffled, and for validation: all positions of about `share` of the games."""
    chance = np.random.default_rng(seed)
    games, game_of_row = np.unique(data.game, return_inverse=True)
    held_out = np.zeros(len(games), np.bool_)
    held_out[chance.permutation(len(games))[: round(share * len(games))]] = True
    judging = held_out[game_of_row]
    return chance.permutation(np.flatnonzero(~judging)), np.flatnonzero(judging)


def _with_source(path: Path, source: int) -> Columns:
    columns = load_columns(path)
    game = columns["game"].astype(np.int64) + (source << _GAME_BITS)
    return columns | {"game": game, "source": np.full(len(game), source)}


def _reals(column: npt.NDArray[Any]) -> Reals:
    return column.astype(np.float32)
