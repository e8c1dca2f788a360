"""The keyboard of a terminal on which something is shown in place."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from engine import system

if TYPE_CHECKING:
    from collections.abc import Iterator

_STDIN = 0


def attributes() -> list[Any] | None:
    """How the terminal on stdin is set; None where there is none, or where it is another process's turn."""
    return system.terminal_settings(_STDIN)


def restore(settings: list[Any] | None) -> None:
    """Set the terminal as it was, unless it is another process's turn: that would stop this one."""
    if settings is not None and attributes() is not None:
        system.set_terminal(_STDIN, settings)


@contextmanager
def unheard() -> Iterator[None]:
    """Meanwhile keys do not show, which would shift what is shown in place; Ctrl-C works as ever."""
    before = attributes()
    if before is not None:
        restore(system.silenced(before))
    try:
        yield
    finally:
        restore(before)
