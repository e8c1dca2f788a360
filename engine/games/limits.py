"""Which limits hold for a search: those of a level, of options, and of the clock."""

from dataclasses import astuple, replace
from typing import Any

from engine.games.search.basics import SearchLimits
from engine.games.search.iterative_deepening import DEEPEST

# As good as no limit, and small enough for the counters and clocks of compiled searchers.
LONGEST = 1e8  # seconds
MOST = 2_000_000_000  # nodes, or playouts


def limits_of(level: SearchLimits, options: SearchLimits, clock: float | None = None) -> SearchLimits:
    """The limits of a search: of a level and of options the stricter ones, within the clock's seconds.

    None is too large for a searcher.
    """
    limits = stricter(options, level)
    if clock is not None:
        limits = replace(limits, seconds=min(clock, limits.seconds or clock))
    return clamped(limits)


def stricter(one: SearchLimits, other: SearchLimits) -> SearchLimits:
    def least(*both: Any) -> Any:
        return min((value for value in both if value is not None), default=None)

    return SearchLimits(*map(least, astuple(one), astuple(other)))


def clamped(limits: SearchLimits) -> SearchLimits:
    """SearchLimits of the same effect, none of them too large for a searcher."""
    highest = (LONGEST, DEEPEST, MOST, MOST)
    pairs = zip(astuple(limits), highest, strict=True)
    return SearchLimits(*(None if value is None else min(value, most) for value, most in pairs))


def limits_text(limits: SearchLimits) -> str:
    """SearchLimits as `name=value`, separated by blanks; `none` where there are none."""
    named = zip(limits.__slots__, astuple(limits), strict=True)
    return " ".join(f"{name}={value:g}" for name, value in named if value is not None) or "none"
