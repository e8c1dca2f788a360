"""Files named on a command line, and the error for input that cannot be used.

Input is read from regular files: a FIFO, a device or a socket is refused, since it may never end. Pipes are
read as `-`, or by the names that a shell passes: `/dev/stdin`, and `/dev/fd/63` for `<(xz -dc games.pgn.xz)`.
Output may go to a device, or to a FIFO that somebody reads from.
"""

from __future__ import annotations

import os
import re
import select
import shutil
import stat
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from errno import EINVAL, ENXIO
from io import BufferedWriter, FileIO, RawIOBase
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from engine.system import files, services
from protocol.text import escaped_lines, quoted

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

STDIO = "-"
_AS_IN_NAMES = "surrogateescape"  # for names of files that are not UTF-8
_COMPRESSED = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\x28\xb5\x2f\xfd": "zstd", b"\xfd7zXZ": "xz"}
"""How compressed files begin, and what unpacks them."""

_LONGEST_SHOWN = 60  # characters of a list or an object
_HANDED_OVER = re.compile(r"/dev/(?:stdin|fd/[0-9]+)")


class BadInputError(click.ClickException):
    """The input cannot be used: one line, and exit status 2."""

    exit_code = 2


@contextmanager
def bad_input(*errors: type[Exception], prefix: str = "", suffix: str = "") -> Iterator[None]:
    """Raise BadInputError, with the same message between `prefix` and `suffix`, in place of these errors."""
    try:
        yield
    except errors as error:
        raise BadInputError(f"{prefix}{error}{suffix}") from None


@contextmanager
def bad_files() -> Iterator[None]:
    """Raise BadInputError, with the name and the reason, in place of OSError; but not of BrokenPipeError."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        raise BadInputError(f"{name}{error.strerror or error}") from None


def is_handed_over(name: str) -> bool:
    """Whether `name` is `-`, or the name of a descriptor that the shell has opened for this command."""
    return name == STDIO or _HANDED_OVER.fullmatch(name) is not None


def exists(name: str) -> bool:
    """Whether there is such a file; False for text that cannot be a name."""
    with suppress(OSError, ValueError):
        return Path(name).exists()
    return False


def named_after(source: str, ending: str, advice: str) -> str:
    """The name for a result of `source`. Raises BadInputError with `advice` if `source` has no name."""
    if is_handed_over(source) or not Path(source).name:
        raise BadInputError(f"the input has no file name: {advice}")
    return str(Path(source).with_name(f"{Path(source).stem}{ending}"))


@contextmanager
def opened(name: str, largest: int) -> Iterator[BinaryIO]:
    """The regular file `name` of at most `largest` bytes, or a stream. Raises OSError."""
    if name == STDIO:
        yield sys.stdin.buffer
    elif is_handed_over(name):
        with open(name, "rb") as stream:  # noqa: PTH123 - not a file
            yield stream
    else:
        with files.open_file(name, largest) as file:
            for mark, program in _COMPRESSED.items():
                if file.peek(len(mark)).startswith(mark):
                    reason = f"compressed: unpack it, or pass <({program} -dc FILE)"
                    raise files.UnusableFileError(EINVAL, reason, name)
            yield file


@contextmanager
def rewindable(name: str, file: BinaryIO) -> Iterator[BinaryIO]:
    """The file opened under `name`, to be read twice: a pipe is copied to the disk. Raises OSError."""
    if not is_handed_over(name):
        yield file
        return
    with TemporaryFile() as copy:
        shutil.copyfileobj(file, copy)
        copy.seek(0)
        yield copy


def read(name: str, largest: int) -> bytes:
    """The content of the file or stream `name`, at most `largest` bytes. Raises OSError."""
    with opened(name, largest) as file:
        return files.read_all(file, largest, name)


def is_stream(name: str) -> bool:
    """Whether `name` is a FIFO, a device or a socket, to which output is written without keeping it."""
    try:
        mode = Path(name).stat().st_mode
    except (OSError, ValueError):
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def open_stream(name: str) -> FileIO:
    """Open a FIFO or a device for writing. Raises OSError, also for a FIFO that nobody reads from."""
    try:
        descriptor = os.open(name, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except OSError as error:
        if error.errno == ENXIO:
            raise files.UnusableFileError(ENXIO, "nobody reads from it", name) from None
        raise
    os.set_blocking(descriptor, True)
    return FileIO(descriptor, "wb")


class InterruptibleStream(RawIOBase):
    """The input of a descriptor, such as a pipe or a terminal; a wait for it can be ended."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._ended, self._end = os.pipe()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        ready, _, _ = select.select([self._descriptor, self._ended], [], [])
        return 0 if self._ended in ready else os.readv(self._descriptor, [buffer])

    def stop(self) -> None:
        """Act as if the input had ended. May be called from any thread."""
        os.write(self._end, b".")

    def close(self) -> None:
        if not self.closed:
            os.close(self._ended)
            os.close(self._end)
        super().close()


