"""What the positions of self-play count, taken once and kept beside the samples.

block-00012.samples gives block-00012.counts.npz, with a row for each position whose value is the sum
of its features; known endings are left out. It is made anew when the samples, the features or the
code that counts them change.
"""

import hashlib
import json
import signal
import zipfile
from array import array
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import astuple
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from eval.features import FEATURES
from eval.learning import samples
from eval.learning.start import hand_set
from eval.linear import Linear

Columns = dict[str, npt.NDArray[np.generic]]
"""A block: `lengths`, how many of `indices` and `counts` (White's minus Black's) belong to each
position; `material` (White's centipawns), `phase`, `scale`, as `eval.explanation.Trace` has them; `score`,
`result`, `game`, as in samples.SAMPLE."""

_KEY = "key"
_EVALUATION = Path(__file__).resolve().parent.parent


class ExtractionError(ValueError):
    """Samples that cannot be used; the message names the file and the reason."""


def kept_path(path: Path) -> Path:
    """Where the counts of a file of samples are kept."""
    return path.with_suffix(".counts.npz")


def prepare(paths: Sequence[Path], workers: int) -> Iterator[Path]:
    """See to it that the counts of all these files are kept, yielding each file when it is done.

    With more than one worker they are processes. Raises ExtractionError, OSError.
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
                    "a process that counted features was killed: too little memory?"
                ) from None
            finally:
                pool.shutdown(cancel_futures=True)


def load(path: Path) -> Columns:
    """The counts of a file that `prepare` has done. Raises OSError."""
    with np.load(kept_path(path)) as kept:
        return {name: kept[name] for name in kept.files if name != _KEY}


def extract(path: Path) -> Columns:
    """The counts of a file of samples, made now. Raises ExtractionError, OSError.

    How far an ending is scaled down depends on who is ahead, to the weights set by hand.
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
            raise ExtractionError(f"{path}: sample {number} is no position: {error}") from None
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
    """Whoever gave the work also stops it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _is_kept(path: Path) -> bool:
    try:
        with kept_path(path).open("rb") as file, np.load(file) as kept:
            return str(kept[_KEY]) == _key(path)
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return False


def _keep(path: Path) -> None:
    """Write the counts of a file of samples, whole or not at all."""
    key = _key(path)
    target = kept_path(path)
    partial = target.with_name(target.name + ".partial")
    kept: dict[str, Any] = {_KEY: np.array(key), **extract(path)}
    with partial.open("wb") as file:
        np.savez(file, **kept)
    partial.replace(target)


def _key(path: Path) -> str:
    """What the counts of a file rest on."""
    state = path.stat()
    return f"{state.st_size} {state.st_mtime_ns} {_fingerprint()}"


@cache
def _fingerprint() -> str:
    """Of the features and of all that counts them."""
    digest = hashlib.sha256(json.dumps([astuple(feature) for feature in FEATURES]).encode())
    digest.update(repr(hand_set()).encode())
    own = [Path(__file__), Path(samples.__file__)]
    for source in sorted([*_EVALUATION.glob("*.py"), *_EVALUATION.glob("*.pxd"), *own]):
        digest.update(source.read_bytes())
    return digest.hexdigest()
