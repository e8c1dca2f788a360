"""Things in the place of a file that would block a program which opens or reads them without a check."""

import os
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

GIANT = 4 << 40  # the size of a sparse file in bytes; few file systems have room for it


def _giant(path: Path) -> None:
    path.touch()
    os.truncate(path, GIANT)


TRAPS: dict[str, Callable[[Path], None]] = {
    "FIFO": os.mkfifo,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "folder": Path.mkdir,
    "stdin": lambda path: path.symlink_to("/dev/stdin"),
    "giant": _giant,
}
"""How to make each at a free path."""

REASONS = {
    "FIFO": "a FIFO, not a regular file",
    "device": "a device, not a regular file",
    "folder": "Is a directory",
    "stdin": "a FIFO, not a regular file",
    "giant": "larger than ",
}
"""The reason why each is refused; stdin is a pipe."""


def laid(trap: str, path: Path) -> Path:
    TRAPS[trap](path)
    return path


@contextmanager
def full_disk(size: int) -> Iterator[None]:
    """Until the end of the context no file grows beyond `size` bytes: the error is "File too large"."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
