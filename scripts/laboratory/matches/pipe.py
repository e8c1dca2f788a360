"""An engine process, its two pipes, and the moment each of its lines arrives.

python-chess's client parses every line of analysis in its event loop while the clock runs, and cannot drive
an XBoard engine without `setboard`, Debian's Fairy-Max for one. Here a line costs a poll, a read and a split;
what it says is looked at once the clock has stopped.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import tempfile
import time
from collections import deque
from typing import TYPE_CHECKING

from .memory import peak_resident
from .time_control import NS_PER_MS, NS_PER_S

if TYPE_CHECKING:
    from collections.abc import Sequence

_CHUNK = 1 << 16
_LONGEST_LINE = 1 << 20
_LINES_KEPT = 24
_ERRORS_KEPT = 2000
_LONGEST_KEPT = 160
_QUIT_SECONDS = 5.0


class EngineGoneError(Exception):
    """The engine closed its output or its input: it ended, by itself or otherwise."""


class EngineSilentError(Exception):
    """The engine did not say what it was to say in time."""


class EnginePipe:
    """A running engine. Raises OSError if it cannot be started."""

    def __init__(self, command: Sequence[str], directory: str | None = None) -> None:
        """Start the engine, in a session of its own: an interrupt at the terminal is for the runner alone."""
        self._errors = tempfile.TemporaryFile("a+b")  # noqa: SIM115 - lives as long as the engine
        self._peak = 0
        try:
            self._process = subprocess.Popen(
                command,
                cwd=directory,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                bufsize=0,
                start_new_session=True,
            )
        except OSError:
            self._errors.close()
            raise
        assert self._process.stdin is not None and self._process.stdout is not None  # noqa: S101, PT018
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        self._poll = select.poll()
        self._poll.register(self._stdout, select.POLLIN)
        self._pending: deque[tuple[bytes, int]] = deque()
        self._rest = b""
        self._said: deque[tuple[str, bytes]] = deque(maxlen=_LINES_KEPT)

    @property
    def pid(self) -> int:
        """The engine's process, which leads a process group."""
        return self._process.pid

    def send(self, line: str) -> None:
        """Write one line. Raises EngineGoneError."""
        self.send_bytes(line.encode())

    def send_bytes(self, data: bytes) -> None:
        """Write a line of any bytes; the line break is added. Raises EngineGoneError."""
        self._said.append((">", data))
        try:
            os.write(self._stdin.fileno(), data + b"\n")
        except OSError as error:
            raise EngineGoneError(self._farewell()) from error

    def receive(self, deadline: int) -> tuple[bytes, int]:
        """The next line and when it arrived, in monotonic nanoseconds.

        Raises EngineSilentError when none has come by the deadline, EngineGoneError when none will come.
        """
        while not self._pending:
            self._fill(deadline)
        line, arrived = self._pending.popleft()
        self._said.append(("<", line))
        return line, arrived

    def wait_for(self, answer: bytes, seconds: float) -> None:
        """Read until this line comes. Raises as `receive` does."""
        deadline = time.monotonic_ns() + int(seconds * NS_PER_S)
        while self.receive(deadline)[0] != answer:
            pass

    def forget(self) -> None:
        """Drop the record of what was said so far: a new game begins."""
        self._said.clear()
        self._errors.truncate(0)

    def last_lines(self) -> tuple[str, ...]:
        """The end of the dialogue, `>` to the engine and `<` from it, and of the engine's standard error."""
        while self._pending:
            self._said.append(("<", self._pending.popleft()[0]))
        said = [f"{mark} {_shortened(line)}" for mark, line in self._said]
        return (*said, *(f"! {_shortened(line)}" for line in self.errors().splitlines() if line.strip()))

    def errors(self) -> bytes:
        """The end of what the engine has written to standard error."""
        size = os.fstat(self._errors.fileno()).st_size
        return os.pread(self._errors.fileno(), _ERRORS_KEPT, max(0, size - _ERRORS_KEPT))

    def peak(self) -> int:
        """The most memory in bytes that the engine has had resident at once, as far as it is known."""
        self._peak = max(self._peak, peak_resident(self._process.pid))
        return self._peak

    def close(self) -> int | None:
        """Ask the engine to quit, and end it if it does not. The exit status, None where it was killed."""
        with contextlib.suppress(EngineGoneError):
            self.send("quit")
        self._stdin.close()
        try:
            self._process.wait(_QUIT_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            return None
        self._release()
        return self._process.returncode

    def kill(self) -> None:
        """End the engine and what it started at once."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._release()

    def _release(self) -> None:
        for stream in (self._stdin, self._stdout, self._errors):
            stream.close()

    def _fill(self, deadline: int) -> None:
        patience = deadline - time.monotonic_ns()
        if patience < 0 or not self._poll.poll(-(-patience // NS_PER_MS)):
            raise EngineSilentError
        chunk = os.read(self._stdout.fileno(), _CHUNK)
        arrived = time.monotonic_ns()
        if not chunk:
            raise EngineGoneError(self._farewell())
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        if len(self._rest) > _LONGEST_LINE:
            self._rest = b""
        self._pending.extend((line.rstrip(b"\r"), arrived) for line in lines)

    def _farewell(self) -> str:
        """How the process ended, in words."""
        try:
            status = self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            return "closed its pipes"
        if status < 0:
            return f"ended by signal {-status} ({signal.strsignal(-status) or 'unknown'})"
        return f"ended with status {status}"


def _shortened(line: bytes) -> str:
    text = line.decode(errors="replace")
    if len(text) <= _LONGEST_KEPT:
        return text
    return f"{text[: _LONGEST_KEPT // 2]} … {text[-_LONGEST_KEPT // 2 :]}"
