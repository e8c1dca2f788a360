"""What a static judgement is made of, for people."""

from dataclasses import dataclass

from engine.board.position import Position

FULL_PHASE = 24
"""The phase with all pieces: knights and bishops count 1 each, rooks 2, queens 4; more is taken for this."""
FULL_SCALE = 64
"""The scale of an ending in which an advantage is worth as much as elsewhere."""
_PHASES = (0, 1, 1, 2, 4)  # pawn … queen


@dataclass(frozen=True, slots=True)
class Term:
    """One part: what White and what Black has of it, each (middle game, endgame) in centipawns."""

    name: str
    white: tuple[int, int]
    black: tuple[int, int]

    @property
    def total(self) -> tuple[int, int]:
        """White's less Black's, middle game and endgame."""
        return self.white[0] - self.black[0], self.white[1] - self.black[1]


@dataclass(frozen=True, slots=True)
class Explanation:
    """The terms, and how they make the `value`, White's centipawns.

    The middle game counts phase / 24 and the endgame, first multiplied by scale / 64, the rest. A
    `note` says what else there is to know, above all that special rules took the place of the sum.
    """

    terms: tuple[Term, ...]
    phase: int
    scale: int
    value: int
    note: str = ""


def phase_of(position: Position) -> int:
    """From 24, all pieces, to 0, none but pawns and kings."""
    kinds = [position.piece_at(square) & 7 for square in range(64)]
    return min(FULL_PHASE, sum(phase * kinds.count(kind) for kind, phase in enumerate(_PHASES)))
