"""The clocks of GTP: main time, then Canadian byo-yomi; and how much of it a move may take.

All times are in seconds. Pure values and functions: no real clock is read here.
"""

from __future__ import annotations

from dataclasses import dataclass

RESERVE = 0.05  # for a move that takes a little longer, and for its way to the controller
SHORTEST = 0.001  # what a move may take even where no time is left
_SCARCE = 0.5  # the part of its share that a move may take where the reserve is more than that
USEFUL = 0.06  # less decides nothing: what a move may take as long as there is time for _MORE such moves
_MORE = 20

USUAL_LENGTH = 80  # moves of all players together, in a game that is not listed
LEAST_TO_GO = 8  # moves that a player is always assumed to have before them
_LENGTHS = {"tictactoe": 9, "connectfour": 36, "othello": 60, "backgammon": 60, "chinesecheckers": 160}


@dataclass(frozen=True, slots=True)
class TimeControl:
    """`time_settings`: main time, then periods of `byo_yomi` seconds, each for `stones` moves.

    Without byo-yomi there is only the main time. Byo-yomi for 0 stones means no limit.
    """

    main: float
    byo_yomi: float = 0.0
    stones: int = 0

    @property
    def unlimited(self) -> bool:
        """Whether it sets no limit."""
        return self.byo_yomi > 0 and self.stones == 0

    @property
    def seconds_per_stone(self) -> float:
        """The time of each move in byo-yomi; 0 without byo-yomi."""
        return self.byo_yomi / self.stones if self.stones else 0.0


@dataclass(frozen=True, slots=True)
class Clock:
    """The time that one player has left: `left` seconds, for `stones` moves in byo-yomi, 0 in main time."""

    left: float
    stones: int = 0


def full_clock(control: TimeControl) -> Clock:
    """The clock at the beginning of a game."""
    if control.main > 0 or not control.stones:
        return Clock(control.main)
    return Clock(control.byo_yomi, control.stones)


def clock_after(clock: Clock, control: TimeControl, seconds: float) -> Clock:
    """The clock after a move that took `seconds`; never below 0, even where the player has overstepped."""
    left, stones = clock.left - seconds, clock.stones
    if stones == 0 and left <= 0 and control.stones:
        left, stones = left + control.byo_yomi, control.stones
    if stones == 1:
        return Clock(control.byo_yomi, control.stones)
    return Clock(max(0.0, left), max(0, stones - 1))


def seconds_for_move(clock: Clock, control: TimeControl, moves_to_go: int, reserve: float = RESERVE) -> float:
    """The most that the next move may take.

    In main time an equal share for each of the `moves_to_go`, plus the time of a stone in byo-yomi; in
    byo-yomi an equal share for each stone of the period. `reserve` is left of a share. Where nothing follows
    main time a late move gets USEFUL rather than less, as long as that is a small part of what is left.
    """
    in_byo_yomi = clock.stones > 0
    share = clock.left / (clock.stones if in_byo_yomi else max(1, moves_to_go))
    share += 0.0 if in_byo_yomi else control.seconds_per_stone
    least = 0.0 if control.stones else min(USEFUL, clock.left / _MORE)
    return max(SHORTEST, share - reserve, _SCARCE * min(share, reserve), least)


def moves_to_go(game: str, players: int, played: int, left: int | None) -> int:
    """How many more moves of one player to expect in a game, after `played` moves of all players.

    `left`: how many of all players the game itself expects; None where it does not say.
    """
    if left is None:
        left = _LENGTHS.get(game, USUAL_LENGTH) - played
    return max(LEAST_TO_GO, (left + players - 1) // players)
