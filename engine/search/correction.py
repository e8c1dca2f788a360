"""Correction history: by how much static values were wrong in positions with the same pawns or pieces.

For each pawn structure and each side's pieces, by side to move, it keeps a decaying sum of the differences
between what searches found and the corrected static values.
"""

import cython

from engine.board.position import Position
from engine.search.parameters import Parameters

if not cython.compiled:
    from engine.board.bitboard import BISHOP, KING, KNIGHT, QUEEN, ROOK, i32, u64
    from engine.board.move import target

    CORRECTION_MASK, CORRECTION_BITS, BONUS_LARGEST = 16383, 10, 256

MIXER = 0x9E3779B97F4A7C15


class Correction:
    """The correction history of one thread: entries of ±1024, from the side to move's point of view."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self.pawns = [0] * 32768
        self.pieces = [0] * 65536
        self.minors = [0] * 32768
        self.moves = [0] * 65536

    def find(self, pos: Position, parameters: Parameters) -> int:
        """What to add to the static value, in centipawns: the position's entries, weighed by `parameters`."""
        pieces = self.pieces[self._of_pieces(pos, 0)] + self.pieces[self._of_pieces(pos, 1)]
        weighed = self.pawns[self._of_pawns(pos)] * parameters.correction_pawns
        weighed += pieces * parameters.correction_pieces
        if parameters.correction_minor:
            weighed += self.minors[self._of_minors(pos)] * parameters.correction_minor
        if parameters.correction_continuation:
            weighed += self.moves[self._of_moves(pos)] * parameters.correction_continuation
        return weighed >> 12

    def learn(self, pos: Position, difference: int, depth: int) -> None:
        """A search to `depth` found a value `difference` centipawns above the corrected static one."""
        bonus = max(min(difference * depth >> 3, BONUS_LARGEST), -BONUS_LARGEST)
        i = self._of_pawns(pos)
        self.pawns[i] += bonus - (self.pawns[i] * abs(bonus) >> CORRECTION_BITS)
        for colour in range(2):
            i = self._of_pieces(pos, colour)
            self.pieces[i] += bonus - (self.pieces[i] * abs(bonus) >> CORRECTION_BITS)

    def learn_more(self, pos: Position, difference: int, depth: int, parameters: Parameters) -> None:
        """`learn` for what `parameters` may leave out."""
        bonus = max(min(difference * depth >> 3, BONUS_LARGEST), -BONUS_LARGEST)
        if parameters.correction_minor:
            i = self._of_minors(pos)
            self.minors[i] += bonus - (self.minors[i] * abs(bonus) >> CORRECTION_BITS)
        if parameters.correction_continuation:
            i = self._of_moves(pos)
            self.moves[i] += bonus - (self.moves[i] * abs(bonus) >> CORRECTION_BITS)

    def _of_minors(self, pos: Position) -> int:
        """The index by the knights, bishops and kings of both sides."""
        mixed = u64((pos.by_colour[0] & pos.by_type[KNIGHT]) * MIXER)
        mixed = u64((mixed ^ pos.by_colour[1] & pos.by_type[KNIGHT]) * MIXER)
        mixed = u64((mixed ^ pos.by_colour[0] & pos.by_type[BISHOP]) * MIXER)
        mixed = u64((mixed ^ pos.by_colour[1] & pos.by_type[BISHOP]) * MIXER)
        mixed = u64((mixed ^ pos.by_colour[0] & pos.by_type[KING]) * MIXER)
        mixed = u64((mixed ^ pos.by_colour[1] & pos.by_type[KING]) * MIXER)
        return pos.side * 16384 + i32(mixed >> 50)

    def _of_moves(self, pos: Position) -> int:
        """The index by piece and target square of the last two moves, hashed."""
        if pos.height < 2:
            return 0
        last = (pos.undo_piece[pos.height - 1] << 6) + target(pos.undo_move[pos.height - 1])
        before = (pos.undo_piece[pos.height - 2] << 6) + target(pos.undo_move[pos.height - 2])
        return before * 1103 + last & 65535

    def _of_pawns(self, pos: Position) -> int:
        return pos.side * 16384 + i32(pos.pawn_key & CORRECTION_MASK)

    def _of_pieces(self, pos: Position, colour: int) -> int:
        """The index by a side's pieces, hashed here: a key kept by the position would save no time."""
        own = pos.by_colour[colour]
        mixed = u64((own & pos.by_type[KNIGHT]) * MIXER)
        mixed = u64((mixed ^ own & pos.by_type[BISHOP]) * MIXER)
        mixed = u64((mixed ^ own & pos.by_type[ROOK]) * MIXER)
        mixed = u64((mixed ^ own & pos.by_type[QUEEN]) * MIXER)
        mixed = u64((mixed ^ own & pos.by_type[KING]) * MIXER)
        return (colour * 2 + pos.side) * 16384 + i32(mixed >> 50)
