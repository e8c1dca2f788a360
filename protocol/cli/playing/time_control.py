"""A chess clock: what a player may spend, and how much of it is left. Times are in seconds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from time import monotonic
from typing import TYPE_CHECKING, Self

import chess

if TYPE_CHECKING:
    from collections.abc import Callable

_FORMAT = re.compile(
    r"(?:(?P<minutes>\d+(?:\.\d+)?)m?|(?P<whole>\d+):(?P<rest>[0-5]?\d(?:\.\d+)?)|(?P<seconds>\d+(?:\.\d+)?)s)"
    r"(?:\+(?P<increment>\d+(?:\.\d+)?)s?)?",
    re.ASCII,
)
_EXAMPLES = "5+3 is five minutes and three seconds more for each move, 90s and 1:30 are ninety seconds"
_LONGEST = 24 * 3600
_TENTHS_BELOW = 10


class TimeControlError(ValueError):
    """Why a text is no time control, in one line."""


@dataclass(frozen=True, slots=True)
class FischerTimeControl:
    """So much for all moves, and so much more after each."""

    base: float
    increment: float = 0.0

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read minutes, minutes:seconds or seconds with an `s`; `+` and seconds. Raises TimeControlError."""
        found = _FORMAT.fullmatch(text.strip().lower().replace(" ", ""))
        if found is None:
            raise TimeControlError(f"{text[:30]!r} is no time control: {_EXAMPLES}")
        if found["minutes"] is not None:
            base = Decimal(found["minutes"]) * 60
        elif found["seconds"] is not None:
            base = Decimal(found["seconds"])
        else:
            base = Decimal(found["whole"]) * 60 + Decimal(found["rest"])
        increment = Decimal(found["increment"] or 0)
        if base > _LONGEST or increment > _LONGEST:
            raise TimeControlError(f"{text[:30]!r} is more than a day")
        if base == 0:
            raise TimeControlError(f"{text[:30]!r} leaves no time for the first move")
        return cls(float(base), float(increment))

    @property
    def pgn(self) -> str:
        """As the tag TimeControl has it, `300+3`."""
        return f"{self.base:g}+{self.increment:g}" if self.increment else f"{self.base:g}"

    def __str__(self) -> str:
        minutes = self.base / 60
        base = f"{minutes:g}" if minutes >= 1 and (2 * minutes).is_integer() else f"{self.base:g}s"
        return f"{base}+{self.increment:g}"


class FischerClock:
    """Two clocks, of which one may be running."""

    def __init__(self, control: FischerTimeControl, now: Callable[[], float] = monotonic) -> None:
        """Both full, none running. `now` tells seconds that only grow."""
        self.control = control
        self._now = now
        self._left = {chess.WHITE: control.base, chess.BLACK: control.base}
        self._running: chess.Color | None = None
        self._since = 0.0

    def left(self, color: chess.Color) -> float:
        """What is left; below zero once the flag has fallen."""
        spent = self._now() - self._since if self._running == color else 0.0
        return self._left[color] - spent

    def has_fallen(self, color: chess.Color) -> bool:
        """Whether the time is up."""
        return self.left(color) <= 0

    def start(self, color: chess.Color) -> None:
        """Let this one run, and the other stand."""
        self.halt()
        self._running, self._since = color, self._now()

    def halt(self) -> None:
        """Let both stand."""
        if self._running is not None:
            self._left[self._running] = self.left(self._running)
            self._running = None

    def press(self, color: chess.Color) -> None:
        """This side has moved in time: it gets the increment, and neither clock runs."""
        self.halt()
        self._left[color] += self.control.increment

    def state(self) -> tuple[float, float]:
        """White's and Black's time, to be set again."""
        return self.left(chess.WHITE), self.left(chess.BLACK)

    def set(self, state: tuple[float, float]) -> None:
        """Back to a state; neither runs."""
        self._running = None
        self._left[chess.WHITE], self._left[chess.BLACK] = state


def clock_text(seconds: float) -> str:
    """`1:02:03`, `4:59`, and in the last ten seconds `0:09.8`; never more than there is."""
    seconds = max(0.0, seconds)
    if seconds < _TENTHS_BELOW:
        return f"0:0{int(seconds * 10) / 10:.1f}"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
