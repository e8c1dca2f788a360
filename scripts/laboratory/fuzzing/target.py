"""The interface of a fuzz target: it makes cases and checks the answers of the process that gets them."""

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

from scripts.laboratory.engine_pipe import NS_PER_S, EngineGoneError, EnginePipe, EngineSilentError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


PATIENCE = 60.0
"""Seconds without an answer that count as a hang, much longer than answers take on a busy machine."""
MOST_MEMORY = 300 << 20
"""The largest resident memory of a process, in bytes."""

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")


class CaseError(Exception):
    """A case has failed. The message says how, in one line."""


class SilenceError(CaseError):
    """The process did not answer in time."""


@dataclass(frozen=True, slots=True)
class CaseResult:
    """The number of answers to a case, and the seconds that they took."""

    count: int
    seconds: float


class FuzzTarget(ABC):
    """A kind of input. A case is bytes; `together` consecutive cases share a state."""

    together = 1
    tries = 200
    """How many smaller cases may be tried after a failure; fewer if each may need a new process."""

    @abstractmethod
    def make(self, rng: Random) -> bytes:
        """Make a case from random numbers."""

    @abstractmethod
    def run(self, cases: Sequence[bytes]) -> Iterator[CaseResult]:
        """Run cases that share a state, yielding the result of each. Raises CaseError."""

    @abstractmethod
    def peak(self) -> int:
        """The peak of the resident memory of the process, in bytes."""

    @abstractmethod
    def recover(self) -> None:
        """Prepare for other cases after a failure."""

    @abstractmethod
    def close(self) -> None:
        """End the process in order. Raises CaseError if it does not end."""

    @abstractmethod
    def kill(self) -> None:
        """Kill the process. The next case starts another."""


def case(target: FuzzTarget, seed: int, number: int) -> bytes:
    """Case `number`. The same seed and number give the same case."""
    return target.make(Random(f"{seed}:{number}"))


def require(condition: object, what: str) -> None:
    """Raise CaseError with the message `what` unless the condition holds."""
    if not condition:
        raise CaseError(what)


def require_plain(text: str, what: str) -> None:
    """Raise CaseError if a text is empty or has control characters."""
    require(text.strip(), f"{what} is empty")
    require(not _CONTROL.search(text), f"{what} has control characters: {text[:200]!r}")


class Process:
    """A process with which lines are exchanged. Anything wrong with it raises CaseError."""

    def __init__(
        self,
        command: Sequence[str],
        prepare: Callable[[Path], None] | None = None,
        patience: float = PATIENCE,
    ) -> None:
        """`prepare` fills the working directory of the process."""
        self._command = command
        self._prepare = prepare
        self._patience = patience
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._pipe: EnginePipe | None = None
        self._peak = 0

    @property
    def running(self) -> bool:
        """Whether the process runs."""
        return self._pipe is not None

    def send(self, line: bytes) -> None:
        """Send one or more lines, after starting the process if it does not run."""
        try:
            self._started().send_bytes(line)
        except EngineGoneError as error:
            raise CaseError(f"the process {error}{self._stderr()}") from None

    def receive(self) -> str:
        """Receive a line, which may be empty."""
        pipe = self._started()
        try:
            line, _ = pipe.receive(time.monotonic_ns() + int(self._patience * NS_PER_S))
        except EngineSilentError:
            raise SilenceError(f"no answer within {self._patience:.0f} s") from None
        except EngineGoneError as error:
            raise CaseError(f"the process {error}{self._stderr()}") from None
        try:
            text = line.decode()
        except UnicodeDecodeError:
            raise CaseError(f"not UTF-8: {line[:200]!r}") from None
        if text:
            require_plain(f"{text}.", "a line")
        require("internal error" not in text and "Traceback" not in text, text)
        return text

    def until(self, last: str) -> list[str]:
        """Receive lines until one is `last`. The lines before it."""
        lines = []
        while (line := self.receive()) != last:
            lines.append(line)
        return lines

    def check(self) -> None:
        """Raise CaseError if the process wrote to stderr or uses too much memory."""
        if self._pipe is not None:
            self._peak = max(self._peak, self._pipe.peak())
            require(not self._stderr(), f"on stderr{self._stderr()}")
            require(self._peak <= MOST_MEMORY, f"{self._peak >> 20} MB of memory")

    def peak(self) -> int:
        """The peak of the resident memory that `check` has seen, in bytes."""
        return self._peak

    def close(self) -> None:
        """Send `quit`. Raises CaseError unless the process ends with status 0."""
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
        """Kill the process and remove its working directory."""
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

    def _stderr(self) -> str:
        """The contents of stderr, as the end of a message."""
        errors = self._pipe.errors() if self._pipe is not None else b""
        return f": {errors.decode(errors='replace').strip()}" if errors else ""


class ProcessTarget(FuzzTarget):
    """A target with one process."""

    def __init__(self, process: Process) -> None:
        self._process = process

    def peak(self) -> int:
        """See FuzzTarget."""
        return self._process.peak()

    def recover(self) -> None:
        """See FuzzTarget."""
        self._process.kill()

    def close(self) -> None:
        """See FuzzTarget."""
        self._process.close()

    def kill(self) -> None:
        """See FuzzTarget."""
        self._process.kill()
