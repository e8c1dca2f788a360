"""A game under way: its rules, where it began, and the moves since then."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.games.rules.game import CHANCE, OVER, IllegalMoveError, NotApplicableError
from protocol.gtp.parser import GtpError
from protocol.gtp.replies import CANNOT_SCORE, CANNOT_UNDO, ILLEGAL_MOVE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine.games.rules.game import Game, Move, State


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
        """Whether it has ended."""
        return bool(self.state.player == OVER)

    @property
    def has_points(self) -> bool:
        """Whether it ends with passes, and points are counted then, as in Go."""
        return self.game.komi is not None

    def result(self) -> str:
        """`B+3.5`, `W+12` or `0`; all payoffs with more than two players, or if they do not add up to 0.

        Points where the game counts points, else payoffs. Raises GtpError for a game without points that has
        not ended.
        """
        game = self.game
        try:
            margin = game.margin(self.state)
        except NotApplicableError:
            if not self.over:
                raise GtpError(CANNOT_SCORE) from None
            payoffs = self.state.payoff()
            if game.players != 2 or not game.zero_sum:
                return " ".join(f"{payoff:g}" for payoff in payoffs)
            margin = payoffs[0]
        if margin == 0:
            return "0"
        return f"B+{margin:g}" if margin > 0 else f"W+{-margin:g}"

    def turned(self, player: int) -> State | None:
        """The state with `player`, or CHANCE, to move; None where another player has to move.

        In a game of two any player may move, unless the rules make the player to move a part of the
        position. A game with points that has ended by passes goes on if somebody moves.
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
        """Play a legal move of a state that `turned` returned."""
        self.state = state.play(move)
        self.played.append(Played(state.player, move, state))

    def undo(self, count: int = 1) -> None:
        """Take back the last `count` moves and rolls of the dice. Raises GtpError where there are fewer."""
        if count > len(self.played):
            raise GtpError(CANNOT_UNDO)
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


def variation(game: Game[Any], state: State, line: Sequence[Move]) -> list[tuple[int, str]]:
    """A line of play from a state as pairs of player and move text, up to the first move that is illegal."""
    found: list[tuple[int, str]] = []
    for move in line:
        if move not in state.moves():
            break
        found.append((state.player, game.text(state, move)))
        state = state.play(move)
    return found


def roll(state: State, random: Callable[[], float]) -> Move:
    """A random outcome of a state in which chance is to move; `random()` is at least 0 and below 1."""
    chances = state.chances()
    left = random() * sum(probability for _, probability in chances)
    for move, probability in chances:
        left -= probability
        if left < 0:
            return move
    return chances[-1][0]
