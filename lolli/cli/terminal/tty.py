"""The terminal as a device: text without control characters, keys that do not echo, and Ctrl-C.

Quick to import: rich is not needed.
"""

from __future__ import annotations

import os
import signal
import sys
from _thread import start_new_thread
from contextlib import contextmanager
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any, TextIO

from engine.system import services
from protocol.text import escaped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

_NAMES = ("stdout", "stderr")
_STDIN = 0
_SHOW_CURSOR = b"\x1b[?25h"  # a live display hides it
_STDOUT, _STDERR = 1, 2


class PrintableStream(TextIOWrapper):
    """Wraps the stream `plain`, and writes control characters in text as escapes."""

    def __init__(self, plain: TextIOWrapper) -> None:
        super().__init__(plain.buffer, plain.encoding, plain.errors, write_through=True)
        self.plain = plain

    def write(self, text: str, /) -> int:
        super().write(escaped(text, "\n\t"))
        return len(text)

    def close(self) -> None:
        """Leave `plain` open."""


@contextmanager
def printable_streams() -> Iterator[None]:
    """A context in which stdout and stderr are printable streams.

    What replaces one of them stays afterwards: where the reader has gone away, click's wrapper, without which
    the last flush at exit would fail.
    """
    before = {name: getattr(sys, name) for name in _NAMES}
    for name, stream in before.items():
        if isinstance(stream, TextIOWrapper) and not isinstance(stream, PrintableStream):
            setattr(sys, name, PrintableStream(stream))
    try:
        yield
    finally:
        for name, stream in before.items():
            if isinstance(getattr(sys, name), PrintableStream):
                setattr(sys, name, stream)


def plain(stream: TextIO) -> TextIO:
    """The stream below a printable stream, for text that is already escaped and has colours."""
    return stream.plain if isinstance(stream, PrintableStream) else stream


def attributes() -> list[Any] | None:
    """The settings of the terminal on stdin; None without one, or if this process is in the background."""
    return services.terminal_settings(_STDIN)


def restore(settings: list[Any] | None) -> None:
    """Restore the settings, unless this process is in the background: that would stop it."""
    if settings is not None and attributes() is not None:
        services.set_terminal(_STDIN, settings)


@contextmanager
def unheard() -> Iterator[None]:
    """A context in which keys are not echoed, as they would shift the display; Ctrl-C works as usual."""
    before = attributes()
    if before is not None:
        restore(services.silenced(before))
    try:
        yield
    finally:
        restore(before)


class Interruption:
    """The signal that asked the command to end; None if there was none."""

    def __init__(self) -> None:
        self.signal: signal.Signals | None = None

    @property
    def by_person(self) -> bool:
        return self.signal is signal.SIGINT

    @property
    def exit_status(self) -> int:
        """The status that shells expect after the signal: 130 for Ctrl-C, 143 for SIGTERM; 0 without one."""
        return 0 if self.signal is None else 128 + self.signal


@contextmanager
def stopping(stop: Callable[[], None]) -> Iterator[Interruption]:
    """A context in which the first SIGINT or SIGTERM calls `stop`, and a second SIGINT ends the process.

    Signals that are ignored, as under nohup(1) or in the background of a script, stay ignored.

    The second SIGINT has no handler, as that might not run while the main thread waits for a lock; so the
    terminal is restored at the first one. A second SIGTERM has no effect: timeout(1) sends two, one to the
    process and one to its group.

    `stop` runs in a thread of its own, so it may take locks that the main thread holds at that moment. A call
    before there is anything to stop is lost, so check `signal`, too, before going on. For the main thread
    only. Afterwards both signals have their previous handlers.
    """
    interruption = Interruption()
    settings = attributes()
    heeded = services.unignored_signals("SIGINT", "SIGTERM")

    def first(number: int, _frame: FrameType | None) -> None:
        interruption.signal = signal.Signals(number)
        _show_cursor()
        restore(settings)
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
