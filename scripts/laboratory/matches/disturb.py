"""What disturbs the engines of a match: stops of both, other programs on the processors, slow pipes.

As a program, `disturb.py MILLISECONDS COMMAND …` is a slow pipe: it holds back whatever an engine or its
client writes for a random time up to MILLISECONDS.
"""

from __future__ import annotations

import contextlib
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Sequence

    from scripts.laboratory.matches.rules import Pace

_STOPS = 3  # in a game, in the mean
_MOVES = 65  # of a side, in a typical fast game
_BASE_SHARE = 0.75  # of the base time, which is used in that many moves
_CHUNK = 1 << 16
# A program that keeps a processor busy; it ends with its parent, when its standard input is closed.
_SPIN = """
import os, sys, threading
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
while True:
    sorted(range(1000), key=str)
"""


@dataclass(frozen=True, slots=True)
class Disturbance:
    """Nothing by default. Times are in milliseconds.

    `stalls`: the shortest and longest stop of both engines, three times a game in the mean. `busy`: how many
    other programs keep each processor busy. `slow`: the longest delay of an engine's pipes.
    """

    stalls: tuple[int, int] | None = None
    busy: int = 0
    slow: int = 0

    @classmethod
    def parse(cls, words: Sequence[tuple[str, str]]) -> Self:
        """Read stalls=LOW-HIGH, busy=PROGRAMS and slow=MS. Raises ValueError."""
        values: dict[str, Any] = {}
        for key, value in words:
            bounds = re.fullmatch(r"(\d+)-(\d+)" if key == "stalls" else r"(\d+)", value)
            if key not in ("stalls", "busy", "slow") or bounds is None:
                raise ValueError(
                    f"--disturb takes stalls=LOW-HIGH, busy=PROGRAMS and slow=MS, not {key}={value}"
                )
            values[key] = tuple(map(int, bounds.groups())) if key == "stalls" else int(value)
        return cls(**values)

    def command(self, engine: tuple[str, ...]) -> tuple[str, ...]:
        """The command of an engine, behind a slow pipe if it is to be slow."""
        return (sys.executable, __file__, str(self.slow), *engine) if self.slow else engine

    def stops(self, number: int, pace: Pace) -> Iterator[tuple[float, float]]:
        """In turn the seconds until the next stop of game `number`, and its length."""
        if self.stalls is None or pace.clock is None:
            return
        between = 2e-9 * (_BASE_SHARE * pace.clock.base + _MOVES * pace.clock.increment) / _STOPS
        chance = random.Random(f"stalls {number}")
        while True:
            yield chance.expovariate(1 / between), chance.uniform(*self.stalls) / 1000


class Stalls:
    """Stops and continues process groups together, in a thread. At its end all of them run."""

    def __init__(self, groups: Sequence[int], stops: Iterable[tuple[float, float]]) -> None:
        """`stops` has the seconds to wait and the seconds to stop."""
        self._groups = groups
        self._stops = stops
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._stopped: list[tuple[int, int]] = []  # when each stop began and ended

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def within(self, began: int, ended: int) -> int:
        """How long the engines were stopped between two monotonic times, in nanoseconds."""
        return sum(max(0, min(ended, last) - max(began, first)) for first, last in self._stopped)

    def _run(self) -> None:
        for wait, length in self._stops:
            if self._over.wait(wait):
                return
            began = time.monotonic_ns()
            try:
                self._send(signal.SIGSTOP)
                self._over.wait(length)
            finally:
                self._send(signal.SIGCONT)
            self._stopped.append((began, time.monotonic_ns()))

    def _send(self, what: signal.Signals) -> None:
        for group in self._groups:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(group, what)


@contextlib.contextmanager
def busy_programs(count: int) -> Generator[None, None, None]:
    """Run `count` programs that use a processor each."""
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


def main() -> int:
    """Pass data on with a delay. The exit status of the engine."""
    latency = int(sys.argv[1]) / 1000
    with subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as engine:
        ways = (sys.stdin, engine.stdin), (engine.stdout, sys.stdout)
        there, back = (threading.Thread(target=_pass_on, args=(*way, latency), daemon=True) for way in ways)
        there.start()
        back.start()
        status = engine.wait()
        back.join()
    return abs(status)


def _pass_on(source: IO[Any], sink: IO[Any], latency: float) -> None:
    """Pass data on until the source ends or the sink is closed."""
    with contextlib.suppress(OSError):
        while chunk := os.read(source.fileno(), _CHUNK):
            time.sleep(random.uniform(0, latency))
            os.write(sink.fileno(), chunk)
    sink.close()


if __name__ == "__main__":
    sys.exit(main())
