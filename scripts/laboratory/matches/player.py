"""What the referee asks of an engine, whatever protocol it speaks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from .record import Termination
from .time_control import NS_PER_MS

if TYPE_CHECKING:
    import chess
    from chess.engine import Score

    from .time_control import GameClock

START_SECONDS = 30.0
"""How long an engine may take to start."""


class StartError(Exception):
    """An engine cannot be started as asked; the message says why. No game can be played."""


class ForfeitError(Exception):
    """An engine lost the game by failing to play on."""

    def __init__(self, ending: Termination, detail: str, elapsed: int | None = None) -> None:
        """`detail` is for the reader of the report; a late move took `elapsed` nanoseconds."""
        super().__init__(f"{ending.value}: {detail}")
        self.ending = ending
        self.detail = detail
        self.elapsed = elapsed


def late(elapsed: int, allowance: int) -> ForfeitError:
    """The loss on time of a move that took this long where that was allowed, in nanoseconds."""
    used, allowed = elapsed / NS_PER_MS, allowance / NS_PER_MS
    return ForfeitError(Termination.TIME_LOSS, f"{used:.1f} ms used of {allowed:.1f} ms", elapsed)


@dataclass(slots=True)
class GameState:
    """A game in progress, as both engines see it."""

    board: chess.Board
    start_fen: str | None
    """None for the usual start position."""
    moves: list[str]
    """All moves since the start, in UCI notation."""
    clocks: tuple[GameClock, GameClock]
    """White's and Black's."""

    def clock(self, colour: chess.Color) -> GameClock:
        """The clock of White (True) or Black (False)."""
        return self.clocks[0] if colour else self.clocks[1]


@dataclass(frozen=True, slots=True)
class Analysis:
    """What an engine told of its search, None where it did not. The score is from its own side."""

    depth: int | None = None
    nodes: int | None = None
    score: Score | None = None


@dataclass(frozen=True, slots=True)
class EngineReply:
    """An engine's move as it gave it, None when it resigned, and how many nanoseconds it took."""

    move: str | None
    elapsed: int
    analysis: Analysis


class EnginePlayer(Protocol):
    """One running engine. After a ForfeitError it is only good for `last_lines` and `kill`."""

    def new_game(self, table: GameState) -> None:
        """Prepare for a game from this table's start.

        Raises ForfeitError, or StartError if the engine cannot be told of it.
        """

    def move(self, table: GameState) -> EngineReply:
        """Have the side to move moved. Raises ForfeitError; the clock is judged here, the move is not."""

    def ponder(self, table: GameState) -> None:
        """The opponent is to move: think on, if that was asked for. Raises nothing; `move` will."""

    def rest(self) -> None:
        """The game is over: no longer ponder."""

    def last_lines(self) -> tuple[str, ...]:
        """The end of the dialogue."""

    def peak_memory(self) -> int:
        """The most memory in bytes that the engine has had resident."""

    def close(self) -> None:
        """End the engine in order."""

    def kill(self) -> None:
        """End the engine at once."""
