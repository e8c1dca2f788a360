"""The meaning of a value: the chances to win, to draw and to lose that go with it.

The model is Stockfish's (https://github.com/official-stockfish/WDL_model): the chance to win is logistic
in the value, a(x) being the value at which it is even and b(x) how slowly it grows; both are cubic in
the material left, x = material / 58, and the chance to lose is the chance to win with the opposite value.
"""

from dataclasses import dataclass
from enum import Enum
from math import exp, inf, isfinite

from engine.board.position import Position

LEAST_MATERIAL, MOST_MATERIAL = 17, 78
"""In pawns, both sides together; less material than the least counts as that, more than the most likewise."""
USUAL_MATERIAL = 58
_WORTH = (1, 3, 3, 5, 9)  # pawn … queen
_COEFFICIENTS = 4
_STEEPEST = 500.0  # an exponent beyond which a chance is 0 or 1 anyway

Coefficients = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class OutcomeModel:
    """The coefficients of a(x) and b(x), lowest order first, in centipawns.

    Raises ValueError where they are not four finite numbers each, or where a or b is below one
    centipawn for any material.
    """

    a: Coefficients
    b: Coefficients

    def __post_init__(self) -> None:
        for name, coefficients in (("a", self.a), ("b", self.b)):
            if len(coefficients) != _COEFFICIENTS:
                raise ValueError(f"{name} has {len(coefficients)} coefficients, not {_COEFFICIENTS}")
            for number in coefficients:
                if not isfinite(number):
                    raise ValueError(f"{name} has a coefficient that is not a finite number: {number!r}")
            for material in range(LEAST_MATERIAL, MOST_MATERIAL + 1):
                value = _polynomial(coefficients, material)
                if not 1 <= value < inf:
                    raise ValueError(f"{name} is {value:.4g} centipawns at material {material}, below 1")

    def chances(self, value: int, material: int) -> tuple[int, int, int]:
        """How many of a thousand games the side whose value it is wins, draws and loses.

        `value` is in centipawns as the search has it, not normalised; `material` is from `material_of`. The
        three add up to 1000.
        """
        win = round(1000 * self.win(value, material))
        loss = min(round(1000 * self.win(-value, material)), 1000 - win)
        return win, 1000 - win - loss, loss

    def win(self, value: float, material: int) -> float:
        """The chance, 0 … 1, that the side whose value it is wins."""
        steepness = (self.even(material) - value) / _polynomial(self.b, material)
        return 1 / (1 + exp(max(-_STEEPEST, min(_STEEPEST, steepness))))

    def normalised(self, value: int, material: int) -> int:
        """Centipawns on a scale where +100 is an even chance to win with any material."""
        return round(100 * value / self.even(material))

    def even(self, material: int) -> float:
        """The value in centipawns at which the chance to win is a half."""
        return _polynomial(self.a, material)


def material_of(position: Position) -> int:
    """The pieces of both sides together, in pawns at 1/3/3/5/9: 78 at the start of a game."""
    kinds = [position.piece_at(square) & 7 for square in range(64)]
    return sum(worth * kinds.count(kind) for kind, worth in enumerate(_WORTH))


def _polynomial(coefficients: Coefficients, material: int) -> float:
    x = min(max(material, LEAST_MATERIAL), MOST_MATERIAL) / USUAL_MATERIAL
    result = 0.0
    for number in reversed(coefficients):
        result = result * x + number
    return result


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

    No game is played if the first search sees either side ahead by more than `level_score`. It is won when
    `won_plies` searches in a row give the same side more than `won_score`; drawn when `drawn_plies` in a row
    after ply `drawn_from` give at most `drawn_score` either way, or after `longest` plies.
    """

    level_score: int = 300
    won_score: int = 2000
    won_plies: int = 6
    drawn_score: int = 5
    drawn_plies: int = 16
    drawn_from: int = 120
    longest: int = 400


STANDARD = Adjudication()
