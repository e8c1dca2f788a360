"""Training positions: records of 32 bytes, read from many files into one array, and their targets.

A target is the points that the mover can expect, from the score of a search and the result of the game. The
slope between centipawns and points is fitted to each generation, because each may have another evaluator.
"""

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.board.position import Position
from engine.system.files import descriptor_of
from eval.training import game_file
from eval.training.game_file import unpack_pieces
from eval.training.layout import LONGEST_PLY
from eval.training.packing import GameCoder, GameFileError, first_unsound

RECORD = np.dtype(
    [
        ("occupied", "<u8"),
        ("pieces", "u1", (16,)),
        ("score", "<i2"),
        ("result", "u1"),
        ("ply", "u1"),
        ("game", "<u4"),
    ]
)
"""The board is turned so that the mover is White: where Black moves, squares are `square ^ 56` and colours
change. `occupied`: the occupied squares, a1 the lowest bit, then b1. `pieces`: the pieces on them in that
order, colour * 8 + kind, the mover's colour being 0, two to a byte, the lower half first. `score`: the
mover's centipawns. `result`: of the game, for the mover, 0 lost, 1 drawn, 2 won. `ply`: plies played before,
at most 255. `game`: its number in its run."""

SUFFIX = ".records"
"""The suffix of files of records, which have nothing else."""

Records = npt.NDArray[np.void]
Reals = npt.NDArray[np.float32]
Counts = npt.NDArray[np.int64]

_SHORT = 16  # hexadecimal digits of a digest
_RESTART = "put it back, or delete the training's .state file to start over"
_PROVENANCE = ("seed", "nodes", "weights", "one_in", "teacher_nodes", "commit")


class RecordsError(ValueError):
    """Records cannot be used. The message says why."""


def words(records: Records) -> memoryview:
    """The same memory as numbers of 64 bits, four to a record, as compiled modules read it."""
    found: Any = records.view("<u8")
    return memoryview(found)


def men(records: Records) -> npt.NDArray[np.uint8]:
    """The number of pieces in each position."""
    counts: npt.NDArray[np.uint8] = np.bitwise_count(records["occupied"])
    return counts


def position_of(record: np.void) -> Position:
    return Position.set_up(unpack_pieces(int(record["occupied"]), record["pieces"].tobytes()), 0)


@dataclass(slots=True)
class SourceFile:
    """The first `size` bytes of a file, with their SHA-256, and how many games and positions they have."""

    path: Path
    suffix: str
    size: int
    digest: str | None
    description: dict[str, Any]
    room: int = 0
    place: int = 0
    games: int = 0
    positions: int = 0

    @property
    def full_path(self) -> str:
        return str(self.path.resolve())

    def content(self) -> bytes:
        with os.fdopen(descriptor_of(self.path), "rb") as file:
            return file.read(self.size)


@dataclass(frozen=True, slots=True)
class Generation:
    name: str
    suffix: str
    files: list[SourceFile]
    first: int
    last: int

    @property
    def folder(self) -> str:
        return self.files[0].path.resolve().parent.name

    def about(self) -> dict[str, Any]:
        digests = "".join(str(file.digest) for file in self.files)
        about: dict[str, Any] = {
            "name": self.name,
            "files": len(self.files),
            "games": sum(file.games for file in self.files),
            "positions": self.last - self.first,
            "digest": hashlib.sha256(digests.encode()).hexdigest()[:_SHORT],
        }
        for key in _PROVENANCE:
            values = {str(file.description[key]) for file in self.files if key in file.description}
            if values:
                about[key] = ", ".join(sorted(values))
        return about


@dataclass(frozen=True, slots=True)
class Corpus:
    records: Records
    generations: list[Generation]

    def contents(self) -> dict[str, tuple[int, str]]:
        """By the full path of each file, how many of its bytes were read, and their digest."""
        files = (file for each in self.generations for file in each.files)
        return {file.full_path: (file.size, str(file.digest)) for file in files}


