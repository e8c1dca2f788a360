"""Keys, signals and streams of the terminal. Quick to import: rich is not needed."""

import io
import os
import signal
import sys
from _thread import start_new_thread
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from math import inf
from time import monotonic
from types import FrameType
from typing import Any, Self, TextIO, TypeVar

from engine.system import services
from protocol.text import escaped

_NAMES = ("stdout", "stderr")
_STDIN = 0
_SHOW_CURSOR = b"\x1b[?25h"  # a live display hides it
_STDOUT, _STDERR = 1, 2


class PrintableStream(TextIOWrapper):
    """Wraps the stream `plain`, and writes control characters in text as escapes.

    A character that the encoding lacks becomes a question mark.
    """

    def __init__(self, plain: TextIOWrapper) -> None:
        errors = "replace" if plain.errors == "strict" else plain.errors
        super().__init__(plain.buffer, plain.encoding, errors, write_through=True)
        self.plain = plain

    def write(self, text: str, /) -> int:
        super().write(escaped(text, "\n\t"))
        return len(text)

    def close(self) -> None:
        """Leave `plain` open."""


@contextmanager
def printable_streams() -> Iterator[None]:
    """Make stdout and stderr printable; what replaced one meanwhile stays.

    Click wraps a stream whose reader has gone away; without that the last flush at exit would fail.
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
    return services.terminal_settings(_STDIN)


def restore(settings: list[Any] | None) -> None:
    """Restore the settings, unless this process is in the background: that would stop it."""
    if settings is not None and attributes() is not None:
        services.set_terminal(_STDIN, settings)


@contextmanager
def unheard() -> Iterator[None]:
    before = attributes()
    if before is not None:
        restore(services.silenced(before))
    try:
        yield
    finally:
        restore(before)


class Interruption:
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
    """The first SIGINT or SIGTERM calls `stop`, a second SIGINT ends the process. For the main thread only.

    Signals that are ignored, as under nohup(1), stay ignored. The second SIGINT has no handler, as that might
    not run while the main thread waits for a lock; so the terminal is restored at the first one. A second
    SIGTERM has no effect: timeout(1) sends two. `stop` runs in another thread, so it may take locks that the
    main thread holds. A call before there is anything to stop is lost: check `signal`, too.
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


_ENDINGS, _ALARMS = services.signals("SIGTERM", "SIGHUP"), services.signals("SIGALRM")
_INTERRUPTED, _SIGNALLED = 130, 128  # exit statuses
_NEVER = 0.0
_SHORTEST = 1e-3  # seconds: a timer set to nothing never rings
_INTERVAL = 0.5  # seconds, see `Keyboard.ask`


class TimeUpError(Exception):
    """The time was up before a line was typed."""


class EndedError(BaseException):
    """A signal asked the process to end: `Keyboard.ended_by`. Not for `except Exception` of a search."""


Answer = TypeVar("Answer")


