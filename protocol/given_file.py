"""The files that a command line names.

What is read is a regular file: a FIFO, a device or a socket that lies there is refused, since nobody knows
whether and when it would end. What comes through a pipe is `-`, or what the shell hands over by name:
`/dev/stdin`, and `/dev/fd/63` for `<(xz -dc games.pgn.xz)`. Results may go to a device, or to a FIFO that
somebody reads from.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from contextlib import contextmanager
from errno import ENXIO
from io import FileIO
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from engine import files

if TYPE_CHECKING:
    from collections.abc import Iterator

STDIO = "-"
_HANDED_OVER = re.compile(r"/dev/(?:stdin|fd/[0-9]+)")


def is_handed_over(name: str) -> bool:
    """Whether it is `-`, or the name of a descriptor that the shell has opened for this command."""
    return name == STDIO or _HANDED_OVER.fullmatch(name) is not None


@contextmanager
def opened(name: str, largest: int) -> Iterator[BinaryIO]:
    """The regular file of that name, of at most `largest` bytes, or a stream. Raises OSError."""
    if name == STDIO:
        yield sys.stdin.buffer
    elif is_handed_over(name):
        with open(name, "rb") as stream:  # noqa: PTH123 - the name of no file
            yield stream
    else:
        with files.open_file(name, largest) as file:
            yield file


def read(name: str, largest: int) -> bytes:
    """All of the file or the stream of that name, at most `largest` bytes. Raises OSError."""
    with opened(name, largest) as file:
        return files.read_all(file, largest, name)


def is_stream(name: str) -> bool:
    """Whether it is a FIFO, a device or a socket, which takes what is written and keeps nothing of it."""
    try:
        mode = Path(name).stat().st_mode
    except (OSError, ValueError):
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def open_stream(name: str) -> FileIO:
    """Open such a thing for writing. Raises OSError, also for a FIFO that nobody reads from."""
    try:
        descriptor = os.open(name, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except OSError as error:
        if error.errno == ENXIO:
            raise files.UnusableFileError(ENXIO, "nobody reads from it", name) from None
        raise
    os.set_blocking(descriptor, True)
    return FileIO(descriptor, "wb")
