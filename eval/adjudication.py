"""When a game that the engine plays against itself is over: by the rules, or because it is decided."""

from dataclasses import dataclass
from enum import Enum


class Ending(Enum):
    """How a game ended. Game files store the place in this list, from 0."""

    CHECKMATE = "checkmate"
    STALEMATE = "stalemate"
    INSUFFICIENT = "insufficient material"
    FIFTY_MOVES = "fifty moves"
    REPETITION = "repetition"
    CLEAR_WIN = "clear win"
    CLEAR_DRAW = "clear draw"
    TOO_LONG = "too long"


@dataclass(frozen=True, slots=True)
class Adjudication:
    """When a game is decided. Scores are in centipawns.

    A game is not played if the first search sees either side ahead by more than `level_score`. It is won when
    `won_plies` searches in a row, by both sides in turn, give the same side more than `won_score`. It is
    drawn when `drawn_plies` searches in a row after ply `drawn_from` give at most `drawn_score` either way,
    or after `longest` plies.
    """

    level_score: int = 300
    won_score: int = 2000
    won_plies: int = 6
    drawn_score: int = 5
    drawn_plies: int = 16
    drawn_from: int = 120
    longest: int = 400


STANDARD = Adjudication()
