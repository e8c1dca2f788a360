"""The interface of every game: states for those who search, and the rules and notation around them."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, Self, TypeAlias, TypeVar, cast

CHANCE, OVER = -1, -2
LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
_ROW = re.compile(r"\s*([0-9]+) +(\S(?: +\S)*) +\1\b.*")

Move: TypeAlias = Any  # hashable; each game has its own type. An outcome of chance is a move, too.


class IllegalMoveError(ValueError):
    """A text that is not a legal move in the state."""


class SizeError(ValueError):
    """A size, a number of players or another option that the game does not have."""


class NotApplicableError(Exception):
    """The request makes no sense in this game; the message says why."""


class State(Protocol):
    """A position of a game: immutable, hashable, and equal to another if the same can follow.

    It may have a `playout(seed)` of its own, which plays a random game from there and returns the rewards:
    the payoffs, or numbers near them that are a little higher for a better score. It may have
    `sensible_moves()`: those of `moves` that are not sure to do only harm.
    """

    @property
    def player(self) -> int:
        """The player to move: 0 … n - 1, CHANCE, or OVER."""

    def moves(self) -> Sequence[Move]:
        """The legal moves, always in the same order; at CHANCE the possible outcomes; empty at OVER."""

    def play(self, move: Move) -> Self:
        """The state after one of `moves`; undefined for anything else."""

    def chances(self) -> Sequence[tuple[Move, float]]:
        """At CHANCE: each outcome with its probability."""

    def payoff(self) -> Sequence[float]:
        """At OVER: one number for each player, between the game's `payoffs`."""

    def turn(self, player: int) -> Self:
        """The same board with another player to move.

        Raises NotApplicableError where that has no meaning, and for a player who has dropped out.
        """


S = TypeVar("S", bound=State)


@dataclass(frozen=True, slots=True)
class Numbered:
    """What can happen in a numbered position: where the moves of `mover` lead.

    To numbers, or to states outside of the numbered positions. `mover` is OVER at the end of the game, and
    `winner` who has won there; None for a draw.
    """

    mover: int
    children: Sequence[int | State] = ()
    winner: int | None = None


@dataclass(frozen=True, slots=True)
class Forecast:
    """By how many points player 0 will lead, and who will own each square: 1 for player 0, down to -1.

    The squares go from left to right, the highest row first.
    """

    margin: float
    owners: Sequence[float]


class Positions(Protocol):
    """Positions of a game of two players who move in turns, numbered for an endgame table.

    A position is the board and who is to move: clocks and what has happened before are not in its number.
    Positions of one value, such as mirrored ones, may share a number.
    """

    @property
    def name(self) -> str:
        """The men, as on the command line: `KRK`, `3`."""

    @property
    def title(self) -> str:
        """The same as people write it: `3 men`."""

    @property
    def size(self) -> int:
        """Numbers are below this; not every number has a position."""

    def at(self, number: int) -> Numbered | None:
        """What can happen in a position; None where the number has none."""

    def number(self, state: Any) -> int | None:
        """The number of a state of the game with a player to move; None where it is not among them."""

    def plies_left(self, state: Any) -> int:
        """The most plies that a win may take before a rule that ends long games can make it a draw."""

    def is_too_late(self, state: Any, plies: int) -> bool:
        """Whether that rule surely ends the game before a win in `plies` plies, whatever is played."""


