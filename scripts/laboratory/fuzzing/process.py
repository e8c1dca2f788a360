"""The process behind a door: started when it is needed, spoken with over pipes, watched."""

from __future__ import annotations

import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.laboratory.matches.pipe import EngineGoneError, EnginePipe, EngineSilentError

from .door import MOST_MEMORY, PATIENCE, Door, SilenceError, StumbleError, require, require_plain

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_NS_PER_S = 1e9


class Process:
    """Lines to a process and back. Everything that is wrong with it is a StumbleError."""

    def __init__(
        self,
        command: Sequence[str],
        prepare: Callable[[Path], None] | None = None,
        patience: float = PATIENCE,
    ) -> None:
        """`prepare` fills the folder in which the process is started."""
        self._command = command
        self._prepare = prepare
        self._patience = patience
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._pipe: EnginePipe | None = None
        self._peak = 0

    @property
    def running(self) -> bool:
        """Whether it has been started and not ended."""
        return self._pipe is not None

    def send(self, line: bytes) -> None:
        """Send a line, which may itself be several; starts the process where there is none."""
        try:
            self._started().send_bytes(line)
        except EngineGoneError as error:
            raise StumbleError(f"the process {error}{self._complaints()}") from None

    def receive(self) -> str:
        """The next line, which may be empty."""
        pipe = self._started()
        try:
            line, _ = pipe.receive(time.monotonic_ns() + int(self._patience * _NS_PER_S))
        except EngineSilentError:
            raise SilenceError(f"no answer within {self._patience:.0f} s") from None
        except EngineGoneError as error:
            raise StumbleError(f"the process {error}{self._complaints()}") from None
        try:
            text = line.decode()
        except UnicodeDecodeError:
            raise StumbleError(f"not UTF-8: {line[:200]!r}") from None
        if text:
            require_plain(f"{text}.", "a line")
        require("internal error" not in text and "Traceback" not in text, text)
        return text

    def until(self, last: str) -> list[str]:
        """The lines before the next that is exactly this one."""
        lines = []
        while (line := self.receive()) != last:
            lines.append(line)
        return lines

    def check(self) -> None:
        """Raise StumbleError where it has said anything on stderr, or has too much memory."""
        if self._pipe is not None:
            self._peak = max(self._peak, self._pipe.peak())
            require(not self._complaints(), f"on stderr{self._complaints()}")
            require(self._peak <= MOST_MEMORY, f"{self._peak >> 20} MB of memory")

    def peak(self) -> int:
        """The most bytes that any process here has had resident at once, as far as it was looked at."""
        return self._peak

    def close(self) -> None:
        """Have it quit; it must end with status 0."""
        if self._pipe is None:
            return
        try:
            self.check()
            status = self._pipe.close()
            self._pipe = None
            require(status == 0, f"quit ends with status {status}")
        finally:
            self.kill()

    def kill(self) -> None:
        """End it at once."""
        pipe, self._pipe = self._pipe, None
        if pipe is not None:
            pipe.kill()
        folder, self._folder = self._folder, None
        if folder is not None:
            with suppress(OSError):
                folder.cleanup()

    def _started(self) -> EnginePipe:
        if self._pipe is None:
            directory = None
            if self._prepare is not None:
                self._folder = tempfile.TemporaryDirectory(prefix="lolli-fuzz-")
                directory = self._folder.name
                self._prepare(Path(directory))
            self._pipe = EnginePipe(self._command, directory)
        return self._pipe

    def _complaints(self) -> str:
        """What stands on stderr, as the end of a message."""
        errors = self._pipe.errors() if self._pipe is not None else b""
        return f": {errors.decode(errors='replace').strip()}" if errors else ""


class ProcessDoor(Door):
    """A door behind which there is one process."""

    def __init__(self, process: Process) -> None:
        self._process = process

    def peak(self) -> int:
        """See Door."""
        return self._process.peak()

    def recover(self) -> None:
        """See Door."""
        self._process.kill()

    def close(self) -> None:
        """See Door."""
        self._process.close()

    def kill(self) -> None:
        """See Door."""
        self._process.kill()
