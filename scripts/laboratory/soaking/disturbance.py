"""What disturbs games: engines stopped for a while, other programs, and the machine by itself."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Self

from scripts.laboratory.matches.time_control import NS_PER_S

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Sequence
    from types import TracebackType

# A busy program ends with whoever has started it: then its standard input does.
_SPIN = """
import os, sys, threading
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
while True:
    sorted(range(1000), key=str)
"""
_PULSE_SECONDS = 0.005


class _Watch:
    """Something that goes on in a thread of its own while a game is played."""

    def __init__(self) -> None:
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        raise NotImplementedError

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()


class Stalls(_Watch):
    """Stops process groups, all at the same time, as planned; when it ends all of them run."""

    def __init__(self, groups: Sequence[int], plan: Iterable[tuple[float, float]]) -> None:
        """The plan has seconds to wait and seconds to stop, in turns."""
        super().__init__()
        self._groups = groups
        self._plan = plan
        self.stops: list[tuple[int, int]] = []
        """When each began and ended, in monotonic nanoseconds."""

    def within(self, began: int, ended: int) -> int:
        """For how many of these nanoseconds the engines were stopped."""
        return sum(max(0, min(ended, last) - max(began, first)) for first, last in self.stops)

    def _run(self) -> None:
        for wait, length in self._plan:
            if self._over.wait(wait):
                return
            began = time.monotonic_ns()
            try:
                self._send(signal.SIGSTOP)
                self._over.wait(length)
            finally:
                self._send(signal.SIGCONT)
            self.stops.append((began, time.monotonic_ns()))

    def _send(self, what: signal.Signals) -> None:
        for group in self._groups:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(group, what)


class Pulse(_Watch):
    """Notes how long the machine lets a program wait that wants to run every few milliseconds."""

    def __init__(self) -> None:
        super().__init__()
        self.longest = 0
        """The longest pause, in nanoseconds."""

    def _run(self) -> None:
        before = time.monotonic_ns()
        while not self._over.wait(_PULSE_SECONDS):
            now = time.monotonic_ns()
            self.longest = max(self.longest, now - before - int(_PULSE_SECONDS * NS_PER_S))
            before = now


def stall_plan(
    seed: int, number: int, stall: tuple[int, int], between: float
) -> Iterator[tuple[float, float]]:
    """The plan for a game: stops of so many milliseconds at random, so many seconds apart on the average."""
    chance = random.Random(f"{seed} {number}")
    while True:
        yield chance.expovariate(1 / between), chance.uniform(*stall) / 1000


@contextlib.contextmanager
def busy_programs(count: int) -> Generator[None, None, None]:
    """So many programs that want a processor each."""
    programs: list[subprocess.Popen[bytes]] = []
    try:
        programs.extend(
            subprocess.Popen([sys.executable, "-c", _SPIN], stdin=subprocess.PIPE) for _ in range(count)
        )
        yield
    finally:
        for program in programs:
            program.kill()
            program.communicate()
