"""Where games come from and go to: a file that grows beside its journal until it is whole, or a stream."""

from __future__ import annotations

import hashlib
import io
import os
import select
import sys
import time
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from errno import ELOOP
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol
from zlib import crc32

from engine.system import files
from lolli.cli import given_file
from lolli.cli.given_file import STDIO
from lolli.cli.journal import Journal
from lolli.cli.pgn.raw_games import LARGEST_FILE
from protocol.text import escaped_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from _typeshed import WriteableBuffer

    from lolli.cli.annotation.annotation_worker import AnnotationOrder, EngineOrder

_SECONDS_PER_COMMIT = 0.25  # at least
_LOST_AT_MOST = 0.001  # of the work since the run began, if it is killed
_SECONDS_PER_SYNC = 10.0
_BLOCK = 1 << 20
_NONE = -1
_MOST = (1 << 63) - 1  # the largest offset of a file
_ENDS = 64 * 1024  # bytes of a file's beginning and end that identify it
_DIGITS = 16  # of a hash
_ADVICE = " (use --restart to start over)"


class AnnotateError(Exception):
    """Why games cannot be annotated, in one line."""


@dataclass(slots=True)
class AnnotationTally:
    """The totals of a run: `copied` games could not be annotated, `positions` were judged."""

    games: int = 0
    copied: int = 0
    positions: int = 0
    inaccuracies: int = 0
    mistakes: int = 0
    blunders: int = 0


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The state of a run: where the next game begins in the input, and what the output holds.

    `offset` is in bytes, `number` and `line` count from 1; the output has `length` bytes of this `crc`.
    """

    offset: int = 0
    number: int = 1
    line: int = 1
    length: int = 0
    crc: int = 0
    tally: AnnotationTally = field(default_factory=AnnotationTally)

    def advanced(self, data: bytes) -> Checkpoint:
        """The same with `data` added to the output."""
        return replace(self, length=self.length + len(data), crc=crc32(data, self.crc))


class GameOutput(Protocol):
    """Where games are written. All methods raise OSError."""

    begin: Checkpoint
    """Where the run begins or continues."""
    complete: bool
    """Whether an earlier run wrote everything."""
    resumable: bool
    """Whether an interrupted run can be continued."""
    now: Checkpoint
    """The state; `length` and `crc` are kept for a resumable output only."""

    @property
    def path(self) -> Path | None:
        """The file, unless it is a stream."""

    def write(self, data: bytes, offset: int, number: int, line: int, tally: AnnotationTally) -> None:
        """Write a game; the next one begins at `offset` of the input, and has this number and first line."""

    def commit(self) -> None:
        """Record the state in the journal, if enough time has passed."""

    def finish(self) -> None:
        """Complete the output after the last game."""


class StreamOutput:
    """Games written at once to a descriptor; for a terminal, control characters are escaped."""

    complete = False
    resumable = False
    path = None

    def __init__(self, file: int, name: str) -> None:
        self.begin = self.now = Checkpoint()
        self._file = file
        self._name = name
        self._is_terminal = os.isatty(file)

    def write(self, data: bytes, offset: int, number: int, line: int, tally: AnnotationTally) -> None:
        """See GameOutput."""
        files.write_all(self._file, escaped_lines(data) if self._is_terminal else data, self._name)
        self.now = replace(self.now, offset=offset, number=number, line=line, tally=replace(tally))

    def commit(self) -> None:
        """Nothing to do: there is no journal."""

    def finish(self) -> None:
        """Nothing to do."""


class FileOutput:
    """A file that is written as NAME.part, beside NAME.journal, and renamed when it is complete.

    The journal records only what has been written. A run that is killed at any point continues from the last
    record that agrees with the file; also after a power failure, as both are synchronised with the disk from
    time to time.
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
        """Begin, or continue an interrupted `run` with the same description.

        The input has `size` bytes; if that is not known, the run cannot be continued. An existing file is
        replaced only with `force`; `restart` discards an earlier run, if its journal proves that it was one.
        No other file is ever overwritten, and no link followed. Raises AnnotateError, JournalError, OSError.
        """
        self.resumable = size is not None
        self._size = size
        self.path = path
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
        """See GameOutput."""
        files.write_all(self._part, data, str(self._part_path))
        moved = replace(self.now, offset=offset, number=number, line=line, tally=replace(tally))
        self.now = moved.advanced(data)

    def commit(self) -> None:
        """See GameOutput."""
        now = time.monotonic()
        interval = max(_SECONDS_PER_COMMIT, _LOST_AT_MOST * (now - self._started))
        if now - self._last_commit >= interval:
            self._last_commit = now
            self._commit(sync=now - self._last_sync >= _SECONDS_PER_SYNC)

    def finish(self) -> None:
        """See GameOutput."""
        if not self.complete:
            os.fsync(self._part)
            self._journal.append({"complete": True, **asdict(self.now)}, sync=True)
        if self._part != _NONE:
            self._refuse_to_replace()  # it may have been created meanwhile
            self._part_path.replace(self.path)
            _sync_folder(self.path.parent)
        self._journal.remove()
        self._finished = True

    def close(self) -> None:
        """Record the state; if nothing was written, delete the files."""
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
        """Continue from the last record that agrees with the file."""
        checkpoints = [self._checkpoint(record) for record in self._journal.records]
        if checkpoints and not self.resumable:
            raise AnnotateError(f"{self._part_path} belongs to a run that cannot be continued{_ADVICE}")
        whole = bool(checkpoints) and self._journal.records[-1].get("complete") is True
        if whole and checkpoints[-1].offset != self._size:
            raise AnnotateError(
                f"{self._journal.path}: the run ended at byte {checkpoints[-1].offset}"
                f" of {self._size}{_ADVICE}"
            )
        if whole and not os.path.lexists(self._part_path) and _holds(self.path, checkpoints[-1]):
            self.begin, self.complete = checkpoints[-1], True  # only the journal was left to delete
        else:
            self._refuse_to_replace()
            self._part = files.descriptor_of(self._part_path, os.O_RDWR | os.O_CREAT, follow=False)
            count = _confirmed(self._part, checkpoints)
            self._refuse_foreign_part(checkpoints, count)
            self.begin = checkpoints[count - 1] if count else Checkpoint()
            self.complete = whole and count == len(checkpoints)
            self._journal.keep(count)  # what follows may differ from the later records
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
            raise AnnotateError(f"{self._journal.path} has an invalid record{_ADVICE}") from None
        return checkpoint

    def _refuse_foreign_part(self, checkpoints: Sequence[Checkpoint], count: int) -> None:
        """Raise AnnotateError if the content is not of this run; `count` records agree with it."""
        if not os.fstat(self._part).st_size:
            return
        if self._journal.is_new:
            raise AnnotateError(f"{self._part_path} already exists, without a journal: move it away")
        if checkpoints and not count:
            raise AnnotateError(f"{self._part_path} does not agree with its journal{_ADVICE}")

    def _refuse_to_replace(self) -> None:
        if os.path.lexists(self.path) and not self._force:
            raise AnnotateError(f"{self.path} already exists (use --force to overwrite)")

    def _commit(self, *, sync: bool) -> None:
        if self.now == self._committed:
            return
        if sync:
            os.fsync(self._part)
            self._last_sync = time.monotonic()
        self._journal.append(asdict(self.now), sync=sync)
        self._committed = self.now


