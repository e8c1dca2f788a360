"""When a game that the engine plays against itself is over: by the rules, or because it is decided."""

from dataclasses import dataclass
from enum import Enum


class Ending(Enum):
    """How a game ended; `Ending.X.number` is what files of games hold."""

    CHECKMATE = "checkmate"
    STALEMATE = "stalemate"
    INSUFFICIENT = "insufficient material"
    FIFTY_MOVES = "fifty moves"
    REPETITION = "repetition"
    CLEAR_WIN = "clear win"
    CLEAR_DRAW = "clear draw"
    TOO_LONG = "too long"

    @property
    def number(self) -> int:
        """0 for checkmate, and so on in the order above."""
        return _NUMBERS[self]


_NUMBERS = {ending: number for number, ending in enumerate(Ending)}


@dataclass(frozen=True, slots=True)
class Adjudication:
    """From which scores (centipawns) and plies on a game is decided.

    The game begins only if the first search sees neither side ahead by more than `level_score`. It is won
    when `won_plies` searches in a row, half of them by either side, say more than `won_score`. It is drawn
    when, after ply `drawn_from`, `drawn_plies` searches in a row say no more than `drawn_score` either way,
    and after `longest` plies.
    """

    level_score: int = 300
    won_score: int = 2000
    won_plies: int = 6
    drawn_score: int = 5
    drawn_plies: int = 16
    drawn_from: int = 120
    longest: int = 400


STANDARD = Adjudication()
