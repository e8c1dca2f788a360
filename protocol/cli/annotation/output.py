"""Where the games go: to a file that grows beside its journal until it is whole, or to a stream."""

from __future__ import annotations

import os
import time
from dataclasses import asdict, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Protocol
from zlib import crc32

from engine import files
from protocol.cli.annotation.errors import OutputError
from protocol.journal import Journal, write_all
from protocol.text import escaped_lines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_SECONDS_PER_COMMIT = 0.25  # at least
_LOST_AT_MOST = 0.001  # of the work since the run began, if it is killed
_SECONDS_PER_SYNC = 10.0
_BLOCK = 1 << 20
_NONE = -1
_MOST = (1 << 63) - 1  # the largest offset that the system knows
_ADVICE = "; --restart begins anew"


@dataclass(slots=True)
class AnnotationTally:
    """What has been done: `copied` games could not be annotated, `positions` were judged."""

    games: int = 0
    copied: int = 0
    positions: int = 0
    inaccuracies: int = 0
    mistakes: int = 0
    blunders: int = 0


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """How far a run has come: where the next game begins in the input, and what is in the output.

    `offset` is in bytes, `number` and `line` count from 1; the output has `length` bytes of this `crc`.
    """

    offset: int = 0
    number: int = 1
    line: int = 1
    length: int = 0
    crc: int = 0
    tally: AnnotationTally = field(default_factory=AnnotationTally)

    def advanced(self, data: bytes) -> Checkpoint:
        """The same with so much more in the output."""
        return replace(self, length=self.length + len(data), crc=crc32(data, self.crc))


class GameOutput(Protocol):
    """What takes games; all methods raise OSError."""

    begin: Checkpoint
    """Where to go on."""
    complete: bool
    """Whether all has been done before."""
    resumable: bool
    """Whether a run that ends before its time can be gone on with."""
    now: Checkpoint
    """What has been written; `length` and `crc` are those of a resumable output only."""

    def write(self, data: bytes, offset: int, number: int, line: int, tally: AnnotationTally) -> None:
        """Write a game; the next one begins at `offset` of the input, and has this number and first line."""

    def commit(self) -> None:
        """Make sure that what was written counts, if it is time for that."""

    def finish(self) -> None:
        """All is written."""


class StreamOutput:
    """Games written to a descriptor, at once; a terminal gets nothing that it could obey."""

    complete = False
    resumable = False

    def __init__(self, file: int, name: str) -> None:
        self.begin = self.now = Checkpoint()
        self._file = file
        self._name = name
        self._is_terminal = os.isatty(file)

    def write(self, data: bytes, offset: int, number: int, line: int, tally: AnnotationTally) -> None:
        """See Output."""
        write_all(self._file, escaped_lines(data) if self._is_terminal else data, self._name)
        self.now = replace(self.now, offset=offset, number=number, line=line, tally=replace(tally))

    def commit(self) -> None:
        """Nothing is kept back."""

    def finish(self) -> None:
        """There is nothing to put in order."""


