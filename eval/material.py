"""Material alone: 1/3/3/5/9, after Lolli (1763)."""

import cython

from engine.board.position import Position
from eval.evaluator import FULL_SCALE, Evaluator, Explanation, Term, phase_of

if not cython.compiled:
    from engine.board.bitboard import BISHOP, KNIGHT, PAWN, QUEEN, ROOK, popcount

    PAWN_VALUE, MINOR_VALUE, ROOK_VALUE, QUEEN_VALUE = 100, 300, 500, 900


def worth(position: Position, colour: int) -> int:
    """The value of a side's pieces and pawns, in centipawns."""
    pawns = popcount(position.by_colour[colour] & position.by_type[PAWN])
    return PAWN_VALUE * pawns + pieces_worth(position, colour)


def pieces_worth(position: Position, colour: int) -> int:
    """The value of a side's knights, bishops, rooks and queens, in centipawns."""
    own = position.by_colour[colour]
    return (
        MINOR_VALUE * popcount(own & (position.by_type[KNIGHT] | position.by_type[BISHOP]))
        + ROOK_VALUE * popcount(own & position.by_type[ROOK])
        + QUEEN_VALUE * popcount(own & position.by_type[QUEEN])
    )


class Material(Evaluator):
    """Counts pieces: pawn 100, knight and bishop 300, rook 500, queen 900 centipawns."""

    def evaluate(self, position: Position) -> int:
        return worth(position, position.side) - worth(position, position.side ^ 1)

    def explain(self, position: Position) -> Explanation:
        """A term for each kind of piece, worth the same in the middle game and the endgame."""
        names = ("Pawns", "Knights", "Bishops", "Rooks", "Queens")
        values = (PAWN_VALUE, MINOR_VALUE, MINOR_VALUE, ROOK_VALUE, QUEEN_VALUE)
        pieces = [position.piece_at(sq) for sq in range(64)]
        terms = []
        for kind, (name, value) in enumerate(zip(names, values, strict=True)):
            white, black = value * pieces.count(kind), value * pieces.count(8 + kind)
            terms.append(Term(name, (white, white), (black, black)))
        value = worth(position, 0) - worth(position, 1)
        return Explanation(tuple(terms), phase_of(position), FULL_SCALE, value)
