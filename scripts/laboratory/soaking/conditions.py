"""The conditions of the games of a soak, how many games are played under each, and the disturbances."""

from __future__ import annotations

import contextlib
import itertools
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from scripts.laboratory.engine_pipe import NS_PER_S
from scripts.laboratory.matches.adjudication import AdjudicationRules
from scripts.laboratory.matches.plan import EngineSpec, MatchRules
from scripts.laboratory.soaking import slow_pipe

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Sequence

    from scripts.laboratory.matches.time_control import Pace


OPPONENTS = ("self", "stockfish")
VARIANTS = ("standard", "chess960")
_HASH = "16"  # MB
_PROGRAMS = 2  # a processor
_MOVES = 65  # of a side, in a typical game of a soak
_BASE_SHARE = 0.75  # of the base time, which is used in that many moves

_STALLS = re.compile(r"stalls=(\d+)-(\d+)")
_BUSY = re.compile(r"busy(?:=(\d+))?")
_SLOW = re.compile(r"slow=(\d+)")


@dataclass(frozen=True, slots=True)
class Disturbance:
    """A disturbance of the engines. Times are in milliseconds.

    `stall`: the shortest and longest stop of both engines. `programs`: how many other programs keep each
    processor busy. `latency`: the longest delay of a pipe.
    """

    name: str
    stall: tuple[int, int] | None = None
    programs: int = 0
    latency: int = 0

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `calm`, `busy`, `busy=PROGRAMS`, `stalls=LOW-HIGH` or `slow=MS`. Raises ValueError."""
        if text == "calm":
            return cls("calm")
        if match := _BUSY.fullmatch(text):
            programs = int(match[1] or _PROGRAMS)
            return cls(f"{programs} programs a processor", programs=programs)
        if (match := _STALLS.fullmatch(text)) and int(match[1]) <= int(match[2]):
            return cls(f"stalls of {match[1]} to {match[2]} ms", stall=(int(match[1]), int(match[2])))
        if match := _SLOW.fullmatch(text):
            return cls(f"pipes slow by 0 to {match[1]} ms", latency=int(match[1]))
        raise ValueError(f"{text!r} is not a disturbance: use calm, busy, busy=N, stalls=LOW-HIGH or slow=MS")


@dataclass(frozen=True, slots=True)
class Condition:
    """A combination of factors."""

    opponent: str
    threads: int
    variant: str
    ponders: bool
    disturbance: Disturbance

    @property
    def factors(self) -> tuple[str, ...]:
        """The factors in words."""
        return (
            self.disturbance.name,
            "against itself" if self.opponent == "self" else "against Stockfish",
            f"{self.threads} thread{'s' if self.threads > 1 else ''}",
            "Chess960" if self.variant == "chess960" else "standard chess",
            "pondering" if self.ponders else "not pondering",
        )

    @property
    def demand(self) -> int:
        """The number of processors that a game uses."""
        return self.threads * (2 if self.ponders else 1)

    def __str__(self) -> str:
        return ", ".join(self.factors)


@dataclass(frozen=True, slots=True)
class SoakTerms:
    """What all games have in common. `stops`: the mean number of stalls in a game."""

    engine: tuple[str, ...]
    stockfish: tuple[str, ...]
    pace: Pace
    margin: int
    stall_seconds: float
    stops: float
    max_moves: int
    seed: int

    def rules(self, condition: Condition) -> MatchRules:
        """The rules of the games under a condition. The engine under test is engine 0."""
        second = "Lolli too" if condition.opponent == "self" else "Stockfish"
        command = self.engine if condition.opponent == "self" else self.stockfish
        return MatchRules(
            engines=(
                self._spec("Lolli", self.engine, condition),
                self._spec(second, command, condition),
            ),
            adjudication=AdjudicationRules(max_moves=self.max_moves),
            chess960=condition.variant == "chess960",
            restart=False,
            stall_seconds=self.stall_seconds,
            event="Soak",
        )

    def seconds_between_stops(self) -> float:
        """The mean time between two stops."""
        control = self.pace.clock
        assert control is not None  # noqa: S101 - the command asks for a clock
        return 2e-9 * (_BASE_SHARE * control.base + _MOVES * control.increment) / self.stops

    def _spec(self, name: str, command: tuple[str, ...], condition: Condition) -> EngineSpec:
        latency = condition.disturbance.latency
        options = [("Hash", _HASH)]
        if condition.threads > 1:
            options.append(("Threads", str(condition.threads)))
        return EngineSpec(
            name=name,
            command=slow_pipe.command(latency, command) if latency else command,
            protocol="uci",
            directory=None,
            options=tuple(options),
            pace=self.pace,
            margin=self.margin,
            ponders=condition.ponders,
        )


@dataclass(frozen=True, slots=True)
class SoakPlan:
    """`games` games in blocks of `block`, each under the next condition in turn."""

    conditions: tuple[Condition, ...]
    games: int
    block: int

    def blocks(self) -> Iterator[tuple[Condition, range]]:
        """The condition of each block, with the numbers of its games."""
        for index, first in enumerate(range(0, self.games, self.block)):
            numbers = range(first, min(first + self.block, self.games))
            yield self.conditions[index % len(self.conditions)], numbers

    def factors(self) -> list[dict[str, None]]:
        """The values of each factor."""
        by_factor = zip(*(condition.factors for condition in self.conditions), strict=True)
        return [dict.fromkeys(values) for values in by_factor]

    def condition(self, number: int) -> Condition:
        """The condition of game `number`."""
        return self.conditions[number // self.block % len(self.conditions)]


def all_conditions(
    opponents: Sequence[str],
    threads: Sequence[int],
    variants: Sequence[str],
    ponders: Sequence[bool],
    disturbances: Sequence[Disturbance],
    seed: int,
) -> tuple[Condition, ...]:
    """All combinations, in random order."""
    factors = itertools.product(opponents, threads, variants, ponders, disturbances)
    conditions = list(itertools.starmap(Condition, factors))
    random.Random(seed).shuffle(conditions)
    return tuple(conditions)


# The program ends with its parent, when its standard input is closed.
_SPIN = """
import os, sys, threading
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
while True:
    sorted(range(1000), key=str)