class Game(ABC, Generic[S]):
    """The rules of one game for a number of players, its notation, and an estimate of its states."""

    name: str  # as it is written on the command line and over GTP
    title: str  # as people write it
    players: int = 2
    possible_players: Collection[int] = (2,)
    sizes: tuple[int, ...] = ()  # sizes of boards, the usual one first; empty where there is no such number
    payoffs: tuple[float, float] = (-1.0, 1.0)  # the least and the greatest payoff
    zero_sum: bool = True  # whether the payoffs, and the estimates, of all players add up to 0
    cautious: bool = True  # whether an estimate equals a payoff only in decided states
    chance: bool = False  # whether there are states where chance is to move
    max_player: int | None = None
    """The player drawn as MAX in pictures of searches; None: the player to move at the root."""
    advice: Mapping[str, Mapping[str, str]] = {}
    """By the name of a searcher: the options that serve it best in this game, unless others are given."""
    weights: str | None = None
    """Of the features of its estimate, see features.py; None for the estimate of its own."""
    komi: float | None = None
    """The points that player 1 is given at the end; None for a game that has no option `komi`."""

    def __init__(self, players: int = 2) -> None:
        """Raises SizeError for a number that is not among `possible_players`."""
        if players not in self.possible_players:
            possible = _listed(self.possible_players)
            raise SizeError(f"{self.title} is for {possible} players, not {players}")
        self.players = players
        self.payoffs = (-1.0 / (players - 1), 1.0)

    @abstractmethod
    def start(self, size: int | None = None) -> S:
        """The first state, on the usual board or on another. Raises SizeError."""

    def checked_size(self, wanted: int | None) -> int:
        """`wanted`, or the usual size for None, which is 0 in a game without sizes. Raises SizeError."""
        if wanted is None:
            return self.sizes[0] if self.sizes else 0
        if wanted not in self.sizes:
            if not self.sizes:
                raise SizeError(f"{self.title} has one board only")
            raise SizeError(f"the size in {self.title} must be {_listed(self.sizes)}, not {wanted}")
        return wanted

    def estimate(self, state: S) -> Sequence[float]:
        """A guess of the payoffs, one for each player, without looking ahead; between `payoffs`.

        At OVER it may be anything: the payoffs are known there. By default that of the state.
        """
        found: Sequence[float] = cast(Any, state).estimate()
        return found

    def bounds(self, player: int) -> tuple[float, float]:
        """The least and the greatest payoff of one player."""
        return self.payoffs

    def noisy(self, state: S) -> Sequence[Move]:
        """The moves after which an estimate is not to be trusted, such as captures; some of `moves`."""
        return ()

    def ending(
        self, state: S, look: Callable[[], None], *, cleaning: bool = False
    ) -> tuple[Move, float | None] | None:
        """The move that brings a settled game to its end, such as a pass; None where a search decides.

        With the payoff of the player to move, None where it is open. `look` is called now and then, and may
        raise. `cleaning`: take the enemy's dead stones, even where other points are not settled.
        """
        return None

    def last_move(self, state: S) -> tuple[Move, float] | None:
        """A move that ends the game at once, with the reward of the player to move; None: not known."""
        return None

    def moves_left(self, state: S) -> int | None:
        """About how many moves of all players are still to come; None: not known."""
        return None

    def plies_to_end(self, state: S) -> int | None:
        """The most plies that can follow where the whole tree may be searched in seconds; else None."""
        return None

    def known(self, state: S) -> Sequence[float] | None:
        """The payoffs with best play where a theory of the game tells them without search; else None."""
        return None

    def endings(self, men: str | None = None) -> Sequence[Positions]:
        """The positions with `men`, such as KRK in chess, after those that can follow them: for a table.

        None: those with the most men for which there can be a table. Raises NotApplicableError.
        """
        raise NotApplicableError(f"{self.title} has no endgame tables")

    @abstractmethod
    def text(self, state: S, move: Move) -> str:
        """A legal move in the game's notation, without blanks."""

    def parse(self, state: S, text: str) -> Move:
        """The legal move written as `text`, ASCII letters small or capital. Raises IllegalMoveError."""
        wanted, moves = text.strip(), state.moves()
        names = [self.text(state, move) for move in moves]
        if wanted not in names and wanted.isascii():  # beyond ASCII, letters that only look alike may be one
            names, wanted = [name.lower() for name in names], wanted.lower()
        if wanted in names:
            return moves[names.index(wanted)]
        raise IllegalMoveError(f"{text.strip()[:40]!r} is not a legal move")

    @abstractmethod
    def show(self, state: S) -> str:
        """The board for people, lines separated by newlines, none of them empty."""

    def record(self, moves: Sequence[str], names: Sequence[str], payoffs: Sequence[float]) -> str:
        """A finished game as files of such games have it: moves from `start`, names and payoffs by player.

        Raises NotApplicableError.
        """
        raise NotApplicableError(f"{self.title} has no files of games")

    # What only some games have: points, stones that can be dead, a start other than the usual one

    def margin(self, state: S) -> float:
        """By how many points player 0 is ahead if the game ends here. Raises NotApplicableError."""
        raise NotApplicableError(f"{self.title} has no points")

    def forecast(self, state: S) -> Forecast:
        """How the game is expected to end, as random games guess. Raises NotApplicableError."""
        raise NotApplicableError(f"{self.title} has no territory")

    def fates(self, state: S) -> Mapping[str, Sequence[Sequence[str]]]:
        """The stones that are `alive`, `seki` and `dead` if the game ends here: the vertices of each block.

        Raises NotApplicableError.
        """
        raise NotApplicableError(f"{self.title} has no dead stones")

    def handicap_points(self, size: int | None, stones: int) -> Sequence[str]:
        """The usual vertices of `stones` handicap stones.

        Raises SizeError for a size or a number that has no such vertices, NotApplicableError.
        """
        raise NotApplicableError(f"{self.title} has no handicap")

    def arrange(self, size: int | None, stones: Sequence[tuple[int, str]], player: int) -> S:
        """A first state with stones on the board, each a player and a vertex, and this player to move.

        Raises SizeError, IllegalMoveError for a text that is not a vertex or is taken, NotApplicableError.
        """
        raise NotApplicableError(f"{self.title} cannot start from a given position")


