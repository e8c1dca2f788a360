"""A game being played: the moves, the clocks, and how it ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import chess

if TYPE_CHECKING:
    from protocol.cli.playing.time_control import FischerClock

_FIFTY_MOVES = 100  # plies
_REASONS = {
    chess.Termination.CHECKMATE: "checkmate",
    chess.Termination.STALEMATE: "stalemate",
    chess.Termination.INSUFFICIENT_MATERIAL: "neither side can mate",
    chess.Termination.SEVENTYFIVE_MOVES: "75 moves without a capture or a pawn move",
    chess.Termination.FIVEFOLD_REPETITION: "the position has occurred five times",
}


@dataclass(frozen=True, slots=True)
class GameEnding:
    """Who has won, None for a draw, why, and whether it was the clock."""

    winner: chess.Color | None
    reason: str
    on_time: bool = False

    @property
    def result(self) -> str:
        """`1-0`, `0-1` or `1/2-1/2`."""
        return "1/2-1/2" if self.winner is None else "1-0" if self.winner else "0-1"


class ChessGame:
    """One game. Between a move and the next `begin_turn` no clock runs."""

    def __init__(self, start: chess.Board, clock: FischerClock | None = None) -> None:
        """From a position, whose history counts for repetitions and is part of the record."""
        self.board = start.copy()
        self.clock = clock
        self.ending: GameEnding | None = None
        self._first = len(start.move_stack)
        self._before: list[tuple[float, float]] = []  # the clocks before each move
        self._after: list[float] = []  # the mover's clock after each move
        self._find_ending()

    @property
    def played(self) -> int:
        """How many plies have been played here."""
        return len(self.board.move_stack) - self._first

    @property
    def clock_times(self) -> list[float]:
        """What was left to the mover after each of the plies played here; empty without a clock."""
        return self._after

    @property
    def last_move(self) -> chess.Move | None:
        """The move that led to the position, None where it is not known."""
        return self.board.peek() if self.board.move_stack else None

    def begin_turn(self) -> None:
        """The clock of the side to move runs, unless it does already or the game is over."""
        if self.clock is not None and self.ending is None:
            self.clock.start(self.board.turn)

    def time_left(self) -> float | None:
        """Seconds of the side to move, None without a clock."""
        return None if self.clock is None else self.clock.left(self.board.turn)

    def move(self, move: chess.Move) -> None:
        """Play a legal move, unless its side's time is up: then the game has ended with that."""
        if self.check_time():
            return
        if self.clock is not None:
            self._before.append(self.clock.state())
            self.clock.press(self.board.turn)
            self._after.append(self.clock.left(self.board.turn))
        self.board.push(move)
        self._find_ending()

    def check_time(self) -> bool:
        """Whether the game is over because the side to move has no time left."""
        if self.clock is None or self.ending is not None or not self.clock.has_fallen(self.board.turn):
            return False
        loser, winner = self.board.turn, not self.board.turn
        reason = f"{_name(loser)}'s time is up"
        if self.board.has_insufficient_material(winner):
            self._end(GameEnding(None, f"{reason}, but {_name(winner)} cannot mate", on_time=True))
        else:
            self._end(GameEnding(winner, reason, on_time=True))
        return True

    def take_back(self, plies: int) -> None:
        """Undo moves played here, with what the clocks showed before them, and an ending."""
        for _ in range(plies):
            self.board.pop()
            if self.clock is not None:
                self.clock.set(self._before.pop())
                self._after.pop()
        self.ending = None

    def claim(self) -> str | None:
        """Why the side to move may claim a draw, None if it may not."""
        if self.board.is_repetition(3):
            return "the position has occurred three times"
        if self.board.halfmove_clock >= _FIFTY_MOVES:
            return "50 moves without a capture or a pawn move"
        return None

    def end_drawn(self, reason: str) -> None:
        """A draw was claimed or agreed."""
        self._end(GameEnding(None, reason))

    def resign(self, loser: chess.Color) -> None:
        """One side gives up."""
        self._end(GameEnding(not loser, f"{_name(loser)} resigns"))

    def _find_ending(self) -> None:
        outcome = self.board.outcome()
        if outcome is not None:
            self._end(GameEnding(outcome.winner, _REASONS[outcome.termination]))

    def _end(self, ending: GameEnding) -> None:
        self.ending = ending
        if self.clock is not None:
            self.clock.halt()


def _name(color: chess.Color) -> str:
    return "White" if color else "Black"
