"""The lines that a person types, and the signals that come meanwhile."""

import io
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Self

from engine.system import services

_ENDINGS = services.signals("SIGTERM", "SIGHUP")
_INTERRUPTED, _SIGNALLED = 130, 128  # exit statuses
_NEVER = 0.0
_SHORTEST = 1e-3  # seconds: a timer set to nothing never rings


class TimeUpError(Exception):
    """The time was up before a line was typed."""


class EndedError(Exception):
    """A signal asked the process to end: `Keyboard.ended_by`."""


class Keyboard:
    """Reads lines, at a terminal with history and completion. For the main thread only.

    As a context it handles the signals that are not ignored. Ctrl-C then raises KeyboardInterrupt in `ask`,
    and calls `stop` in `busy`.
    """

    def __init__(self, completions: Callable[[str], Sequence[str]]) -> None:
        """`completions(line)` returns the completions of the last word."""
        self.is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
        self.ended_by: signal.Signals | None = None
        self._asking = False
        self._interrupted = False
        self._stop: Callable[[], None] | None = None
        self._before: dict[int, object] = {}
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")
        if self.is_terminal:
            _edit_lines(completions)

    def __enter__(self) -> Self:
        heard = {*services.unignored_signals("SIGINT", "SIGTERM", "SIGHUP"), *services.signals("SIGALRM")}
        self._before = {number: signal.signal(number, self._heard) for number in heard}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    def ask(self, prompt: str, seconds: float | None = None) -> str:
        """The next line. Without a terminal it is printed after the prompt.

        Raises EOFError at the end, TimeUpError after `seconds`, KeyboardInterrupt, EndedError.
        """
        try:
            self._asking = True
            self._raise_what_came_before()
            if seconds is not None:
                services.alarm(max(seconds, _SHORTEST))
            return input(prompt) if self.is_terminal else self._read(prompt)
        finally:
            self._asking = False
            services.alarm(_NEVER)

    def status_after(self, talk: Callable[[], None]) -> int:
        """Have a dialogue until it ends or the person leaves; returns the exit status.

        `talk` raises what `ask` raises, but for TimeUpError, and EOFError also where the person leaves.
        """
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
        """A context in which Ctrl-C and other ending signals call `stop`. EndedError if one came before."""
        if self.ended_by is not None:
            raise EndedError
        self._interrupted = False
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
        """On a signal: raise in `ask`, call `stop` in `busy`, otherwise remember it until the next `ask`."""
        if number in _ENDINGS:
            self.ended_by = signal.Signals(number)
        if self._asking:
            self._asking = False  # one is enough
            if number in _ENDINGS:
                raise EndedError
            raise KeyboardInterrupt if number == signal.SIGINT else TimeUpError
        if self._stop is not None:
            self._stop()
        elif number == signal.SIGINT:
            self._interrupted = True


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _edit_lines(completions: Callable[[str], Sequence[str]]) -> None:
    """Let the system's readline edit the lines; no history is saved."""
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
