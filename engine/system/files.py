"""Opens files that users name so that none can block the engine: regular files of bounded size only.

Opening a FIFO or a terminal may wait for its other end; a device may have no end, and opening it may have
effects. Every refusal is an OSError: `filename` is the name, `strerror` the reason.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader
from typing import BinaryIO, Protocol

FilePath = str | os.PathLike[str]

_KINDS = (
    (stat.S_ISLNK, "a symbolic link"),
    (stat.S_ISFIFO, "a FIFO"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)
_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.ENOSYS)  # what systems without hard links say, as for FAT
_PIECE = 1 << 20  # bytes read at a time
_UNITS = ((1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))


class Readable(Protocol):
    """A file or a stream of bytes."""

    def read(self, size: int, /) -> bytes:
        """At most `size` bytes, none at the end."""


class UnusableFileError(OSError):
    """A file that exists but is not opened, or not read to its end."""

    def __str__(self) -> str:
        return f"{self.filename}: {self.strerror}"


def descriptor_of(path: FilePath, flags: int = os.O_RDONLY, *, follow: bool = True) -> int:
    """A descriptor of a regular file, which `flags` with O_CREAT create. Never waits. Raises OSError.

    Without `follow` a symbolic link as the last part of the path is refused, too.
    """
    name = os.fspath(path)
    try:
        _check_unopened(name, follow=follow)
        descriptor = os.open(name, flags | _careful_flags(follow=follow), 0o666)
    except ValueError:  # a zero byte, or half of a surrogate pair
        raise UnusableFileError(errno.EINVAL, "not the name of a file", name) from None
    try:
        _check(os.fstat(descriptor), name)  # it may have been replaced meanwhile
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


@contextmanager
def writing(path: FilePath, copied: FilePath | None = None) -> Iterator[BinaryIO]:
    """Replace the regular file `path` when the context ends without an error. Raises OSError.

    After an error the file is unchanged. Symbolic links are followed, and the mode is kept. With `copied`
    there must be no such file, neither at the start nor at the end; the new one gets the mode of `copied`.
    """
    target = os.path.realpath(path) if copied is None else os.fspath(path)
    # A random name: no other writer has it, and nobody can have laid a link there.
    unfinished = os.path.join(os.path.dirname(target), f".lolli-{os.urandom(8).hex()}.partial")
    if copied is None:
        _check_unopened(target, follow=True)
    mode = None
    try:
        with suppress(FileNotFoundError):
            mode = stat.S_IMODE(os.stat(copied or target).st_mode)
        most = 0o666 if mode is None else mode  # never more than in the end, however short
        with open(unfinished, "xb", opener=lambda name, flags: os.open(name, flags, most)) as file:
            if mode is not None:
                os.chmod(unfinished, mode)  # what the umask took
            yield file
            file.flush()
            os.fsync(file.fileno())
        (os.replace if copied is None else _link)(unfinished, target)
    except OSError as error:
        if error.errno is None or error.filename not in {None, unfinished, target}:
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None
    finally:
        with suppress(OSError):
            os.unlink(unfinished)


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), target) from None
        os.replace(source, target)


def write_whole(path: FilePath, data: bytes, copied: FilePath | None = None) -> None:
    """Write a file whole, or leave what was there; see `writing`. Raises OSError."""
    with writing(path, copied) as file:
        file.write(data)


def append_whole(path: FilePath, content: bytes) -> None:
    """Add to the end of a regular file, which may be new, all of `content` or nothing. Raises OSError."""
    descriptor = descriptor_of(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        append_to(descriptor, content, os.fspath(path))
    finally:
        os.close(descriptor)


def append_to(descriptor: int, content: bytes, name: str) -> None:
    """Add to the end of an open file called `name` all of `content` or nothing. Raises OSError.

    A part of it stays only where another process has added to the file meanwhile.
    """
    length = os.fstat(descriptor).st_size
    rest = memoryview(content)
    try:
        while rest:
            rest = rest[os.write(descriptor, rest) :]
    except OSError as error:
        with suppress(OSError):
            if os.fstat(descriptor).st_size == length + len(content) - len(rest):
                os.ftruncate(descriptor, length)
        raise OSError(error.errno, error.strerror, name) from None


def write_all(descriptor: int, content: bytes, name: str) -> None:
    """Write all of `content`, however many writes it takes. Raises OSError with the name."""
    rest = memoryview(content)
    try:
        while rest:
            rest = rest[os.write(descriptor, rest) :]
    except OSError as error:
        raise OSError(error.errno, error.strerror, name) from None


def open_file(path: FilePath, largest: int) -> BufferedReader:
    """A regular file of at most `largest` bytes, open for reading. Raises OSError.

    The file may grow afterwards: to read all of it, use `read_file`.
    """
    descriptor = descriptor_of(path)
    size = os.fstat(descriptor).st_size
    if size > largest:
        os.close(descriptor)
        raise _too_large(path, largest)
    return open(descriptor, "rb")


def read_file(path: FilePath, largest: int) -> bytes:
    """All of a regular file of at most `largest` bytes, whatever size the system reports. Raises OSError."""
    with open_file(path, largest) as file:
        return read_all(file, largest, os.fspath(path))


def read_all(file: Readable, largest: int, name: str) -> bytes:
    """The rest of a file or a stream, at most `largest` bytes. Raises OSError, also where it is longer."""
    pieces: list[bytes] = []
    left = largest + 1
    while left and (piece := file.read(min(left, _PIECE))):
        pieces.append(piece)
        left -= len(piece)
    if not left:
        raise _too_large(name, largest)
    return b"".join(pieces)


def size_text(size: int) -> str:
    """A size in the largest unit that fits, rounded down: `16 MiB`."""
    for unit, name in _UNITS:
        if size >= unit:
            return f"{size // unit} {name}"
    return f"{size} bytes"


def _too_large(path: FilePath, largest: int) -> UnusableFileError:
    return UnusableFileError(errno.EFBIG, f"larger than {size_text(largest)}", os.fspath(path))


def _check_unopened(name: str, *, follow: bool) -> None:
    """Raise OSError where there is something other than a regular file; a new file may be created."""
    try:
        found = os.stat(name, follow_symlinks=follow)
    except FileNotFoundError:
        return
    _check(found, name)


def _check(found: os.stat_result, name: str) -> None:
    mode = found.st_mode
    if stat.S_ISREG(mode):
        return
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
    kind = next((words for is_kind, words in _KINDS if is_kind(mode)), "something else")
    raise UnusableFileError(errno.EINVAL, f"{kind}, not a regular file", name)


def _careful_flags(*, follow: bool) -> int:
    """Flags for `open`: do not wait, do not be inherited, do not become the controlling terminal."""
    names = ["O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_BINARY"] + ["O_NOFOLLOW"] * (not follow)
    return sum(getattr(os, name, 0) for name in names)  # not every system has them all


def make_blocking(descriptor: int) -> None:
    """Have reads and writes wait: another program may have set a shared terminal or pipe not to."""
    with suppress(AttributeError, OSError):
        os.set_blocking(descriptor, True)
