"""A process in a terminal in memory: keys go in, and what a person would see can be looked at."""

from __future__ import annotations

import codecs
import os
import re
import select
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Self

import pyte

from engine import system
from scripts.documentation.error import DocumentationError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path
    from types import TracebackType

# Makes the terminal on stdin the controlling one, from where Ctrl-C comes.
_LOGIN = "import os, sys; os.login_tty(0); os.execvp(sys.argv[1], sys.argv[1:])"
_PROMPT = "\x1b[1;32m$\x1b[0m "
_TEXT_STYLE = "\ufe0e"  # has no width; pyte would drop what comes after it
_DIM, _BLINKING, _NEITHER_BOLD_NOR_DIM, _NOT_BLINKING = 2, 5, 22, 25
_COLOURS, _NUMBERS_OF_COLOUR = (38, 48), {5: 1, 2: 3}  # after each of these a kind of colour and its numbers
_REST = (
    0.04  # seconds without output after which a display is taken as drawn; they change some 10 times a second
)
_KEYS = {"ctrl-c": "\x03", "ctrl-d": "\x04", "enter": "\r", "tab": "\t", "escape": "\x1b"}


@dataclass(frozen=True, slots=True)
class ScreenCell:
    """A character on the screen; colours are `default`, a name as pyte's, or six hexadecimal digits."""

    text: str
    foreground: str = "default"
    background: str = "default"
    bold: bool = False
    italic: bool = False
    underlined: bool = False
    dim: bool = False

    @property
    def blank(self) -> bool:
        """Whether there is nothing to see."""
        return self.text in ("", " ") and self.background == "default" and not self.underlined


class Terminal:
    """A command of the shell in a terminal with true colours; leaving the context ends it."""

    def __init__(
        self, command: str, size: tuple[int, int], folder: Path, environment: Mapping[str, str]
    ) -> None:
        """Start it in `folder`. `size` is columns and lines."""
        columns, lines = size
        self._screen = _Screen(columns, lines)
        self._stream = pyte.Stream(self._screen)
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._stream.feed(_PROMPT + command.replace("\n", "\r\n") + "\r\n")
        self._master, slave = os.openpty()
        system.set_terminal_size(self._master, columns, lines)
        self._process = subprocess.Popen(
            [sys.executable, "-S", "-c", _LOGIN, "sh", "-c", f"exec {command}"],
            stdin=slave,
            cwd=folder,
            env={**environment, "TERM": "xterm-256color", "COLORTERM": "truecolor"},
            start_new_session=True,
        )
        os.close(slave)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        os.close(self._master)

    def press(self, key: str) -> None:
        """Press a key of _KEYS, or write a text; a line goes with `enter`."""
        os.write(self._master, _KEYS.get(key, key).encode())

    def until(self, pattern: str, seconds: float) -> None:
        """Wait until the pattern is found on the screen and the display rests. Raises DocumentationError."""
        deadline = time.monotonic() + seconds
        while not re.search(pattern, self.text, re.MULTILINE):
            left = deadline - time.monotonic()
            if left <= 0 or not self._pump(left):
                raise DocumentationError(f"{pattern!r} was not seen; the screen:\n{self.text}")
        while time.monotonic() < deadline and self._pump(_REST):
            pass

    def wait(self, seconds: float) -> int:
        """Wait for the end of the process; its exit status. Raises DocumentationError."""
        deadline = time.monotonic() + seconds
        while self._pump(deadline - time.monotonic()):
            pass
        try:
            return self._process.wait(max(_REST, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            raise DocumentationError(f"did not end within {seconds} s; the screen:\n{self.text}") from None

    @property
    def text(self) -> str:
        """What stands on the screen, without spaces and lines at the end that are empty."""
        return "\n".join(line.rstrip() for line in self._screen.display).rstrip()

    def cells(self) -> list[list[ScreenCell]]:
        """The lines of the screen down to the last with something in it; the cursor is a cell in reverse."""
        screen = self._screen
        rows = [[_cell(screen.buffer[y][x]) for x in range(screen.columns)] for y in range(screen.lines)]
        cursor = screen.cursor
        if not cursor.hidden and self._process.poll() is None and cursor.x < screen.columns:
            rows[cursor.y][cursor.x] = ScreenCell(" ", background="white")
        while len(rows) > 1 and all(cell.blank for cell in rows[-1]):
            del rows[-1]
        return rows

    def _pump(self, seconds: float) -> bool:
        """Take what the process writes within so long; False if that is nothing, or it has ended."""
        if seconds <= 0 or not select.select([self._master], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self._master, 65536)
        except OSError:  # the last process of the terminal has gone
            return False
        self._stream.feed(self._decoder.decode(data).replace(_TEXT_STYLE, ""))
        return bool(data)


class _Screen(pyte.Screen):
    """pyte knows no dim characters; it does know blinking ones, which nothing of ours writes."""

    def select_graphic_rendition(self, *attrs: int) -> None:
        """Take up colours and styles."""
        super().select_graphic_rendition(*_dim_as_blinking(attrs))


def _dim_as_blinking(codes: Sequence[int]) -> Iterator[int]:
    left = iter(codes)
    for code in left:
        if code in _COLOURS:
            kind = next(left, 0)
            yield from (code, kind, *islice(left, _NUMBERS_OF_COLOUR.get(kind, 0)))
        elif code == _DIM:
            yield _BLINKING
        elif code == _NEITHER_BOLD_NOR_DIM:
            yield from (code, _NOT_BLINKING)
        else:
            yield code


def _cell(char: pyte.screens.Char) -> ScreenCell:
    foreground, background = char.fg, char.bg
    if char.reverse:
        foreground = "black" if background == "default" else background
        background = "white" if char.fg == "default" else char.fg
    return ScreenCell(char.data, foreground, background, char.bold, char.italics, char.underscore, char.blink)
