"""Training positions: records of 32 bytes, unpacked from many files into one, and their targets.

Unpacking games takes a quarter of the time that learning from them takes, so it is done once: the records are
then read from a scratch file in blocks, in another order each epoch.

A target is the points that the mover can expect, from the score of a search and the result of the game. The
slope between centipawns and points is fitted to each generation, because each may have another evaluator.
"""

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from engine.board.position import Position
from engine.system.files import descriptor_of
from eval.training import game_file
from eval.training.game_file import BOARD_BYTES, WHITE_TO_MOVE, unpack_position
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

NONE_HELD_OUT = (1 << 32) - 1
"""The number of games of which one is held out if none is: there are no more."""

_SHORT = 16  # hexadecimal digits of a digest
_BYTES_A_BLOCK = 1 << 24  # of files of records, as many as a block of games becomes
_MOST_HELD_OUT = 1 << 21  # positions
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
    return unpack_position(record.tobytes()[:BOARD_BYTES] + WHITE_TO_MOVE)


@dataclass(slots=True)
class SourceFile:
    """The first `size` bytes of a file, with their SHA-256, and how many games and positions they have."""

    path: Path
    suffix: str
    size: int
    digest: str | None
    description: dict[str, Any]
    games: int = 0
    positions: int = 0

    @property
    def full_path(self) -> str:
        return str(self.path.resolve())


@dataclass(frozen=True, slots=True)
class Generation:
    """`slope`: fitted to the games; that of the games before for positions without results.

    `held_out`: records of whole games that are not learned from.
    """

    name: str
    suffix: str
    files: list[SourceFile]
    slope: float
    held_out: Records = field(compare=False)

    @property
    def folder(self) -> str:
        return self.files[0].path.resolve().parent.name

    def about(self) -> dict[str, Any]:
        digests = "".join(str(file.digest) for file in self.files)
        about: dict[str, Any] = {
            "name": self.name,
            "files": len(self.files),
            "games": sum(file.games for file in self.files),
            "positions": sum(file.positions for file in self.files),
            "digest": hashlib.sha256(digests.encode()).hexdigest()[:_SHORT],
        }
        for key in _PROVENANCE:
            values = {str(file.description[key]) for file in self.files if key in file.description}
            if values:
                about[key] = ", ".join(sorted(values))
        return {**about, "slope": round(self.slope, 7)}

    def targets(self, found: Records, share: float, foresight: float) -> Reals:
        """Those of whole games of the generation; without games, by the score alone."""
        if self.suffix != game_file.SUFFIX:
            share = foresight = 0.0
        return targets(found, self.slope, share, foresight)


