"""Things in the place of a file that would block a program which opens or reads them without a check."""

import os
from collections.abc import Callable
from pathlib import Path

GIANT = 4 << 40
"""The size of a sparse file in bytes; few file systems have room for it."""


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
    """The path, with the trap laid there."""
    TRAPS[trap](path)
    return path