def digest(path: Path) -> str:
    with os.fdopen(descriptor_of(path), "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:_SHORT]


def load(
    folders: Sequence[tuple[Path, str]],
    threads: int,
    say: Callable[[str], object] = lambda _: None,
    contents: Mapping[str, tuple[int, str]] | None = None,
    descriptions: Mapping[Path, dict[str, Any]] | None = None,
) -> Corpus:
    """The records in folders, or single files, each with the suffix of its files: of games or of records.

    `contents`: of an earlier run; only these files are read, and as many bytes of each as then.
    `descriptions`: how the records in a folder were made; files of games say so themselves. `say` is told of
    damage left out. Raises OSError, GameFileError, and RecordsError, also if a file of `contents` is gone or
    has changed.
    """
    described = descriptions or {}
    parts = [_files(folder, suffix, contents, described.get(folder, {})) for folder, suffix in folders]
    every = [file for files in parts for file in files]
    if contents is not None and (gone := contents.keys() - {file.full_path for file in every}):
        raise RecordsError(f"{min(gone)}: is gone since the training began; {_RESTART}")
    for (folder, suffix), files in zip(folders, parts, strict=True):
        if not files:
            raise RecordsError(f"{folder}: no files that end in {suffix}")
    room = 0
    for file in every:
        file.place = room
        room += file.room
    memory = np.empty(room, RECORD)
    with ThreadPoolExecutor(threads) as pool:
        for file, lost in zip(every, pool.map(lambda file: _fill(file, memory), every), strict=True):
            if lost:
                say(f"{file.path}: {lost} bytes are damaged and left out")
    end = 0
    generations = []
    for (folder, suffix), files in zip(folders, parts, strict=True):
        first = end
        for file in files:
            memory[end : end + file.positions] = memory[file.place : file.place + file.positions]
            end += file.positions
        generations.append(Generation(folder.resolve().name, suffix, files, first, end))
    memory.resize(end, refcheck=False)
    return Corpus(memory, generations)


def _files(
    folder: Path, suffix: str, contents: Mapping[str, tuple[int, str]] | None, description: dict[str, Any]
) -> list[SourceFile]:
    found = []
    for path in sorted(folder.glob(f"*{suffix}")) if folder.is_dir() else [folder]:
        file = SourceFile(path, suffix, path.stat().st_size, None, description)
        if contents is not None:
            if file.full_path not in contents:
                continue
            present = file.size
            file.size, file.digest = contents[file.full_path]
            if file.size > present:
                raise RecordsError(f"{path}: has become shorter since the training began; {_RESTART}")
        if not file.size:
            continue
        file.room = file.size // RECORD.itemsize
        if suffix == game_file.SUFFIX:
            _, blocks = game_file.open_games(file.content(), str(path))
            file.room = sum(block.kept for block, _ in blocks)
        found.append(file)
    return found


def _fill(file: SourceFile, memory: Records) -> int:
    data, left_out = file.content(), 0
    out = memory[file.place : file.place + file.room]
    if file.suffix == game_file.SUFFIX:

        def lose(first: int, last: int) -> None:
            nonlocal left_out
            left_out += last - first

        file.description, blocks = game_file.open_games(data, str(file.path), lose)
        coder = GameCoder()
        for block, packed in blocks:
            try:
                file.positions = coder.records(packed, block.games, words(out), file.positions)
            except GameFileError as error:
                raise GameFileError(f"{file.path}: {error}") from None
            file.games += block.games
    else:
        file.positions = file.room
        file.size = file.room * RECORD.itemsize
        data = data[: file.size]
        out[:] = np.frombuffer(data, RECORD)
        if (unsound := first_unsound(words(out))) >= 0:
            raise RecordsError(f"{file.path}: record {unsound} is not of a position")
    found = hashlib.sha256(data).hexdigest()
    if file.digest not in {None, found}:
        raise RecordsError(f"{file.path}: has changed since the training began; {_RESTART}")
    file.digest = found
    return left_out


# Targets: 1 / (1 + exp(-slope * v)) points for the side that is v centipawns ahead.

LEAST_SLOPE, MOST_SLOPE = 1e-4, 1e-1
"""Bounds of the slope, for values that say nothing or everything about the results."""

_USUAL_SLOPE, _CLOSE, _STEPS = 5e-3, 1e-7, 50
_RESULTS = 3
_SCORES = 1 << 16
_LEAST_SCORE = -(1 << 15)
_ROWS_AT_A_TIME = 1 << 22


def expected(slope: float, values: Any) -> Any:
    """The expected points, 0 to 1."""
    return (1 + np.tanh(slope / 2 * values)) / 2


def fit_slope(values: Any, points: Any, number: Any = 1) -> float:
    """By Newton's method: the cross entropy is convex. `points`: the sum over `number` equal values."""
    slope = _USUAL_SLOPE
    for _ in range(_STEPS):
        chance = expected(slope, values)
        first = np.sum((number * chance - points) * values, dtype=np.float64)
        second = np.sum(number * chance * (1 - chance) * values * values, dtype=np.float64)
        step = first / second if second > 0 else 0.0
        better = float(np.clip(slope - step, max(slope / 2, LEAST_SLOPE), min(slope * 2, MOST_SLOPE)))
        if abs(better - slope) <= _CLOSE * slope:
            return better
        slope = better
    return slope


def count(found: Records) -> Counts:
    """How often each score came with each result: 65536 rows, from the score -32768 on, of 3 counts."""
    counts = np.zeros(_SCORES * _RESULTS, np.int64)
    for first in range(0, len(found), _ROWS_AT_A_TIME):
        part = found[first : first + _ROWS_AT_A_TIME]
        cells = (part["score"].astype(np.intp) - _LEAST_SCORE) * _RESULTS + part["result"]
        counts += np.bincount(cells, minlength=len(counts))
    return counts.reshape(_SCORES, _RESULTS)


def slope_of(counts: Counts) -> float:
    rows = np.flatnonzero(counts.sum(axis=1))
    points = counts[rows] @ np.array([0, 0.5, 1])
    return fit_slope((rows + _LEAST_SCORE).astype(float), points, counts[rows].sum(axis=1))


def targets(found: Records, slope: float, share: float, foresight: float = 0.0) -> Reals:
    """`share` of the game's result, and the rest from the scores.

    With `foresight`, at least 0 and less than 1, the scores of the game's later records count, too: a lambda
    return (R. Sutton, "Learning to Predict by the Methods of Temporal Differences", 1988). A score n plies
    later counts `foresight` ** n, so the score itself has 1 - `foresight` of the weight if the next ply has a
    record, and the last score of the game has all that is left.
    """
    scores = np.arange(_LEAST_SCORE, _LEAST_SCORE + _SCORES)
    by_score = expected(slope, scores).astype(np.float32)
    by_result = share * np.array([0, 0.5, 1], np.float32)
    parts = [slice(first, first + _ROWS_AT_A_TIME) for first in range(0, len(found), _ROWS_AT_A_TIME)]
    made = np.empty(len(found), np.float32)
    for part in parts:
        made[part] = by_score[found["score"][part].astype(np.intp) - _LEAST_SCORE]
    if foresight and len(made):
        _look_ahead(made, found, foresight)
    for part in parts:
        made[part] *= 1 - share
        made[part] += by_result[found["result"][part]]
    return made


def _look_ahead(points: Reals, found: Records, foresight: float) -> None:
    ply = found["ply"].astype(np.int16)
    same = found["game"][1:] == found["game"][:-1]
    same &= (ply[1:] > ply[:-1]) & (ply[1:] < LONGEST_PLY)  # from there on records do not tell the ply
    ends = np.flatnonzero(np.append(~same, True))
    lengths = np.diff(ends, prepend=-1)
    for back in range(1, lengths.max()):
        rows = ends[lengths > back] - back
        plies = ply[rows + 1] - ply[rows]
        ahead = points[rows + 1]
        ahead = np.where(plies & 1, 1 - ahead, ahead)
        points[rows] += np.float32(foresight) ** plies * (ahead - points[rows])
