"""What the player types, and the signals that come meanwhile: Ctrl-C, an end, a fallen flag."""

from __future__ import annotations

import io
import signal
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

from engine import system

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import FrameType, TracebackType

_ENDINGS = system.signals("SIGTERM", "SIGHUP")
_NEVER = 0.0
_SHORTEST = 1e-3  # seconds: a timer set to nothing never rings


class TimeUpError(Exception):
    """Nothing was typed in time."""


class EndedError(Exception):
    """A signal asks the process to end: `Keyboard.ended_by`."""


class Keyboard:
    """Reads lines; with history and completion where a person types them. For the main thread alone.

    As a context it takes over the signals that are not ignored. Ctrl-C then raises KeyboardInterrupt from
    `ask`, or does what `busy` says.
    """

    def __init__(self, completions: Callable[[str], Sequence[str]]) -> None:
        """`completions` tells what the word at the end of a line may become."""
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
        heard = {
            *system.unignored_signals("SIGINT", "SIGTERM", "SIGHUP"),
            *system.signals("SIGALRM"),
        }
        self._before = {number: signal.signal(number, self._heard) for number in heard}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    def ask(self, prompt: str, seconds: float | None = None) -> str:
        """The next line. Where nobody sees what is typed it is shown after the prompt.

        Raises EOFError at the end, TimeUpError after so many seconds, KeyboardInterrupt, EndedError.
        """
        try:
            self._asking = True
            self._raise_what_came_before()
            if seconds is not None:
                system.alarm(max(seconds, _SHORTEST))
            return input(prompt) if self.is_terminal else self._read(prompt)
        finally:
            self._asking = False
            system.alarm(_NEVER)

    @contextmanager
    def busy(self, stop: Callable[[], None]) -> Iterator[None]:
        """Meanwhile Ctrl-C, or what else asks for an end, calls `stop`. EndedError if that came before."""
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
        self._asking = False  # what comes now comes too late to take the line back
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
        """A signal: raise while asking, stop what is under way, or remember it until the next question."""
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
    """Have the system's readline edit what is typed; nothing of it is kept."""
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
