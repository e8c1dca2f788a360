"""What is known of a root position without searching: the result that endgame tables give each move."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from engine.board.position import Position
from engine.search.constants import MATE_BOUND

TABLE_WIN = 20000
"""A win by the tables that is no mate yet, in centipawns, as other engines tell it."""
TABLE_EDGE = 20
"""A win that the fifty-move rule makes a draw, in centipawns: even, but one side has to take care."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The `best` moves, which are to be searched, and the others in order, best first.

    `values` has all of them, in centipawns from the mover's side; `hits` is how many tables were read for it.
    """

    best: tuple[int, ...]
    others: tuple[int, ...]
    values: dict[int, int]
    hits: int

    def score(self, move: int, searched: int) -> tuple[int, bool]:
        """The score of a move, and whether it is the tables': all but a mate for who wins gives way."""
        value = self.values[move]
        if abs(value) == TABLE_WIN and abs(searched) > MATE_BOUND and (searched > 0) == (value > 0):
            return searched, False
        return value, True


class Tables(Protocol):
    """Endgame tables; asked from the search's own thread."""

    def verdict(
        self, position: Position, moves: Sequence[int], expired: Callable[[], bool]
    ) -> Verdict | None:
        """What the tables say of these legal moves.

        None where they do not know all of them, or where `expired` says that time is up. Never raises.
        """

    def complaint(self) -> str:
        """What went wrong since this was asked last, in one line; empty where nothing did."""
