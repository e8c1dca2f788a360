"""How long to think: pure functions of what the clocks show. All times in milliseconds."""

from dataclasses import dataclass
from math import inf

from engine.search.delays import NO_DELAYS, Delays
from engine.search.limits import Limits

_SHARE = 1 / 38
"""At least so much of what is shared out is for one move; found by matches, as the factors are."""

_RESERVE, _RESERVE_SHARE = 200.0, 0.6
"""So many milliseconds of the clock, or so much of a shorter one, are not shared out: a busy machine
may well keep an engine waiting for a tenth of a second. Below twice the reserve the less of
the increment is spent the less there is, so that the clock recovers."""

_DELAYS_IN_RESERVE = 3
"""The reserve is at least so many times the longest delay that the game has seen."""

_INCREMENT_SHARE = 0.75
_HARD_FACTOR = 4.0
_HARD_SHARE = 0.35
"""No move takes more of the clock, unless it is one of the last two before the time control."""

_LAST_MOVE_SHARE = 0.8
_LEAST = 1.0

_STABILITY = (1.5, 1.3, 1.1, 1.0, 0.9, 0.8, 0.75)
"""The soft budget's factor by how many depths in a row had the same best move."""

_EFFORT_MOST, _EFFORT_SLOPE = 1.5, 0.8
"""The soft budget's factor is _EFFORT_MOST less _EFFORT_SLOPE times the best move's share of the last depth's
nodes: what the others took most of is not decided."""

_FALL_UNIT = 100
_FALL_STEP = 0.2
_FALL_MOST = 3
"""Each _FALL_UNIT centipawns that the score has fallen lengthen the soft budget by _FALL_STEP."""


@dataclass(frozen=True, slots=True)
class Budget:
    """`soft`: begin no depth after about so much; `hard`: stop at it. Infinite where there is no limit."""

    soft: float
    hard: float

    def allows_another_depth(self, elapsed: float, stable_depths: int, fall: int, share: float) -> bool:
        """Whether to search a depth deeper after `elapsed`.

        `stable_depths` counts the depths in a row that had the same best move before the last
        one; `fall` is by how many centipawns the score fell in the last depth; `share` is the best
        move's of the nodes of the last depth.
        """
        if self.soft == inf:
            return True
        factor = _STABILITY[min(stable_depths, len(_STABILITY) - 1)]
        factor *= _EFFORT_MOST - _EFFORT_SLOPE * share
        factor *= 1 + _FALL_STEP * min(max(fall, 0) // _FALL_UNIT, _FALL_MOST)
        return elapsed < min(self.soft * factor, self.hard)


UNLIMITED = Budget(inf, inf)


def allot(
    limits: Limits, side: int, overhead: float, forced: bool = False, delays: Delays = NO_DELAYS
) -> Budget:
    """The budget of one move for `side`, measured from the arrival of the command.

    `overhead` is kept back for what is lost between engine and clock, or more where `delays` say so.
    `forced`: there is only one legal move. After a ponderhit the hard budget counts from there, the
    soft one still from the beginning: what was thought while pondering is thought.
    """
    if limits.infinite:
        return UNLIMITED
    hard = inf
    if limits.move_time is not None:
        hard = max(limits.move_time - overhead, _LEAST)
    clock = limits.time[side]
    if clock is None:
        clock = limits.time[side ^ 1]  # `go btime 100` for White: the best guess there is
    if clock is None:
        return Budget(inf, hard)
    available = clock - max(overhead, delays.usual)
    if forced:
        return Budget(0.0, min(hard, max(_HARD_SHARE * available, _LEAST)))
    reserve = max(_RESERVE, _DELAYS_IN_RESERVE * delays.longest)
    budget = _from_clock(available, reserve, limits.increment[side], limits.moves_to_go)
    return Budget(min(budget.soft, hard), min(budget.hard, hard))


def _from_clock(available: float, reserve: float, increment: int, moves_to_go: int | None) -> Budget:
    if available <= _LEAST:
        return Budget(_LEAST, _LEAST)
    share, most = _SHARE, _HARD_SHARE
    if moves_to_go is not None and moves_to_go > 0:
        share = max(1 / (moves_to_go + 1), _SHARE)
        most = max(_HARD_SHARE, _LAST_MOVE_SHARE / moves_to_go)
    spare = available - min(reserve, _RESERVE_SHARE * available)
    recovered = min(1.0, available / (2 * reserve))
    soft = spare * share + _INCREMENT_SHARE * recovered * max(increment, 0)
    hard = min(_HARD_FACTOR * soft, available * most)
    return Budget(max(min(soft, hard), _LEAST), max(hard, _LEAST))