class FileOutput:
    """A file that is made as NAME.part, beside NAME.journal, and gets its name when it is whole.

    The journal has a record only of what has been written. A run that is killed at any point goes on from
    the last record that the file bears out; so it does after a loss of power, because both are synchronised
    with the disk now and then.
    """

    def __init__(
        self,
        path: Path,
        run: Mapping[str, Any],
        *,
        size: int | None,
        force: bool = False,
        restart: bool = False,
    ) -> None:
        """Begin, or go on where a `run` of the same description has ended.

        The input has `size` bytes; where that is not known the run cannot be gone on with. An existing file
        is replaced with `force` only; `restart` forgets an earlier run, if its journal tells that it was one.
        Nothing else is ever written over, and no link followed. Raises OutputError, JournalError, OSError.
        """
        self.resumable = size is not None
        self._size = size
        self._path = path
        self._force = force
        self._part_path = part_path(path)
        self._journal = Journal(journal_path(path), run, restart=restart, advice=_ADVICE)
        self._part = _NONE
        self._finished = False
        self.now = self._committed = Checkpoint()
        try:
            self._take_over()
        except BaseException:
            self._journal.remove_if_empty()
            self._release()
            raise
        self._started = self._last_commit = self._last_sync = time.monotonic()

    def write(self, data: bytes, offset: int, number: int, line: int, tally: AnnotationTally) -> None:
        """See Output."""
        write_all(self._part, data, str(self._part_path))
        moved = replace(self.now, offset=offset, number=number, line=line, tally=replace(tally))
        self.now = moved.advanced(data)

    def commit(self) -> None:
        """See Output."""
        now = time.monotonic()
        interval = max(_SECONDS_PER_COMMIT, _LOST_AT_MOST * (now - self._started))
        if now - self._last_commit >= interval:
            self._last_commit = now
            self._commit(sync=now - self._last_sync >= _SECONDS_PER_SYNC)

    def finish(self) -> None:
        """See Output."""
        if not self.complete:
            os.fsync(self._part)
            self._journal.append({"complete": True, **asdict(self.now)}, sync=True)
        if self._part != _NONE:
            self._refuse_to_replace()  # it may have come meanwhile
            self._part_path.replace(self._path)
            _sync_folder(self._path.parent)
        self._journal.remove()
        self._finished = True

    def close(self) -> None:
        """No more is written now; what was written counts, and where nothing was, nothing is left."""
        try:
            if self._finished:
                pass
            elif self._part != _NONE and self.now == Checkpoint():
                self._part_path.unlink()
                self._journal.remove()
            else:
                self._commit(sync=True)
        finally:
            self._release()

    def _release(self) -> None:
        if self._part != _NONE:
            os.close(self._part)
        self._journal.close()

    def _take_over(self) -> None:
        """Go to the last record that the file bears out."""
        checkpoints = [self._checkpoint(record) for record in self._journal.records]
        if checkpoints and not self.resumable:
            raise OutputError(f"{self._part_path} is of a run that cannot be gone on with{_ADVICE}")
        whole = bool(checkpoints) and self._journal.records[-1].get("complete") is True
        if whole and checkpoints[-1].offset != self._size:
            raise OutputError(
                f"{self._journal.path} has a run that ended at byte {checkpoints[-1].offset}"
                f" of {self._size}{_ADVICE}"
            )
        if whole and not os.path.lexists(self._part_path) and _holds(self._path, checkpoints[-1]):
            self.begin, self.complete = checkpoints[-1], True  # only the journal was left to delete
        else:
            self._refuse_to_replace()
            self._part = files.descriptor_of(self._part_path, os.O_RDWR | os.O_CREAT, follow=False)
            count = _borne_out(self._part, checkpoints)
            self._refuse_foreign_part(checkpoints, count)
            self.begin = checkpoints[count - 1] if count else Checkpoint()
            self.complete = whole and count == len(checkpoints)
            self._journal.keep(count)  # what comes now need not be what the others tell of
            os.ftruncate(self._part, self.begin.length)
            os.lseek(self._part, 0, os.SEEK_END)
        self.now = self._committed = self.begin

    def _checkpoint(self, record: Mapping[str, Any]) -> Checkpoint:
        content = {key: value for key, value in record.items() if key != "complete"}
        try:
            _check_names(content, Checkpoint)
            _check_names(content["tally"], AnnotationTally)
            checkpoint = Checkpoint(**{**content, "tally": AnnotationTally(**content["tally"])})
            _check_counts(checkpoint, checkpoint.tally)
        except ValueError:
            raise OutputError(f"{self._journal.path} has a record that is none{_ADVICE}") from None
        return checkpoint

    def _refuse_foreign_part(self, checkpoints: Sequence[Checkpoint], count: int) -> None:
        """Raise OutputError where what is there cannot be of this run, `count` records being borne out."""
        if not os.fstat(self._part).st_size:
            return
        if self._journal.is_new:
            raise OutputError(f"{self._part_path} is there already, without a journal: move it away")
        if checkpoints and not count:
            raise OutputError(f"{self._part_path} is not what its journal tells of{_ADVICE}")

    def _refuse_to_replace(self) -> None:
        if os.path.lexists(self._path) and not self._force:
            raise OutputError(f"{self._path} is there already; --force writes over it")

    def _commit(self, *, sync: bool) -> None:
        if self.now == self._committed:
            return
        if sync:
            os.fsync(self._part)
            self._last_sync = time.monotonic()
        self._journal.append(asdict(self.now), sync=sync)
        self._committed = self.now


def part_path(path: Path) -> Path:
    """What a file is called until it is whole."""
    return path.with_name(f"{path.name}.part")


def journal_path(path: Path) -> Path:
    """The journal of how a file is made."""
    return path.with_name(f"{path.name}.journal")


def _check_names(content: object, kind: type[Checkpoint | AnnotationTally]) -> None:
    """Raise ValueError where the fields are not those of the class."""
    names = {each.name for each in fields(kind)}
    if not isinstance(content, dict) or content.keys() != names:
        raise ValueError(kind.__name__)


def _check_counts(*parts: Checkpoint | AnnotationTally) -> None:
    """Raise ValueError where a number of theirs is none, or not one that a file can have."""
    for part in parts:
        for each in fields(part):
            value = getattr(part, each.name)
            if not isinstance(value, AnnotationTally) and (type(value) is not int or not 0 <= value <= _MOST):
                raise ValueError(each.name)


def _holds(path: Path, checkpoint: Checkpoint) -> bool:
    """Whether a file is what was written up to there, and nothing more."""
    try:
        file = files.descriptor_of(path)
    except OSError:
        return False
    try:
        return os.fstat(file).st_size == checkpoint.length and _borne_out(file, [checkpoint]) == 1
    finally:
        os.close(file)


def _borne_out(file: int, checkpoints: Sequence[Checkpoint]) -> int:
    """How many of them agree with what is in the file."""
    length = crc = 0
    for count, each in enumerate(checkpoints):
        while length < each.length and (part := os.pread(file, min(_BLOCK, each.length - length), length)):
            crc = crc32(part, crc)
            length += len(part)
        if (length, crc) != (each.length, each.crc):
            return count
    return len(checkpoints)


def _sync_folder(path: Path) -> None:
    """Have the disk know the names in it."""
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