class Scratch:
    """A file of records that threads write and read by row."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._lock = Lock()
        self._rows = 0

    def append(self, records: Records) -> int:
        """The row of the first of them."""
        with self._lock:
            first = self._rows
            self._rows += len(records)
            self._file.seek(first * RECORD.itemsize)
            self._file.write(records.data)
        return first

    def read(self, first: int, count: int) -> Records:
        with self._lock:
            self._file.seek(first * RECORD.itemsize)
            return np.frombuffer(self._file.read(count * RECORD.itemsize), RECORD, count)


class Block(NamedTuple):
    """`size` records of whole games of a generation, by its number, from row `first` of the scratch file."""

    generation: int
    first: int
    size: int


@dataclass(frozen=True, slots=True)
class Examples:
    """Targets are the points that the mover can expect, 0 to 1."""

    records: Records
    targets: Reals


@dataclass(frozen=True, slots=True)
class Corpus:
    """Any number of positions to learn from: only their places in the scratch file are in memory."""

    generations: list[Generation]
    blocks: list[Block]
    scratch: Scratch

    @property
    def size(self) -> int:
        """How many positions there are to learn from."""
        return sum(block.size for block in self.blocks)

    def contents(self) -> dict[str, tuple[int, str]]:
        """By the full path of each file, how many of its bytes were read, and their digest."""
        files = (file for each in self.generations for file in each.files)
        return {file.full_path: (file.size, str(file.digest)) for file in files}

    def chunks(self, count: int, seed: Sequence[int]) -> list[list[Block]]:
        """All blocks, drawn at random into `count` chunks of equally many blocks, or one less."""
        order = np.random.default_rng(seed).permutation(len(self.blocks))
        return [[self.blocks[place] for place in np.sort(part)] for part in np.array_split(order, count)]

    def examples(self, blocks: Sequence[Block], share: float, foresight: float) -> Examples:
        """Read blocks into memory, 36 bytes a position. For `share` and `foresight` see `targets`."""
        room = sum(block.size for block in blocks)
        found = Examples(np.empty(room, RECORD), np.empty(room, np.float32))
        last = 0
        for block in blocks:
            first, last = last, last + block.size
            records = found.records[first:last] = self.scratch.read(block.first, block.size)
            found.targets[first:last] = self.generations[block.generation].targets(records, share, foresight)
        return found

    def validation(self, share: float, foresight: float) -> Examples:
        parts = [(each.held_out, each.targets(each.held_out, share, foresight)) for each in self.generations]
        return Examples(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def digest(path: Path) -> str:
    with os.fdopen(descriptor_of(path), "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:_SHORT]


def load(
    folders: Sequence[tuple[Path, str]],
    threads: int,
    held_out: int,
    scratch: Scratch,
    say: Callable[[str], object] = lambda _: None,
    contents: Mapping[str, tuple[int, str]] | None = None,
    descriptions: Mapping[Path, dict[str, Any]] | None = None,
) -> Corpus:
    """Unpack folders or single files, each with the suffix of its files, of games or records, into `scratch`.

    Each `held_out`-th game is not learned from. Such games of a folder of games are for validation, all of
    them up to two million positions, of more only a half, a quarter and so on. `contents`: of an earlier run;
    only these files are read, and as many bytes of each as then. `descriptions`: how the records in a folder
    were made; files of games say so themselves. `say` is told of damage left out. Raises OSError,
    GameFileError, and RecordsError, also if a file of `contents` is gone or has changed.
    """
    described = descriptions or {}
    parts = [_files(folder, suffix, contents, described.get(folder, {})) for folder, suffix in folders]
    every = [file for files in parts for file in files]
    if contents is not None and (gone := contents.keys() - {file.full_path for file in every}):
        raise RecordsError(f"{min(gone)}: is gone since the training began; {_RESTART}")
    for (folder, suffix), files in zip(folders, parts, strict=True):
        if not files:
            raise RecordsError(f"{folder}: no files that end in {suffix}")
    blocks: list[Block] = []
    validation: list[list[Records]] = [[] for _ in parts]
    slopes: list[float] = []
    one_in, rows = 1, 0
    with ThreadPoolExecutor(threads) as pool:
        unpacked = pool.map(lambda file: _unpack(file, held_out, scratch), every)
        for number, files in enumerate(parts):
            counts = np.zeros((_SCORES, _RESULTS), np.int64)
            for file, found in zip(files, islice(unpacked, len(files)), strict=True):
                if found.lost:
                    say(f"{file.path}: {found.lost} bytes are damaged and left out")
                blocks += [Block(number, *rows) for rows in found.rows]
                counts += found.counts
                new = [_one_in(one_in, held, held_out) for held in found.held_out]
                validation[number] += new
                rows += sum(map(len, new))
                while rows > _MOST_HELD_OUT:
                    one_in *= 2
                    validation = [[_one_in(one_in, held, held_out) for held in part] for part in validation]
                    rows = sum(len(held) for part in validation for held in part)
            slopes.append(slope_of(counts) if counts.any() else slopes[-1] if slopes else _USUAL_SLOPE)
    generations = [
        Generation(folder.resolve().name, suffix, files, slope, np.concatenate([np.empty(0, RECORD), *held]))
        for (folder, suffix), files, slope, held in zip(folders, parts, slopes, validation, strict=True)
    ]
    return Corpus(generations, blocks, scratch)


def _one_in(number: int, found: Records, held_out: int) -> Records:
    """The records of one in `number` of the games held out."""
    chosen: Records = found[found["game"] // held_out % number == 0]
    return chosen


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
        if file.size:
            found.append(file)
    return found


@dataclass(slots=True)
class _Unpacked:
    """`rows`: for each block the first and how many; `lost`: bytes; results are counted in games."""

    rows: list[tuple[int, int]] = field(default_factory=list)
    held_out: list[Records] = field(default_factory=list)
    counts: Counts = field(default_factory=lambda: np.zeros((_SCORES, _RESULTS), np.int64))
    lost: int = 0

    def lose(self, first: int, last: int) -> None:
        self.lost += last - first


def _unpack(file: SourceFile, one_in: int, scratch: Scratch) -> _Unpacked:
    found = _Unpacked()
    for records in _blocks_of(file, found.lose):
        file.positions += len(records)
        held_out = records["game"] % one_in == one_in - 1
        if file.suffix == game_file.SUFFIX:
            found.counts += count(records)
            found.held_out.append(records[held_out])
        others = records[~held_out]
        if len(others):
            found.rows.append((scratch.append(others), len(others)))
    return found


def _blocks_of(file: SourceFile, lose: Callable[[int, int], None]) -> Iterator[Records]:
    sha256 = hashlib.sha256()
    with os.fdopen(descriptor_of(file.path), "rb") as opened:
        if file.suffix == game_file.SUFFIX:
            data = opened.read(file.size)
            sha256.update(data)
            about, blocks = game_file.open_games(data, str(file.path), lose)
            file.description = {key: about[key] for key in _PROVENANCE if key in about}
            coder = GameCoder()
            for block, packed in blocks:
                found = np.empty(block.kept, RECORD)
                try:
                    number = coder.records(packed, block.games, words(found), 0)
                except GameFileError as error:
                    raise GameFileError(f"{file.path}: {error}") from None
                file.games += block.games
                yield found[:number]
        else:
            file.size -= file.size % RECORD.itemsize
            for first in range(0, file.size, _BYTES_A_BLOCK):
                data = opened.read(min(_BYTES_A_BLOCK, file.size - first))
                sha256.update(data)
                found = np.frombuffer(data, RECORD)
                if (unsound := first_unsound(words(found))) >= 0:
                    row = first // RECORD.itemsize + unsound
                    raise RecordsError(f"{file.path}: record {row} is not of a position")
                yield found
    if file.digest not in {None, sha256.hexdigest()}:
        raise RecordsError(f"{file.path}: has changed since the training began; {_RESTART}")
    file.digest = sha256.hexdigest()


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