class Keyboard:
    """Reads lines, at a terminal with history and completion. For the main thread only.

    As a context it handles the signals that are not ignored. Ctrl-C then raises KeyboardInterrupt in `ask`;
    in `busy` it calls `stop`, and a second one raises.
    """

    def __init__(self, completions: Callable[[str], Sequence[str]]) -> None:
        """`completions(line)` returns the completions of the last word."""
        self.is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
        self.ended_by: signal.Signals | None = None
        self._asking = False
        self._time_up_at = inf
        self._left_by: type[BaseException] | None = None
        self._interrupted = self._stopping = False
        self._stop: Callable[[], None] | None = None
        self._before: dict[int, object] = {}
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")
        if self.is_terminal:
            _edit_lines(completions)

    def __enter__(self) -> Self:
        heard = {*services.unignored_signals("SIGINT", "SIGTERM", "SIGHUP"), *_ALARMS}
        self._before = {number: signal.signal(number, self._heard) for number in heard}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    def ask(self, prompt: str, seconds: float | None = None) -> str:
        """Without a terminal the line is printed after the prompt.

        Raises EOFError at the end, TimeUpError after `seconds`, KeyboardInterrupt, EndedError.
        """
        try:
            self._left_by = None
            self._asking = True
            self._raise_what_came_before()
            self._time_up_at = inf if seconds is None else monotonic() + seconds
            # A signal just before the wait for a key would be handled only after the key, and input()
            # swallows what is raised while it flushes. So the wait ends again and again, and `_leave` raises
            # once more.
            first = _INTERVAL if seconds is None else max(max(seconds, 0.0) % _INTERVAL, _SHORTEST)
            services.alarm(first, _INTERVAL)
            line = input(prompt) if self.is_terminal else self._read(prompt)
            if self.is_terminal and self._left_by is not None:
                raise self._left_by
            return line
        finally:
            self._asking = False
            services.alarm(_NEVER)

    def answer(
        self,
        prompt: str,
        words: Mapping[str, Callable[[], Answer | None]],
        read: Callable[[str], Answer | None],
    ) -> Answer:
        """Ask until one of the `words`, or `read`, returns an answer. Raises as `ask`; quit is EOFError."""
        while True:
            try:
                typed = self.ask(prompt).strip()
            except (EOFError, KeyboardInterrupt):
                _write("\n")
                raise
            word = typed.lower()
            if word == "quit":
                raise EOFError
            found = words[word]() if word in words else read(typed)
            if found is not None:
                return found

    def status_after(self, talk: Callable[[], None]) -> int:
        """Returns the exit status. `talk` raises what `ask` raises, except TimeUpError."""
        try:
            talk()
        except EOFError:
            return 0
        except KeyboardInterrupt:
            return _INTERRUPTED
        except EndedError:
            return _SIGNALLED + (self.ended_by or 0)
        return 0

    @contextmanager
    def busy(self, stop: Callable[[], None]) -> Iterator[None]:
        """A context in which the first Ctrl-C or other ending signal calls `stop`; the second one raises.

        KeyboardInterrupt or EndedError, which is raised at once if such a signal came before.
        """
        if self.ended_by is not None:
            raise EndedError
        self._interrupted = self._stopping = False
        self._stop = stop
        try:
            yield
        finally:
            self._stop = None

    def _read(self, prompt: str) -> str:
        _write(prompt)
        line = sys.stdin.readline()
        self._asking = False  # a signal after this is too late to discard the line
        if not line:
            raise EOFError
        line = line.rstrip("\r\n")
        _write("".join(letter if letter.isprintable() else "?" for letter in line) + "\n")
        return line

    def _raise_what_came_before(self) -> None:
        if self.ended_by is not None:
            raise EndedError
        if self._interrupted:
            self._interrupted = False
            raise KeyboardInterrupt

    def _heard(self, number: int, _frame: FrameType | None) -> None:
        """On a signal: raise in `ask`, see `busy`, otherwise remember it until the next `ask`."""
        if number in _ENDINGS:
            self.ended_by = signal.Signals(number)
        if self._asking:
            self._leave(number)
        elif number in _ALARMS:
            return
        elif self._stop is not None and self._stopping:  # a search in a file may never look whether to stop
            raise KeyboardInterrupt if self.ended_by is None else EndedError
        elif self._stop is not None:
            self._stopping = True
            self._stop()
        elif number == signal.SIGINT:
            self._interrupted = True

    def _leave(self, number: int) -> None:
        if self._left_by is None:
            if number in _ALARMS and monotonic() + _SHORTEST < self._time_up_at:
                return
            by_person = KeyboardInterrupt if number == signal.SIGINT else TimeUpError
            self._left_by = EndedError if number in _ENDINGS else by_person
            services.alarm(_INTERVAL, _INTERVAL)
        elif number not in _ALARMS:
            return
        raise self._left_by


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _edit_lines(completions: Callable[[str], Sequence[str]]) -> None:
    try:
        import readline  # noqa: PLC0415 - only for terminals, and not every Python has it
    except ImportError:
        return

    def complete(_word: str, state: int) -> str | None:
        words = completions(readline.get_line_buffer()[: readline.get_endidx()])
        return words[state] if state < len(words) else None

    readline.set_completer_delims(" \t")
    readline.set_completer(complete)
    readline.parse_and_bind("tab: complete")
