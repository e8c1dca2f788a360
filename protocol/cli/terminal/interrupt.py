"""Ctrl-C and SIGTERM where there is something to put in order before the end."""

from __future__ import annotations

import os
import signal
from _thread import start_new_thread
from contextlib import contextmanager
from typing import TYPE_CHECKING

from engine import system
from protocol.cli.terminal import keyboard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

_SHOW_CURSOR = b"\x1b[?25h"  # a live display hides it
_STDOUT, _STDERR = 1, 2


class Interruption:
    """Which signal has asked the work to end: None as long as none has."""

    def __init__(self) -> None:
        self.signal: signal.Signals | None = None

    @property
    def by_person(self) -> bool:
        """Whether it was Ctrl-C."""
        return self.signal is signal.SIGINT

    @property
    def exit_status(self) -> int:
        """What shells expect of a process ended so: 130 for Ctrl-C, 143 for SIGTERM; 0 if nothing came."""
        return 0 if self.signal is None else 128 + self.signal


@contextmanager
def stopping(stop: Callable[[], None]) -> Iterator[Interruption]:
    """Meanwhile the first SIGINT or SIGTERM calls `stop`; a SIGINT after it ends the process at once.

    One that is ignored, as under nohup(1) or in the background of a script, stays so.

    For that one no handler of ours is left, as it might not run while the main thread waits for a lock: so
    the terminal is as it was from the first on. A second SIGTERM changes nothing: timeout(1) sends two, one
    to the process and one to its group.

    `stop` runs in a thread of its own, so it may take locks that the main thread holds at that moment; a
    stop that finds nothing to stop yet is lost, so look at `signal` too before going on. For the main
    thread only. Afterwards both signals do what they did before.
    """
    interruption = Interruption()
    settings = keyboard.attributes()
    heeded = system.unignored_signals("SIGINT", "SIGTERM")

    def first(number: int, _frame: FrameType | None) -> None:
        interruption.signal = signal.Signals(number)
        _show_cursor()
        keyboard.restore(settings)
        for each in heeded:
            signal.signal(each, signal.SIG_DFL if each is signal.SIGINT else signal.SIG_IGN)
        start_new_thread(stop, ())  # not threading.Thread, whose start takes a lock, too

    before = {number: signal.signal(number, first) for number in heeded}
    try:
        yield interruption
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _show_cursor() -> None:
    for descriptor in (_STDOUT, _STDERR):
        if os.isatty(descriptor):
            os.write(descriptor, _SHOW_CURSOR)
            break
