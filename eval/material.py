"""Material alone: 1/3/3/5/9, after Lolli (1763)."""

import cython

from engine.board.position import Position
from eval.evaluator import Evaluator

if not cython.compiled:
    from engine.board.bitboard import BISHOP, KNIGHT, PAWN, QUEEN, ROOK, popcount


class Material(Evaluator):
    """Counts pieces: pawn 100, knight and bishop 300, rook 500, queen 900 centipawns."""

    def evaluate(self, position: Position) -> int:
        return self._count(position, position.side) - self._count(position, position.side ^ 1)

    def terms(self, position: Position) -> list[tuple[str, int, int]]:
        """Each kind of piece with what either side has of it."""
        result = []
        for kind, (name, value) in enumerate(
            (("Pawns", 100), ("Knights", 300), ("Bishops", 300), ("Rooks", 500), ("Queens", 900))
        ):
            pieces = [position.piece_at(sq) for sq in range(64)]
            result.append((name, value * pieces.count(kind), value * pieces.count(8 + kind)))
        return result

    def _count(self, position: Position, colour: int) -> int:
        own = position.by_colour[colour]
        return (
            100 * popcount(own & position.by_type[PAWN])
            + 300 * popcount(own & (position.by_type[KNIGHT] | position.by_type[BISHOP]))
            + 500 * popcount(own & position.by_type[ROOK])
            + 900 * popcount(own & position.by_type[QUEEN])
        )
