"""A state of chess as one of the games: a position, and what tells of draws by repetition and fifty moves."""

from __future__ import annotations

from random import Random
from sys import getsizeof
from typing import TYPE_CHECKING, NoReturn

from engine.board.movegen import legal_moves
from engine.board.position import Snapshot
from engine.games.rules.game import OVER, NotApplicableError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.board.position import Position

BLACK, WHITE = 0, 1
"""The players; engine.board counts its sides the other way round."""
FIFTY_MOVES = 100
"""Plies without capture or pawn move after which a game is drawn."""
_RECURRED = 2  # times that a position has occurred before when it is drawn
_INT_BYTES = 32


class Chess:
    """A position, and the keys of those since the last move that cannot be taken back, in order of size.

    Two are equal if the same can follow: the same position, the same clock of the fifty-move rule, and the
    same positions that have occurred before and may recur.
    """

    __slots__ = ("_moves", "_past", "_snapshot", "player", "winner")

    def __init__(self, position: Position, past: tuple[int, ...] = ()) -> None:
        """`winner` is -1 for a draw, and for a game that goes on."""
        mover = player_of(position)
        self._moves = tuple(legal_moves(position))
        self._past = past
        self._snapshot = Snapshot(position)
        self.player, self.winner = mover, -1
        if not self._moves:
            self.player = OVER
            if position.checkers:
                self.winner = 1 - mover
        elif position.is_fifty_moves() or position.is_insufficient() or past.count(position.key) >= _RECURRED:
            self.player, self._moves = OVER, ()

    def position(self) -> Position:
        """The board, without the moves that led to it."""
        return self._snapshot.position()

    def moves(self) -> Sequence[int]:
        """The legal moves, in the generator's order."""
        return self._moves

    def play(self, move: int) -> Chess:
        """The state after a legal move."""
        position = self._snapshot.position()
        position.make(move)
        can_recur = position.reversible > 0
        return Chess(position, tuple(sorted((*self._past, self._snapshot.key))) if can_recur else ())

    def plies_left(self) -> int:
        """How many plies can follow before the fifty-move rule, or a third recurrence, can draw the game."""
        recurs = any(self._past.count(key) >= _RECURRED for key in self._past)
        return 0 if recurs else FIFTY_MOVES - self._snapshot.halfmoves

    def chances(self) -> NoReturn:
        """Never: there is no chance in this game."""
        raise NotApplicableError("no chance in this game")

    def payoff(self) -> Sequence[float]:
        """Won, drawn or lost, for both."""
        if self.winner < 0:
            return 0.0, 0.0
        return (1.0, -1.0) if self.winner == BLACK else (-1.0, 1.0)

    def turn(self, player: int) -> NoReturn:
        """Never: where a king is in check, nobody else could move."""
        del player
        raise NotApplicableError("the turn cannot be given to another player in this game")

    def playout(self, seed: int) -> Sequence[float]:
        """The payoffs after a random game from here; the same for the same seed."""
        state, random = self, Random(seed)
        while state.player != OVER:
            state = state.play(random.choice(state._moves))
        return state.payoff()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Chess):
            return NotImplemented
        mine, theirs = self._snapshot, other._snapshot
        return (mine.key, mine.halfmoves, self._past) == (theirs.key, theirs.halfmoves, other._past)

    def __hash__(self) -> int:
        return hash((self._snapshot.key, self._snapshot.halfmoves))

    def __sizeof__(self) -> int:
        parts = (self._snapshot, self._moves, self._past)
        numbers = len(self._moves) + len(self._past)
        return object.__sizeof__(self) + sum(map(getsizeof, parts)) + _INT_BYTES * numbers


def player_of(position: Position) -> int:
    """The player to move."""
    return 1 - position.side
