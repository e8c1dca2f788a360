"""What is common to all that can be fuzzed: a door makes cases, and judges what comes of them."""

from __future__ import annotations

import re
import tempfile
import time
from abc import ABC, abstractmethod
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from scripts.laboratory.engine_pipe import EngineGoneError, EnginePipe, EngineSilentError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


PATIENCE = 60.0
"""Seconds without an answer that are a hang: far more than any answer takes, since machines are noisy."""
MOST_MEMORY = 300 << 20
"""Bytes that a process may have resident at once."""

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")


class StumbleError(Exception):
    """What should not have happened, in a line."""


class SilenceError(StumbleError):
    """No answer in time."""


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What came of one case: so many answers, in so many seconds."""

    count: int
    seconds: float


class Door(ABC):
    """One kind of input. A case is bytes; `together` cases that follow each other share one state."""

    together = 1
    tries = 200
    """So many smaller cases may be tried of one that stumbles: fewer where each may need another process."""

    @abstractmethod
    def make(self, rng: Random) -> bytes:
        """A case; the same for the same state of the random numbers."""

    @abstractmethod
    def run(self, cases: Sequence[bytes]) -> Iterator[CaseResult]:
        """What comes of each case of those that share a state. Raises StumbleError."""

    @abstractmethod
    def peak(self) -> int:
        """The most bytes that the process which takes the cases has had resident at once."""

    @abstractmethod
    def recover(self) -> None:
        """Be ready for other cases after a stumble."""

    @abstractmethod
    def close(self) -> None:
        """End that process in order. Raises StumbleError where it does not."""

    @abstractmethod
    def kill(self) -> None:
        """End that process at once; the next case begins a new one."""


def case(door: Door, seed: int, number: int) -> bytes:
    """The case of that number: nothing else decides what it is."""
    return door.make(Random(f"{seed}:{number}"))


def require(condition: object, what: str) -> None:
    """Raise StumbleError unless the condition holds."""
    if not condition:
        raise StumbleError(what)


def require_plain(text: str, what: str) -> None:
    """Raise StumbleError where a text is empty or has anything that would act on a terminal."""
    require(text.strip(), f"{what} is empty")
    require(not _CONTROL.search(text), f"{what} has control characters: {text[:200]!r}")


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
