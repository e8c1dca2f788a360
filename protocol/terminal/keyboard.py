"""The keyboard of a terminal on which something is shown in place."""

from __future__ import annotations

import os
import termios
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_STDIN = 0
_LOCAL_FLAGS = 3  # where termios has them


def attributes() -> list[Any] | None:
    """How the terminal on stdin is set; None where there is none, or where it is another process's turn."""
    try:
        return termios.tcgetattr(_STDIN) if os.tcgetpgrp(_STDIN) == os.getpgrp() else None
    except (OSError, termios.error):
        return None


def restore(settings: list[Any] | None) -> None:
    """Set the terminal as it was, unless it is another process's turn: that would stop this one."""
    if settings is not None and attributes() is not None:
        termios.tcsetattr(_STDIN, termios.TCSANOW, settings)


@contextmanager
def unheard() -> Iterator[None]:
    """Meanwhile keys do not show, which would shift what is shown in place; Ctrl-C works as ever."""
    before = attributes()
    if before is not None:
        silent = [*before]
        silent[_LOCAL_FLAGS] &= ~termios.ECHO
        restore(silent)
    try:
        yield
    finally:
        restore(before)
