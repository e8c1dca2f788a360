"""Files named on a command line.

Input is read from regular files: a FIFO, a device or a socket is refused, since it may never end. Pipes are
read as `-`, or by the names that a shell passes: `/dev/stdin`, and `/dev/fd/63` for `<(xz -dc games.pgn.xz)`.
Output may go to a device, or to a FIFO that somebody reads from.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import sys
from contextlib import contextmanager
from errno import ENXIO
from io import FileIO
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, BinaryIO

from engine.system import files

if TYPE_CHECKING:
    from collections.abc import Iterator

STDIO = "-"
_HANDED_OVER = re.compile(r"/dev/(?:stdin|fd/[0-9]+)")


def is_handed_over(name: str) -> bool:
    """Whether `name` is `-`, or the name of a descriptor that the shell has opened for this command."""
    return name == STDIO or _HANDED_OVER.fullmatch(name) is not None


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
