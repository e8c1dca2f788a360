"""A game under way: its rules, where it began, and the moves since then."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.games.rules.game import CHANCE, OVER, IllegalMoveError, NotApplicableError
from protocol.gtp.lines import CANNOT_UNDO, ILLEGAL_MOVE, GtpError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine.games.rules.game import Game, Move, State


@dataclass(frozen=True, slots=True)
class Setup:
    """A start other than the usual one: who has stones where, and who is to move."""

    stones: tuple[tuple[int, str], ...]
    player: int


@dataclass(frozen=True, slots=True)
class Played:
    """A move, who made it (CHANCE for the dice), and the state in which it was made, that one to move."""

    player: int
    move: Move
    state: State


class Match:
    """One game from its first state. What fails leaves it as it was."""

    def __init__(self, game: Game[Any], size: int | None = None, setup: Setup | None = None) -> None:
        """Raises SizeError, IllegalMoveError and NotApplicableError where there is no such start."""
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

    def turned(self, player: int) -> State | None:
        """The state with this player, or CHANCE, to move; None where it is another's turn.

        In a game of two it may be changed whose turn it is, unless that belongs to the position. A game of
        points that has ended with passes goes on if somebody moves.
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

    @property
    def has_points(self) -> bool:
        """Whether it ends with passes, and points are counted then, as in Go."""
        return self.game.komi is not None

    def play_text(self, player: int, text: str) -> None:
        """Play what is written. Raises GtpError."""
        state = self.turned(player)
        if state is None:
            raise GtpError(ILLEGAL_MOVE)
        try:
            move = self.game.parse(state, text)
        except IllegalMoveError:
            raise GtpError(ILLEGAL_MOVE) from None
        self.play(state, move)

    def play(self, state: State, move: Move) -> None:
        """Play a legal move of a state that `turned` gave."""
        self.state = state.play(move)
        self.played.append(Played(state.player, move, state))

    def undo(self, count: int = 1) -> None:
        """Take the last moves back; a roll of the dice is one. Raises GtpError where there are fewer."""
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


def texts(game: Game[Any], state: State, line: Sequence[Move]) -> list[tuple[int, str]]:
    """A line of play from a state in words: who moves, and what; as far as it can be played."""
    said: list[tuple[int, str]] = []
    for move in line:
        if move not in state.moves():
            break
        said.append((state.player, game.text(state, move)))
        state = state.play(move)
    return said


def sample(state: State, fraction: Callable[[], float]) -> Move:
    """What chance brings in a state where it is to move; `fraction` is a random number below 1."""
    chances = state.chances()
    rest = fraction() * sum(probability for _, probability in chances)
    for move, probability in chances:
        rest -= probability
        if rest < 0:
            return move
    return chances[-1][0]
