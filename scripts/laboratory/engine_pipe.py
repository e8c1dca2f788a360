"""An engine process, its pipes, and the time at which each of its lines arrives.

python-chess's client parses every line of analysis in its event loop while the clock runs. Here a line costs
a poll, a read and a split; its text is parsed after the clock has stopped.
"""

import contextlib
import os
import re
import select
import signal
import subprocess
import tempfile
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path

import psutil

NS_PER_MS = 1_000_000
NS_PER_S = 1_000_000_000

_CHUNK = 1 << 16
_LONGEST_LINE = 1 << 20
_LINES_KEPT = 24
_ERRORS_KEPT = 2000
_LONGEST_KEPT = 160
_QUIT_SECONDS = 5.0


class EngineError(Exception):
    """There is no answer from an engine; the message says why, and goes on from the engine's name."""


class EngineGoneError(EngineError):
    """The engine has closed its output or its input, usually because it ended."""


class EngineSilentError(EngineError):
    """The engine did not answer in time."""


class EnginePipe:
    def __init__(self, command: Sequence[str], directory: str | None = None) -> None:
        """In a session of its own, where Ctrl-C does not reach it. Raises OSError."""
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
        return self._process.pid

    def send(self, line: str) -> None:
        self.send_bytes(line.encode())

    def send_bytes(self, data: bytes) -> None:
        self._said.append((">", data))
        try:
            os.write(self._stdin.fileno(), data + b"\n")
        except OSError as error:
            raise EngineGoneError(self._farewell()) from error

    def receive(self, deadline: int) -> tuple[bytes, int]:
        """A line and its monotonic time in ns. Raises EngineSilentError at the deadline, EngineGoneError."""
        while not self._pending:
            self._fill(deadline)
        line, arrived = self._pending.popleft()
        self._said.append(("<", line))
        return line, arrived

    def wait_for(self, answer: bytes, seconds: float) -> None:
        deadline = time.monotonic_ns() + int(seconds * NS_PER_S)
        while self.receive(deadline)[0] != answer:
            pass

    def forget(self) -> None:
        self._said.clear()
        self._errors.truncate(0)

    def last_lines(self) -> tuple[str, ...]:
        """The end of the dialogue: `>` to the engine, `<` from it, `!` on its standard error."""
        while self._pending:
            self._said.append(("<", self._pending.popleft()[0]))
        said = [f"{mark} {_shortened(line)}" for mark, line in self._said]
        return (*said, *(f"! {_shortened(line)}" for line in self.errors().splitlines() if line.strip()))

    def errors(self) -> bytes:
        size = os.fstat(self._errors.fileno()).st_size
        return os.pread(self._errors.fileno(), _ERRORS_KEPT, max(0, size - _ERRORS_KEPT))

    def peak(self) -> int:
        self._peak = max(self._peak, peak_resident(self._process.pid))
        return self._peak

    def close(self, patience: float = _QUIT_SECONDS) -> int | None:
        """The exit status, or None if the engine did not obey `quit` in these seconds and was killed."""
        with contextlib.suppress(EngineGoneError):
            self.send("quit")
        self._stdin.close()
        try:
            self._process.wait(patience)
        except subprocess.TimeoutExpired:
            self.kill()
            return None
        self._release()
        return self._process.returncode

    def kill(self) -> None:
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
            raise EngineSilentError("did not answer in time")
        chunk = os.read(self._stdout.fileno(), _CHUNK)
        arrived = time.monotonic_ns()
        if not chunk:
            raise EngineGoneError(self._farewell())
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        if len(self._rest) > _LONGEST_LINE:
            self._rest = b""
        self._pending.extend((line.rstrip(b"\r"), arrived) for line in lines)

    def _farewell(self) -> str:
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


_HIGH_WATER = re.compile(r"^VmHWM:\s*(\d+) kB$", re.MULTILINE)


def peak_resident(pid: int) -> int:
    """In bytes, with descendants; 0 if it has ended. Only Linux keeps the peak: else what is resident now."""
    try:
        process = psutil.Process(pid)
        return sum(_peak(one) for one in (process, *process.children(recursive=True)))
    except psutil.Error:
        return 0


def _peak(process: psutil.Process) -> int:
    try:
        status = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
    except OSError:
        return int(process.memory_info().rss)
    match = _HIGH_WATER.search(status)
    return int(match[1]) * 1024 if match else 0
