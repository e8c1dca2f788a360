"""What lies where a file is expected, and would stop who opens or reads it without looking."""

import os
from collections.abc import Callable
from pathlib import Path

GIANT = 4 << 40
"""Bytes that a sparse file is said to have; few file systems have room for them."""


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
"""Each lays one, at a path where nothing is yet."""

REASONS = {
    "FIFO": "a FIFO, not a regular file",
    "device": "a device, not a regular file",
    "folder": "Is a directory",
    "stdin": "a FIFO, not a regular file",
    "giant": "larger than ",
}
"""What is said of each; stdin is a pipe."""


def laid(trap: str, path: Path) -> Path:
    """One of them, at this path."""
    TRAPS[trap](path)
    return path