def _listed(numbers: Collection[int]) -> str:
    *first, last = sorted(numbers)
    if len(first) > 1 and last - first[0] == len(first):
        return f"{first[0]} to {last}"
    return f"{', '.join(map(str, first))} or {last}" if first else str(last)


def result_text(lead: float) -> str:
    """A lead of player 0 as GTP's final_score writes it: `B+3.5`, `W+12`, or `0`."""
    return "0" if lead == 0 else f"{'B' if lead > 0 else 'W'}+{abs(lead):g}"


def variation(game: Game[Any], state: State, line: Sequence[Move]) -> list[tuple[int, str]]:
    """A line of play from a state as pairs of player and move text, up to the first move that is illegal."""
    found: list[tuple[int, str]] = []
    for move in line:
        if move not in state.moves():
            break
        found.append((state.player, game.text(state, move)))
        state = state.play(move)
    return found


# Points and squares as GTP writes them: letters without I, then the row


def vertex(column: int, row: int) -> str:
    """`C3` for column 2 and row 2: both count from 0, rows from the bottom unless the game says otherwise."""
    return f"{LETTERS[column]}{row + 1}"


def parse_vertex(text: str, columns: int, rows: int) -> tuple[int, int]:
    """Column and row of a vertex in capitals or not. Raises IllegalMoveError."""
    column = LETTERS.find(text[:1].upper()) if text and text.isascii() else -1
    digits = text[1:]
    if not 0 <= column < columns or not digits.isdigit() or len(digits) > 4:
        raise IllegalMoveError(f"{text[:40]!r} is not a vertex of this board")
    row = int(digits) - 1
    if not 0 <= row < rows:
        raise IllegalMoveError(f"{text[:40]!r} is not a vertex of this board")
    return column, row


def grid(columns: int, rows: int, mark: Callable[[int, int], str], *, first_row_on_top: bool = False) -> str:
    """A board for people, with its letters and numbers; `mark(column, row)` is one character."""
    order = range(rows) if first_row_on_top else range(rows - 1, -1, -1)
    letters = "   " + " ".join(LETTERS[:columns])
    lines = [letters]
    for row in order:
        marks = " ".join(mark(column, row) for column in range(columns))
        lines.append(f"{row + 1:2} {marks} {row + 1}")
    return "\n".join([*lines, letters])


def disc(first: int, second: int, square: int) -> str:
    """The mark of a square on the board of two sets of squares: X, O or a dot."""
    return "X" if first >> square & 1 else "O" if second >> square & 1 else "."


def grid_rows(board: str) -> dict[int, list[str]]:
    """The marks in the rows of a board that `grid` has drawn, by their numbers, the topmost row first."""
    found = map(_ROW.fullmatch, board.splitlines())
    return {int(row[1]): row[2].split() for row in found if row}