def part_path(path: Path) -> Path:
    """The name of a file until it is complete."""
    return path.with_name(f"{path.name}.part")


def journal_path(path: Path) -> Path:
    """The name of a file's journal."""
    return path.with_name(f"{path.name}.journal")


def _check_names(content: object, kind: type[Checkpoint | AnnotationTally]) -> None:
    """Raise ValueError if the fields are not those of the class."""
    names = {each.name for each in fields(kind)}
    if not isinstance(content, dict) or content.keys() != names:
        raise ValueError(kind.__name__)


def _check_counts(*parts: Checkpoint | AnnotationTally) -> None:
    """Raise ValueError if a field is not a number, or not a possible one."""
    for part in parts:
        for each in fields(part):
            value = getattr(part, each.name)
            if not isinstance(value, AnnotationTally) and (type(value) is not int or not 0 <= value <= _MOST):
                raise ValueError(each.name)


def _holds(path: Path, checkpoint: Checkpoint) -> bool:
    """Whether a file is exactly what had been written at the checkpoint."""
    try:
        file = files.descriptor_of(path)
    except OSError:
        return False
    try:
        return os.fstat(file).st_size == checkpoint.length and _confirmed(file, [checkpoint]) == 1
    finally:
        os.close(file)


def _confirmed(file: int, checkpoints: Sequence[Checkpoint]) -> int:
    """How many of the checkpoints, from the first, agree with the file."""
    length = crc = 0
    for count, each in enumerate(checkpoints):
        while length < each.length and (part := os.pread(file, min(_BLOCK, each.length - length), length)):
            crc = crc32(part, crc)
            length += len(part)
        if (length, crc) != (each.length, each.crc):
            return count
    return len(checkpoints)


