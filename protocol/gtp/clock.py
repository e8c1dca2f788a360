"""The clocks of GTP: main time, then byo-yomi by stones; and how much of it a move may take.

All times are in seconds. Pure values and functions: nothing here looks at a real clock.
"""

from __future__ import annotations

from dataclasses import dataclass

RESERVE = 0.05  # for a move that takes a little longer, and for its way to whoever holds the clock
SHORTEST = 0.001  # what a move may take even where no time is left
_SCARCE = 0.5  # the part of what is left that a move may take where the reserve is more than that


@dataclass(frozen=True, slots=True)
class TimeControl:
    """`time_settings`: main time, then again and again `byo_yomi` seconds for each `stones` moves.

    Without byo-yomi the main time is all there is. Byo-yomi for no stones is no limit at all.
    """

    main: float
    byo_yomi: float = 0.0
    stones: int = 0

    @property
    def unlimited(self) -> bool:
        """Whether it sets no limit."""
        return self.byo_yomi > 0 and self.stones == 0

    @property
    def pace(self) -> float:
        """What each move has in byo-yomi, 0 where there is none."""
        return self.byo_yomi / self.stones if self.stones else 0.0


@dataclass(frozen=True, slots=True)
class Clock:
    """What one player has left: so many seconds, in byo-yomi for so many stones, 0 stones in main time."""

    left: float
    stones: int = 0


def wound(control: TimeControl) -> Clock:
    """The clock at the beginning of a game."""
    if control.main > 0 or not control.stones:
        return Clock(control.main)
    return Clock(control.byo_yomi, control.stones)


def after(clock: Clock, control: TimeControl, seconds: float) -> Clock:
    """The clock after a move that took so long; never below 0, whatever the controller makes of that."""
    left, stones = clock.left - seconds, clock.stones
    if stones == 0 and left <= 0 and control.stones:
        left, stones = left + control.byo_yomi, control.stones
    if stones == 1:
        return Clock(control.byo_yomi, control.stones)
    return Clock(max(0.0, left), max(0, stones - 1))


def seconds_for_move(clock: Clock, control: TimeControl, moves_to_go: int, reserve: float = RESERVE) -> float:
    """How long the next move may take at most.

    In main time an equal share for each of the moves that the game may still last, and what byo-yomi adds
    to each; in byo-yomi the share of a stone.
    """
    in_byo_yomi = clock.stones > 0
    share = clock.left / (clock.stones if in_byo_yomi else max(1, moves_to_go))
    share += 0.0 if in_byo_yomi else control.pace
    return max(SHORTEST, share - reserve, _SCARCE * min(share, reserve))