def check_target(name: str, *sources: str) -> None:
    """Raises BadInputError if the file cannot be created, or is one of the sources."""
    path = Path(name)
    if name == STDIO:
        return
    if not name:
        raise BadInputError("the name of the file is empty")
    with bad_files():
        if path.is_dir():
            raise BadInputError(f"{name} is a folder")
        if not path.parent.is_dir():
            raise BadInputError(f"{name}: no such folder")
        for source in sources:
            if exists(source) and path.exists() and path.samefile(source):
                raise BadInputError(f"{source} would be overwritten: choose another name")


def write_result(name: str, content: str | bytes) -> None:
    """Write to the file of that name, and say so on stderr; `-` is stdout. Raises BadInputError."""
    data = content.encode("utf-8", _AS_IN_NAMES) if isinstance(content, str) else content
    if name == STDIO:
        sys.stdout.buffer.write(escaped_lines(data) if sys.stdout.isatty() else data)
        sys.stdout.buffer.flush()
        return
    try:
        if is_stream(name):
            with BufferedWriter(open_stream(name)) as file:
                file.write(data)
        else:
            files.write_whole(name, data)
    except OSError as error:
        raise BadInputError(f"{name}: {error.strerror}") from None
    click.echo(f"wrote {name}", err=True)


class GameFile:
    """A file of games, as PGN or PDN, to which more are added; the last one added can be replaced."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._last: tuple[int, int] | None = None  # begin of the last game, size of the file after it

    def add(self, text: str) -> None:
        begin, tail = 0, b""
        with suppress(FileNotFoundError), os.fdopen(files.descriptor_of(self.path), "rb") as file:
            begin = file.seek(0, os.SEEK_END)
            file.seek(max(0, begin - 2))
            tail = file.read()
        newlines = len(tail) - len(tail.rstrip(b"\n"))
        gap = b"\n" * (2 - newlines) if tail else b""  # a blank line
        data = gap + text.encode("utf-8", _AS_IN_NAMES)
        files.append_whole(self.path, data)
        self._last = (begin + len(gap), begin + len(data))

    def replace(self, text: str) -> None:
        if self._last is None or not self.path.exists() or self.path.stat().st_size != self._last[1]:
            self.add(text)
            return
        begin, end = self._last
        data = text.encode("utf-8", _AS_IN_NAMES)
        with os.fdopen(files.descriptor_of(self.path, os.O_RDWR), "r+b", buffering=0) as file:
            file.seek(end)  # what needs room comes first: a full disk leaves the old game
            files.append_to(file.fileno(), data[end - begin :], str(self.path))
            file.seek(begin)
            files.write_all(file.fileno(), data[: end - begin], str(self.path))
            file.truncate(begin + len(data))
        self._last = (begin, begin + len(data))


def locked(path: Path) -> int:
    """The descriptor of the file at `path`, which may be new, locked. Raises BadInputError, OSError."""
    while True:
        file = files.descriptor_of(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, follow=False)
        try:
            locked = services.lock(file)
        except OSError:
            os.close(file)
            raise
        with suppress(FileNotFoundError):
            if locked and os.path.samestat(os.fstat(file), path.lstat()):
                return file
        os.close(file)
        if not locked:
            raise BadInputError(f"{path} is in use by another run")
        # Else the run that had it open has just ended and deleted it: once more.


def difference(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    """The differences between the descriptions of two runs, as text; up to three."""
    keys = [key for key in {**found, **wanted} if found.get(key) != wanted.get(key)]
    told = [
        f"{quoted(key)[1:-1]} was {_shown(found.get(key))} and is {_shown(wanted.get(key))}"
        for key in keys[:3]
    ]
    more = len(keys) - len(told)
    return "; ".join(told) + (f"; and {more} more" if more else "")


def _shown(value: object) -> str:
    if value is None:
        return "not given"
    if isinstance(value, (list, dict)):
        text = ascii(value)
        return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."
    return quoted(value) if isinstance(value, str) else quoted(str(value))[1:-1]
