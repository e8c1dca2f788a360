"""Time controls, other limits of an engine's moves, and the clock of one side."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Self

from scripts.laboratory.engine_pipe import NS_PER_MS, NS_PER_S

_TIME_CONTROL = re.compile(
    r"(?:(?P<moves>\d+)/)?(?:(?P<minutes>\d+):)?(?P<seconds>[\d.]+)(?:\+(?P<inc>[\d.]+))?"
)


@dataclass(frozen=True, slots=True)
class MatchTimeControl:
    """A base time, for the whole game or for every `moves` moves, and an increment a move, in nanoseconds."""

    base: int
    increment: int = 0
    moves: int | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `[moves/][minutes:]seconds[+increment]`. Raises ValueError with the reason."""
        match = _TIME_CONTROL.fullmatch(text)
        if match is None:
            raise ValueError(
                f"{text!r} is not a time control: expected [moves/][minutes:]seconds[+increment]"
            )
        base = _nanoseconds(match["seconds"]) + int(match["minutes"] or 0) * 60 * NS_PER_S
        moves = int(match["moves"]) if match["moves"] else None
        if base <= 0 or moves == 0:
            raise ValueError(f"{text!r} leaves no time for a move")
        return cls(base, _nanoseconds(match["inc"] or "0"), moves)

    def __str__(self) -> str:
        moves = f"{self.moves}/" if self.moves else ""
        increment = f"+{self.increment / NS_PER_S:g}" if self.increment else ""
        return f"{moves}{self.base / NS_PER_S:g}{increment}"


@dataclass(frozen=True, slots=True)
class Pace:
    """The limits of an engine's moves: at least one of clock, nodes, depth, and nanoseconds per move.

    With `nodes_time` the clock counts nodes instead of time, so many of them as a millisecond. Raises
    ValueError if no limit is given, or both a clock and a time per move, or `nodes_time` without a clock.
    """

    clock: MatchTimeControl | None = None
    nodes: int | None = None
    depth: int | None = None
    move_time: int | None = None
    nodes_time: int | None = None

    def __post_init__(self) -> None:
        if self.clock is None and self.nodes is None and self.depth is None and self.move_time is None:
            raise ValueError("no limit: give tc, nodes, depth or movetime")
        if self.clock is not None and self.move_time is not None:
            raise ValueError("tc and movetime cannot be combined")
        if self.clock is None and self.nodes_time is not None:
            raise ValueError("nodestime needs a tc")
        limits = (self.nodes, self.depth, self.move_time, self.nodes_time)
        if any(limit is not None and limit <= 0 for limit in limits):
            raise ValueError("limits must be above zero")

    def __str__(self) -> str:
        parts = [str(self.clock)] if self.clock else []
        parts += [f"{self.nodes_time} nodes for each ms"] if self.nodes_time else []
        parts += [f"{self.nodes} nodes"] if self.nodes else []
        parts += [f"depth {self.depth}"] if self.depth else []
        parts += [f"{self.move_time / NS_PER_MS:g} ms a move"] if self.move_time else []
        return ", ".join(parts)


class GameClock:
    """The clock of one side in one game. All times are in nanoseconds."""

    def __init__(self, pace: Pace, margin: int) -> None:
        """Start with the full time. A move may exceed it by `margin` without a loss on time."""
        self._control = pace.clock
        self._move_time = pace.move_time
        self._margin = margin
        self._moves = 0
        self.left = pace.clock.base if pace.clock else 0
        self.lowest: int | None = None

    @property
    def runs(self) -> bool:
        """Whether there is a time control."""
        return self._control is not None

    @property
    def increment(self) -> int:
        """The increment per move."""
        return self._control.increment if self._control else 0

    @property
    def moves_to_go(self) -> int | None:
        """The number of moves until the next time control, None if there is none."""
        if self._control is None or self._control.moves is None:
            return None
        return self._control.moves - self._moves % self._control.moves

    @property
    def allowance(self) -> int | None:
        """How long the next move may take without a loss on time; None: no limit."""
        if self._control is not None:
            return self.left + self._margin
        return None if self._move_time is None else self._move_time + self._margin

    def overrun(self, elapsed: int) -> int:
        """By how much a move of `elapsed` nanoseconds exceeds the time on the clock, without the margin."""
        allowance = self.allowance
        return 0 if allowance is None else max(0, elapsed - (allowance - self._margin))

    def spend(self, elapsed: int) -> bool:
        """Subtract the time of a move. False if the move loses on time."""
        allowance = self.allowance
        if allowance is None:
            return True
        if elapsed > allowance:
            return False
        if self._control is not None:
            self.left = max(0, self.left - elapsed)
            self.lowest = self.left if self.lowest is None else min(self.lowest, self.left)
            self._moves += 1
            self.left += self._control.increment
            if self._control.moves is not None and self._moves % self._control.moves == 0:
                self.left += self._control.base
        return True


def _nanoseconds(seconds: str) -> int:
    try:
        return int(Decimal(seconds) * NS_PER_S)
    except InvalidOperation:
        raise ValueError(f"{seconds!r} is not a number of seconds") from None
