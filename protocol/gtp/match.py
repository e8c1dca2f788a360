"""A game under way: its rules, where it began and the moves since then; and the clocks of its players.

Clocks have main time, then Canadian byo-yomi. All times are in seconds; no real clock is read here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.games.rules.game import (
    CHANCE,
    OVER,
    Game,
    IllegalMoveError,
    Move,
    NotApplicableError,
    State,
    grid_rows,
    result_text,
)
from protocol.gtp.parser import ILLEGAL_MOVE, GtpError

RESERVE = 0.05  # for a move that takes a little longer, and for its way to the controller
SHORTEST = 0.001  # what a move may take even where no time is left
_SCARCE = 0.5  # the part of its share that a move may take where the reserve is more than that
USEFUL = 0.06  # less decides nothing: what a move may take as long as there is time for _MORE such moves
_MORE = 20

USUAL_LENGTH = 80  # moves of all players together, in a game that is not listed
LEAST_TO_GO = 8  # moves that a player is always assumed to have before them
_LENGTHS = {"tictactoe": 9, "connectfour": 36, "othello": 60, "backgammon": 60, "chinesecheckers": 160}
_MARKS = {"X": "X", "O": "O", "1": "X", "2": "O", ".": ".", "+": "."}
"""Points as games show them, and as GoGui wants them."""


@dataclass(frozen=True, slots=True)
class Setup:
    """A start other than the usual one: stones as pairs of player and vertex, and the player to move."""

    stones: tuple[tuple[int, str], ...]
    player: int


@dataclass(frozen=True, slots=True)
class Played:
    """A move, its player (CHANCE for the dice), and the state before it, with that player to move."""

    player: int
    move: Move
    state: State


class Match:
    """One game from its first state. A method that raises has changed nothing."""

    def __init__(self, game: Game[Any], size: int | None = None, setup: Setup | None = None) -> None:
        """Raises SizeError, IllegalMoveError or NotApplicableError where the game has no such start."""
        self.game = game
        self.size = size
        self.setup = setup
        self.played: list[Played] = []
        self.start = game.start(size) if setup is None else game.arrange(size, setup.stones, setup.player)
        self.state: State = self.start

    @property
    def over(self) -> bool:
        return bool(self.state.player == OVER)

    @property
    def has_points(self) -> bool:
        """Whether it ends with passes, and points are counted then, as in Go."""
        return self.game.komi is not None

    def result(self) -> str:
        """`B+3.5`, `W+12` or `0`; all payoffs with more than two players, or if they do not add up to 0.

        Raises GtpError for a game without points that has not ended.
        """
        game = self.game
        try:
            margin = game.margin(self.state)
        except NotApplicableError:
            if not self.over:
                raise GtpError("cannot score") from None
            payoffs = self.state.payoff()
            if game.players != 2 or not game.zero_sum:
                return " ".join(f"{payoff:g}" for payoff in payoffs)
            margin = payoffs[0]
        return result_text(margin)

    def turned(self, player: int) -> State | None:
        """The state with `player`, or CHANCE, to move; None where another player has to move.

        In a game of two any player may move, unless the player to move is part of the position. A game with
        points that ended by passes goes on if somebody moves.
        """
        state = self.state
        if state.player == player:
            return state
        if self.game.players != 2 or CHANCE in (player, state.player) or (self.over and not self.has_points):
            return None
        try:
            turned: State = state.turn(player)
        except NotApplicableError:
            return None
        return turned if turned.player == player else None

    def play_text(self, player: int, text: str) -> None:
        """Play a move in the game's notation. Raises GtpError."""
        state = self.turned(player)
        if state is None:
            raise GtpError(ILLEGAL_MOVE)
        try:
            move = self.game.parse(state, text)
        except IllegalMoveError:
            raise GtpError(ILLEGAL_MOVE) from None
        self.play(state, move)

    def play(self, state: State, move: Move) -> None:
        self.state = state.play(move)
        self.played.append(Played(state.player, move, state))

    def undo(self, count: int = 1) -> None:
        """Take back the last `count` moves and rolls of the dice. Raises GtpError where there are fewer."""
        if count > len(self.played):
            raise GtpError("cannot undo")
        if count == 0:
            return
        del self.played[-count:]
        self.state = self.start
        if self.played:
            self.state = self.played[-1].state.play(self.played[-1].move)

    def replayed(self, game: Game[Any]) -> Match:
        """The same moves by other rules, such as another komi. Raises GtpError where one is illegal there."""
        other = Match(game, self.size, self.setup)
        for each in self.played:
            other.play_text(each.player, self.game.text(each.state, each.move))
        return other


def points(game: Game[Any], state: State) -> list[list[str]]:
    """The rows of the board from the top, each from A, as X, O or a dot; empty for other kinds of board."""
    if game.players != 2 or game.chance:
        return []
    rows = grid_rows(game.show(state))
    numbers = sorted(rows, reverse=True)
    if numbers != list(range(len(rows), 0, -1)) or len({len(row) for row in rows.values()}) != 1:
        return []
    if not {mark for row in rows.values() for mark in row} <= set(_MARKS):
        return []
    return [[_MARKS[mark] for mark in rows[row]] for row in numbers]


@dataclass(frozen=True, slots=True)
class TimeControl:
    """`time_settings`: main time, then periods of `byo_yomi` seconds, each for `stones` moves.

    Without byo-yomi there is only the main time; byo-yomi for 0 stones means no limit.
    """

    main: float
    byo_yomi: float = 0.0
    stones: int = 0

    @property
    def unlimited(self) -> bool:
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
    """How many more moves of one player to expect, after `played` moves of all players.

    `left`: how many of all players the game itself expects; None where it does not say.
    """
    if left is None:
        left = _LENGTHS.get(game, USUAL_LENGTH) - played
    return max(LEAST_TO_GO, (left + players - 1) // players)
