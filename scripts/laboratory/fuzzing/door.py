"""What is common to all that can be fuzzed: a door makes cases, and judges what comes of them."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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
