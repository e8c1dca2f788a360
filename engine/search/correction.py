"""Correction history: by how much static values were wrong in positions with the same pawns or pieces.

For each pawn structure, each side's pieces, and minor pieces with kings, by side to move, it keeps a
decaying sum of the differences between what searches found and the corrected static values.
"""

import cython

from engine.board.position import Position
from engine.search.parameters import Parameters

if not cython.compiled:
    from engine.board.bitboard import BISHOP, KING, KNIGHT, QUEEN, ROOK, i32, u64

    CORRECTION_MASK, CORRECTION_BITS, BONUS_LARGEST = 16383, 10, 256

MIXER = 0x9E3779B97F4A7C15


def _gravity(past: int, bonus: int) -> int:
    """History gravity: an entry moves less the nearer it is to ±2**CORRECTION_BITS."""
    return past + bonus - (past * abs(bonus) >> CORRECTION_BITS)


class Correction:
    """The correction history of one thread: entries of ±1024, from the side to move's point of view."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self.pawns = [0] * 32768
        self.pieces = [0] * 65536
        self.minors = [0] * 32768

    def find(self, pos: Position, parameters: Parameters) -> int:
        """What to add to the static value, in centipawns: the position's entries, weighed by `parameters`."""
        pieces = self.pieces[self._of_pieces(pos, 0)] + self.pieces[self._of_pieces(pos, 1)]
        weighed = self.pawns[self._of_pawns(pos)] * parameters.correction_pawns
        weighed += self.minors[self._of_minors(pos)] * parameters.correction_minor
        return weighed + pieces * parameters.correction_pieces >> 12

    def learn(self, pos: Position, difference: int, depth: int) -> None:
        """A search to `depth` found a value `difference` centipawns above the corrected static one."""
        bonus = max(min(difference * depth >> 3, BONUS_LARGEST), -BONUS_LARGEST)
        i = self._of_pawns(pos)
        self.pawns[i] = _gravity(self.pawns[i], bonus)
        i = self._of_minors(pos)
        self.minors[i] = _gravity(self.minors[i], bonus)
        for colour in range(2):
            i = self._of_pieces(pos, colour)
            self.pieces[i] = _gravity(self.pieces[i], bonus)

    def _of_pawns(self, pos: Position) -> int:
        return pos.side * 16384 + i32(pos.pawn_key & CORRECTION_MASK)

    def _of_minors(self, pos: Position) -> int:
        """The index by the knights, bishops and kings of both sides."""
        white = pos.by_colour[0] & (pos.by_type[KNIGHT] | pos.by_type[BISHOP] | pos.by_type[KING])
        mixed = u64(pos.by_type[KNIGHT] * MIXER)
        mixed = u64((mixed ^ pos.by_type[BISHOP]) * MIXER)
        mixed = u64((mixed ^ pos.by_type[KING]) * MIXER)
        mixed = u64((mixed ^ white) * MIXER)
        return pos.side * 16384 + i32(mixed >> 50)

    def _of_pieces(self, pos: Position, colour: int) -> int:
        """The index by a side's pieces, hashed here: a key kept by the position would save no time."""
        own = pos.by_colour[colour]
        mixed = u64((own & pos.by_type[KNIGHT]) * MIXER)
        mixed = u64((mixed ^ own & pos.by_type[BISHOP]) * MIXER)
        mixed = u64((mixed ^ own & pos.by_type[ROOK]) * MIXER)
        mixed = u64((mixed ^ own & pos.by_type[QUEEN]) * MIXER)
        mixed = u64((mixed ^ own & pos.by_type[KING]) * MIXER)
        return (colour * 2 + pos.side) * 16384 + i32(mixed >> 50)
