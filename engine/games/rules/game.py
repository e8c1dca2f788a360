"""What every game is to those who search it: states, and the rules and words around them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

CHANCE, OVER = -1, -2

Move: TypeAlias = Any
"""Hashable; each game has its own kind. What chance brings is a move, too."""


class IllegalMoveError(ValueError):
    """A text that is no legal move of the state."""


class SizeError(ValueError):
    """A size, a number of players or another option that the game does not have."""


class NotApplicableError(Exception):
    """What was asked for makes no sense in this game; the message says why."""


class State(Protocol):
    """A position of a game: immutable, hashable, and equal to another if all that can follow is the same."""

    @property
    def player(self) -> int:
        """Who is to move: 0 … n - 1, CHANCE, or OVER."""

    def moves(self) -> Sequence[Move]:
        """The legal moves, always in the same order; at CHANCE what may come; empty at OVER."""

    def play(self, move: Move) -> Self:
        """The state after one of `moves`. What it does with anything else is undefined."""

    def chances(self) -> Sequence[tuple[Move, float]]:
        """At CHANCE: each outcome with its probability."""

    def payoff(self) -> Sequence[float]:
        """At OVER: one number for each player, between the game's `payoffs`."""

    def turn(self, player: int) -> Self:
        """The same board with another player to move.

        Raises NotApplicableError where that has no meaning, and for a player who has dropped out.
        """


S = TypeVar("S", bound=State)


class Game(ABC, Generic[S]):
    """The rules of one game for a number of players, its notation, and a first idea of who is ahead."""

    name: str
    """As it is written on the command line and over GTP."""
    title: str
    """As people write it."""
    players: int = 2
    sizes: tuple[int, ...] = ()
    """Of the boards that there are, the usual one first; empty where there is only one."""
    payoffs: tuple[float, float] = (-1.0, 1.0)
    """The least and the greatest payoff."""
    zero_sum: bool = True
    """Whether the payoffs, and the estimates, of all players add up to 0."""
    chance: bool = False
    """Whether there are states where chance is to move."""
    advice: Mapping[str, Mapping[str, str]] = {}
    """Options that serve a searcher best here, by its name; whoever sets an option has the last word."""
    komi: float | None = None
    """The points that player 1 is given at the end; None in a game without. A game with them is made with
    `komi=…`."""

    @abstractmethod
    def start(self, size: int | None = None) -> S:
        """The first state, on the usual board or on another. Raises SizeError."""

    @abstractmethod
    def estimate(self, state: S) -> Sequence[float]:
        """What the payoffs might be, one for each player, without looking ahead; between `payoffs`.

        At OVER it may be anything: the payoffs are known there.
        """

    def noisy(self, state: S) -> Sequence[Move]:
        """The moves after which an estimate is not to be trusted, such as captures; some of `moves`."""
        return ()

    @abstractmethod
    def text(self, state: S, move: Move) -> str:
        """A legal move in the game's notation, without blanks."""

    def parse(self, state: S, text: str) -> Move:
        """The legal move that is written so, in capitals or not. Raises IllegalMoveError."""
        wanted = text.strip().lower()
        for move in state.moves() if text.isascii() else ():
            if self.text(state, move).lower() == wanted:
                return move
        raise IllegalMoveError(f"{text.strip()[:40]!r} is not a legal move")

    @abstractmethod
    def show(self, state: S) -> str:
        """The board for people, lines separated by newlines, none of them empty."""

    # What only some games have: points, stones that can be dead, a start other than the usual one

    def margin(self, state: S) -> float:
        """By how many points player 0 is ahead if the game ends here. Raises NotApplicableError."""
        raise NotApplicableError(f"there are no points in {self.title}")

    def fates(self, state: S) -> Mapping[str, Sequence[Sequence[str]]]:
        """The stones that are `alive`, `seki` and `dead` if the game ends here: of each block the vertices.

        Raises NotApplicableError.
        """
        raise NotApplicableError(f"all men live in {self.title}")

    def handicap_points(self, size: int | None, stones: int) -> Sequence[str]:
        """Where so many handicap stones usually stand.

        Raises SizeError for a size or a number that has no such places, NotApplicableError.
        """
        raise NotApplicableError(f"no handicap in {self.title}")

    def arrange(self, size: int | None, stones: Sequence[tuple[int, str]], player: int) -> S:
        """A first state with stones on the board, each a player and a vertex, and this player to move.

        Raises SizeError, IllegalMoveError for a vertex that is none or taken twice, NotApplicableError.
        """
        raise NotApplicableError(f"there is one start in {self.title}")