"""
_PULSE_SECONDS = 0.005


class _Watch:
    """A thread that runs during a game."""

    def __init__(self) -> None:
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        raise NotImplementedError

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()


class Stalls(_Watch):
    """Stops and continues process groups together, as planned. At its end all of them run."""

    def __init__(self, groups: Sequence[int], plan: Iterable[tuple[float, float]]) -> None:
        """The plan has pairs of seconds to wait and seconds to stop."""
        super().__init__()
        self._groups = groups
        self._plan = plan
        self.stops: list[tuple[int, int]] = []
        """When each stop began and ended, in monotonic nanoseconds."""

    def within(self, began: int, ended: int) -> int:
        """How long the engines were stopped between `began` and `ended`, in nanoseconds."""
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
    """Measures how long the machine delays a program that runs every few milliseconds."""

    def __init__(self) -> None:
        super().__init__()
        self.longest = 0
        """The longest delay, in nanoseconds."""

    def _run(self) -> None:
        before = time.monotonic_ns()
        while not self._over.wait(_PULSE_SECONDS):
            now = time.monotonic_ns()
            self.longest = max(self.longest, now - before - int(_PULSE_SECONDS * NS_PER_S))
            before = now


def stall_plan(
    seed: int, number: int, stall: tuple[int, int], between: float
) -> Iterator[tuple[float, float]]:
    """The plan of a game: stops of random length in milliseconds, at mean intervals of `between` seconds."""
    chance = random.Random(f"{seed} {number}")
    while True:
        yield chance.expovariate(1 / between), chance.uniform(*stall) / 1000


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
