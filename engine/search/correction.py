"""How far static values have been off in positions that share something: correction history.

Positions share the structure of pawns, or one side's pieces. What was found is kept for each, for the side to
move, as a sum that fades: of how far the values found by search were from the static ones, already corrected.
"""

import cython

from engine.board.position import Position

if not cython.compiled:
    from engine.board.bitboard import BISHOP, KING, KNIGHT, QUEEN, ROOK, i32, u64

    CORRECTION_MASK, CORRECTION_BITS, BONUS_LARGEST = 16383, 10, 256

MIXER = 0x9E3779B97F4A7C15


class Correction:
    """What one thread has found out; ±1024, from the side to move's point of view."""

    def __init__(self) -> None:
        self.pawns = [0] * 32768
        self.pieces = [0] * 65536

    def clear(self) -> None:
        """Forget all."""
        self.pawns = [0] * 32768
        self.pieces = [0] * 65536

    def find(self, pos: Position) -> int:
        """What is known of positions like this: ±3072 at most; see `correction_weight`."""
        return (
            self.pawns[self._of_pawns(pos)]
            + self.pieces[self._of_pieces(pos, 0)]
            + self.pieces[self._of_pieces(pos, 1)]
        )

    def learn(self, pos: Position, difference: int, depth: int) -> None:
        """The value found by so many plies is `difference` centipawns above the corrected static one."""
        bonus = max(min(difference * depth >> 3, BONUS_LARGEST), -BONUS_LARGEST)
        i = self._of_pawns(pos)
        self.pawns[i] += bonus - (self.pawns[i] * abs(bonus) >> CORRECTION_BITS)
        for colour in range(2):
            i = self._of_pieces(pos, colour)
            self.pieces[i] += bonus - (self.pieces[i] * abs(bonus) >> CORRECTION_BITS)

    def _of_pawns(self, pos: Position) -> int:
        return pos.side * 16384 + i32(pos.pawn_key & CORRECTION_MASK)

    def _of_pieces(self, pos: Position, colour: int) -> int:
        """By multiplication, because no key of them is kept: nearly all other nodes have no use for one."""
        own = pos.by_colour[colour]
        mixed = u64((own & pos.by_type[KNIGHT]) * MIXER)
        mixed = u64((mixed ^ own & pos.by_type[BISHOP]) * MIXER)
        mixed = u64((mixed ^ own & pos.by_type[ROOK]) * MIXER)
        mixed = u64((mixed ^ own & pos.by_type[QUEEN]) * MIXER)
        mixed = u64((mixed ^ own & pos.by_type[KING]) * MIXER)
        return (colour * 2 + pos.side) * 16384 + i32(mixed >> 50)