def _sync_folder(path: Path) -> None:
    """Write the names in a folder to the disk."""
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


@dataclass(frozen=True, slots=True)
class GameSource:
    """The input. `size` in bytes and `identity` are None if they are not known, as for a pipe.

    `stop` ends a wait for input from a pipe, as if it had ended.
    """

    name: str
    file: BinaryIO
    size: int | None
    identity: str | None
    stop: Callable[[], None]


class _Stream(io.RawIOBase):
    """A pipe or a terminal; a wait for its input can be ended."""

    def __init__(self, file: int) -> None:
        self._file = file
        self._ended, self._end = os.pipe()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        ready, _, _ = select.select([self._file, self._ended], [], [])
        return 0 if self._ended in ready else os.readv(self._file, [buffer])

    def stop(self) -> None:
        """Act as if the input had ended. May be called from any thread."""
        os.write(self._end, b".")

    def close(self) -> None:
        if not self.closed:
            os.close(self._ended)
            os.close(self._end)
        super().close()


@contextmanager
def opened_source(name: str) -> Iterator[GameSource]:
    """The file of that name, `-` being stdin. Raises OSError."""
    with given_file.opened(name, LARGEST_FILE) as file:
        if not given_file.is_handed_over(name):
            yield GameSource(name, file, os.fstat(file.fileno()).st_size, file_identity(file), lambda: None)
        else:
            with _Stream(file.fileno()) as stream, io.BufferedReader(stream) as reader:
                yield GameSource(name, reader, None, None, stream.stop)


@contextmanager
def opened_target(
    name: str | None, source: GameSource, order: AnnotationOrder, *, force: bool, restart: bool
) -> Iterator[GameOutput]:
    """The file of that name, `-` being stdout; by default it is named after the source.

    Raises AnnotateError, JournalError, OSError.
    """
    if name == STDIO:
        yield StreamOutput(sys.stdout.fileno(), "stdout")
        return
    if name is not None and given_file.is_stream(name):
        with given_file.open_stream(name) as file:
            yield StreamOutput(file.fileno(), name)
        return
    path = _path(name, source)
    if path.is_dir():
        raise AnnotateError(f"{path} is a folder")
    run = run_identity(source, order)
    with closing(FileOutput(path, run, size=source.size, force=force, restart=restart)) as output:
        yield output


def file_identity(file: BinaryIO) -> str:
    """The size of a file in bytes, and a hash of its beginning and its end. Raises OSError."""
    size = file.seek(0, os.SEEK_END)
    digest = hashlib.sha256()
    for place in (0, max(0, size - _ENDS)):
        file.seek(place)
        digest.update(file.read(_ENDS))
    file.seek(0)
    return f"{size} bytes, {digest.hexdigest()[:_DIGITS]}"


def run_identity(source: GameSource, order: EngineOrder) -> dict[str, Any]:
    """What must be equal to continue a run; the keys are the words for a difference."""
    limits, options = order.limits, order.options
    return {
        "version": order.engine.version,
        "input": source.identity,
        "evaluator": order.engine.evaluator,
        "weights": order.engine.weights,
        "hash": order.settings.megabytes,
        "lines": order.settings.lines,
        "depth": limits.depth,
        "nodes": limits.nodes,
        "time": limits.move_time,
        **asdict(options),
    }


def _path(name: str | None, source: GameSource) -> Path:
    """The path of the output, links resolved. Raises AnnotateError if a file to be written is the source."""
    if name is None:
        if source.size is None:
            raise AnnotateError("the input has no file name: name the output with -o")
        given = Path(source.name)
        name = str(given.with_name(f"{given.stem}-annotated.pgn"))
    try:
        path = Path(name).resolve()
    except RuntimeError:  # links that lead to one another
        raise AnnotateError(f"{name}: {os.strerror(ELOOP)}") from None
    for made in (path, part_path(path), journal_path(path)):
        if made.exists() and source.size is not None and made.samefile(source.name):
            raise AnnotateError(f"{source.name} would be overwritten: choose another name with -o")
    return path
