"""What a network learns from: the records of many files in one array, and where each came from."""

from __future__ import annotations

import hashlib
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.system.files import descriptor_of
from eval.training import game_file, records
from eval.training.packing import GameCoder, GameFileError
from eval.training.records import RECORD, Records, RecordsError
from eval.training.sampler import first_unsound

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

_SHORT = 16  # hexadecimal digits

_ANEW = "put it back, or delete the training's .state file to begin anew"

_PROVENANCE = ("seed", "nodes", "weights", "one_in", "teacher_nodes", "commit")
"""What a network's file says of how its data were made, where that is known."""


@dataclass(frozen=True, slots=True)
class FilePart:
    """The first `size` bytes of a file, with their SHA-256, and what was found there."""

    path: str
    size: int
    digest: str
    games: int
    plies: int
    positions: int
    description: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Generation:
    """The files of one folder, all with one suffix; their records are those from `first` to `last - 1`."""

    name: str
    suffix: str
    files: tuple[FilePart, ...]
    first: int
    last: int

    def folder(self) -> str:
        """The name of the folder of its files."""
        return PurePath(self.files[0].path).parent.name

    def about(self) -> dict[str, Any]:
        """A record of it for the file of a network."""
        about: dict[str, Any] = {
            "name": self.name,
            "files": len(self.files),
            "games": sum(file.games for file in self.files),
            "positions": self.last - self.first,
            "digest": _joint(file.digest for file in self.files),
        }
        for key in _PROVENANCE:
            values = {str(file.description[key]) for file in self.files if key in file.description}
            if values:
                about[key] = ", ".join(sorted(values))
        return about


@dataclass(frozen=True, slots=True)
class Corpus:
    """Records, generation by generation."""

    records: Records
    generations: tuple[Generation, ...]

    def contents(self) -> dict[str, tuple[int, str]]:
        """By the full path of each file, how many of its bytes were read, and their digest."""
        return {file.path: (file.size, file.digest) for each in self.generations for file in each.files}


def digest(path: Path) -> str:
    """A short digest of a whole file. Raises OSError."""
    with os.fdopen(descriptor_of(path), "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:_SHORT]


def _joint(digests: Iterator[str]) -> str:
    """One short digest of several."""
    return hashlib.sha256("".join(digests).encode()).hexdigest()[:_SHORT]


def load(
    folders: Sequence[tuple[Path, str]],
    threads: int,
    tell: Callable[[str], object],
    contents: Mapping[str, tuple[int, str]] | None = None,
    descriptions: Mapping[Path, dict[str, Any]] | None = None,
) -> Corpus:
    """The records in folders, or single files, each with the suffix of its files: of games or of records.

    `contents` are those of an earlier run: as many bytes of each file count as then, and no other file.
    `descriptions` say how the records in a folder were made; files of games say so themselves. `tell` is
    called with the name of each file that has been read, and with how much of it is damaged and left out.
    Raises OSError, GameFileError, and RecordsError, also where one of those files is gone or has changed.
    """
    known = descriptions or {}
    parts = [
        [
            _FileReading(path, suffix, contents, known.get(folder, {}))
            for path in _files(folder, suffix, contents)
        ]
        for folder, suffix in folders
    ]
    if contents is not None:
        gone = contents.keys() - {part.full_path for found in parts for part in found}
        if gone:
            raise RecordsError(f"{min(gone)}: is gone since the training began; {_ANEW}")
    for (folder, suffix), found in zip(folders, parts, strict=True):
        if not found:
            raise RecordsError(f"{folder}: no files that end in {suffix}")
    every = [part for found in parts for part in found]
    memory = np.empty(sum(part.room for part in every), RECORD)
    place = 0
    for part in every:
        part.place = place
        place += part.room
    with ThreadPoolExecutor(threads) as pool:
        for name in pool.map(lambda part: part.fill(memory), every):
            tell(name)
    end = 0
    generations = []
    for (folder, suffix), found in zip(folders, parts, strict=True):
        first = end
        for part in found:
            memory[end : end + part.count] = memory[part.place : part.place + part.count]
            end += part.count
        files = tuple(part.result for part in found)
        generations.append(Generation(folder.resolve().name, suffix, files, first, end))
    memory.resize(end, refcheck=False)
    return Corpus(memory, tuple(generations))


def _files(folder: Path, suffix: str, contents: Mapping[str, tuple[int, str]] | None) -> list[Path]:
    """The files in a folder, sorted by name, without those that are still empty."""
    found = sorted(folder.glob(f"*{suffix}")) if folder.is_dir() else [folder]
    if contents is None:
        return [path for path in found if path.stat().st_size]
    return [path for path in found if str(path.resolve()) in contents]


@dataclass(slots=True)
class _FileReading:
    """A file, with its place in the array."""

    path: Path
    suffix: str
    contents: Mapping[str, tuple[int, str]] | None
    description: dict[str, Any]
    full_path: str = ""
    size: int = 0
    digest: str | None = None
    room: int = 0
    place: int = 0
    count: int = 0
    result: FilePart = field(init=False)

    def __post_init__(self) -> None:
        self.full_path = str(self.path.resolve())
        self.size = self.path.stat().st_size
        if self.contents is not None:
            present = self.size
            self.size, self.digest = self.contents[self.full_path]
            if self.size > present:
                raise RecordsError(f"{self.path}: has become shorter since the training began; {_ANEW}")
        if self.suffix == game_file.SUFFIX:
            found = game_file.open_games(self._content(), str(self.path), lambda *_: None)[1]
            self.room = sum(block.kept for block, _ in found)
        else:
            self.room = self.size // RECORD.itemsize

    def fill(self, memory: Records) -> str:
        """Put the records at their place in the array; the file's name, and what of it is damaged."""
        name = f"{self.path.resolve().parent.name}/{self.path.name}"
        if self.suffix != game_file.SUFFIX:
            self._copy(self._content(), memory)
            return name
        lost = self._decode(self._content(), memory)
        return f"{name}: {lost} bytes are damaged and left out" if lost else name

    def _content(self) -> bytes:
        with os.fdopen(descriptor_of(self.path), "rb") as file:
            return file.read(self.size)

    def _decode(self, data: bytes, memory: Records) -> int:
        """Put the records of games at their place; how many bytes are left out."""
        games = plies = left_out = 0

        def lost(first: int, last: int) -> None:
            nonlocal left_out
            left_out += last - first

        description, blocks = game_file.open_games(data, str(self.path), lost)
        coder = GameCoder()
        out = records.words(memory[self.place : self.place + self.room])
        for block, packed in blocks:
            try:
                self.count = coder.records(packed, block.games, out, self.count)
            except GameFileError as error:
                raise GameFileError(f"{self.path}: {error}") from None
            games, plies = games + block.games, plies + block.plies
        self._note(data, games, plies, description)
        return left_out

    def _copy(self, data: bytes, memory: Records) -> None:
        self.count = len(data) // RECORD.itemsize
        found = np.frombuffer(data, RECORD, self.count)
        unsound = first_unsound(records.words(found))
        if unsound >= 0:
            raise RecordsError(f"{self.path}: record {unsound} is not of a position")
        memory[self.place : self.place + self.count] = found
        self._note(data[: self.count * RECORD.itemsize], 0, 0, self.description)

    def _note(self, data: bytes, games: int, plies: int, description: dict[str, Any]) -> None:
        digest = hashlib.sha256(data).hexdigest()
        if self.digest not in {None, digest}:
            raise RecordsError(f"{self.path}: has changed since the training began; {_ANEW}")
        self.result = FilePart(self.full_path, len(data), digest, games, plies, self.count, description)
