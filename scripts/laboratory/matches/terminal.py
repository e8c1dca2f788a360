"""How a command is interrupted."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from types import FrameType

INTERRUPTED = 130
"""The exit status of a command that was interrupted."""


def interrupt_on_sigterm() -> None:
    """Have SIGTERM raise KeyboardInterrupt, as SIGINT does, so that what was started is ended in order."""
    signal.signal(signal.SIGTERM, _interrupt)


def _interrupt(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt
