"""The real process in a terminal in memory: what a person sees, and which keys they press."""

import codecs
import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from threading import Lock, Thread
from typing import Self

import pyte

from engine.system import services
from tests.patience import PATIENCE

CTRL_C = "\x03"
# Makes the terminal on stdin the controlling one, from where Ctrl-C comes.
_LOGIN = "import os, sys; os.login_tty(0); os.execvp(sys.argv[1], sys.argv[1:])"
_POLL = 0.01  # seconds
# What keeps pawns from being emojis. Terminals give it no width; pyte drops what it is fed together with it.
_TEXT_STYLE = "\ufe0e"
# Ctrl-C drops what the terminal has not yet passed on, maybe from the middle of a sequence. A real terminal
# gives up such a sequence where the next one begins; pyte would lose the next one, too.
_CUT_SEQUENCE = re.compile(r"\x1b(?:\[[\d;?]*)?(?=\x1b)")
_BEGUN_SEQUENCE = re.compile(r"\x1b(?:\[[\d;?]*)?$")


class Screen:
    """A process in a terminal; leaving the context ends it."""

    def __init__(
        self, command: Sequence[str], columns: int = 100, lines: int = 40, term: str = "xterm-256color"
    ) -> None:
        self.raw = ""
        self._screen = pyte.HistoryScreen(columns, lines, history=10_000)
        self._stream = pyte.Stream(self._screen)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")  # a signal may cut a character
        self._lock = Lock()
        self._master, slave = os.openpty()
        self._tell_size(columns, lines)
        silent = {"COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "COLORTERM"}
        environment = {name: value for name, value in os.environ.items() if name not in silent}
        self.process = subprocess.Popen(
            [sys.executable, "-S", "-c", _LOGIN, *command], stdin=slave, env={**environment, "TERM": term}
        )
        os.close(slave)
        self._reader = Thread(target=self._read)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        self._reader.join()
        os.close(self._master)

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def resize(self, columns: int, lines: int) -> None:
        """Drag the window's corner. Lines that become too long are cut, as xterm does it."""
        with self._lock:
            self._screen.resize(lines, columns)
            self._tell_size(columns, lines)

    def wait(self) -> int:
        status = self.process.wait(PATIENCE)
        self._reader.join()
        return status

    def expect(self, pattern: str, patience: float = PATIENCE) -> re.Match[str]:
        """Wait until the pattern is found on the screen (`^` and `$` are those of a line)."""
        deadline = time.monotonic() + patience
        while True:
            text = self.text
            if match := re.search(pattern, text, re.MULTILINE):
                return match
            if time.monotonic() > deadline:
                raise AssertionError(f"no {pattern!r} within {patience} s on the screen:\n{text}")
            time.sleep(_POLL)

    @property
    def text(self) -> str:
        """All that was ever written, as it stands now: what has scrolled off the screen, then the screen."""
        with self._lock:
            width = self._screen.columns
            above = ["".join(line[x].data for x in range(width)) for line in self._screen.history.top]
            lines = [line.rstrip() for line in (*above, *self._screen.display)]
        return "\n".join(lines).rstrip("\n")

    @property
    def cursor_hidden(self) -> bool:
        with self._lock:
            return self._screen.cursor.hidden

    def background(self, column: int, line: int) -> str:
        """The colour behind a character: `default`, a name, or six hexadecimal digits. 0, 0 is top left."""
        with self._lock:
            return str(self._screen.buffer[line][column].bg)

    def _tell_size(self, columns: int, lines: int) -> None:
        services.set_terminal_size(self._master, columns, lines)

    def _read(self) -> None:
        begun = ""
        with suppress(OSError):  # the last process of the terminal has gone
            while data := os.read(self._master, 65536):
                text = self._decoder.decode(data)
                whole = _CUT_SEQUENCE.sub("", (begun + text).replace(_TEXT_STYLE, ""))
                begun = found[0] if (found := _BEGUN_SEQUENCE.search(whole)) else ""
                with self._lock:
                    self.raw += text
                    self._stream.feed(whole.removesuffix(begun))
