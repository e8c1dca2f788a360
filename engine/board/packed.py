"""Positions in 32 bytes each, without the moves that led to them: to be read and written by the million.

 0  u64      occupied squares, a1 the lowest bit, then b1; all numbers are little-endian
 8  16 bytes the pieces on them in that order, as `Position.piece_at` has them, two to a byte, the lower
             half first
24  u8       side to move, 0 White, 1 Black
25  u16      files of the rooks that may castle for K, Q, k, q, four bits each, the lowest first; 15 for none
27  u8       square behind a pawn that may be captured en passant, 255 for none
28  u8       half moves since a capture or a pawn's move, at most 255
29  u16      number of the move, at most 65535
31  u8       0
"""

from typing import Any

import cython

from engine.board.movegen import MoveStack
from engine.board.position import Position

if not cython.compiled:
    from engine.board.bitboard import (
        BISHOP,
        BLACK,
        EMPTY,
        KING,
        KNIGHT,
        LAST,
        PAWN,
        QUEEN,
        ROOK,
        bit,
        lsb,
        msb,
        popcount,
        u64,
    )
    from engine.board.move import (
        castled_king,
        from_to,
        is_castling,
        is_promotion,
        new_move,
        origin,
        promoted_to,
        target,
    )
    from engine.board.movegen import generate
    from engine.board.zobrist import CASTLING_KEYS, SIDE_KEY

    PACKED, PIECES, SIDE, FILES = 32, 8, 24, 25
    EN_PASSANT_SQUARE, HALFMOVES, FULLMOVE, LAST_BYTE = 27, 28, 29, 31
    NO_SQUARE, NO_FILE, MOST_MEN, E_FILE, ROOM, WORD = 255, 15, 32, 4, 1024, 64


class PackedReader:
    """Reads packed positions, one after the other, into its `position`. For one thread at a time.

    `data` is always bytes, `row` the number of the position in them.
    """

    def __init__(self) -> None:
        self.position = Position()
        self.blank = Position()
        self.stack = MoveStack()

    def is_sound(self, data: Any, row: int) -> bool:
        """Whether a game could go on from the position, which is then `position`."""
        return self.read(data, row * PACKED)

    def moves(self, data: Any, row: int) -> list[int]:
        """The legal moves of a sound position. Raises ValueError for another."""
        if not self.read(data, row * PACKED):
            raise ValueError(f"position {row} is not one from which a game could go on")
        return [self.stack.at(i) for i in range(generate(self.position, self.stack, 0, False))]

    def write_moves(self, data: Any, first: int, out: Any, ends: Any) -> int:
        """Write the legal moves of the positions from row `first` on; the row after the last one, or less.

        It goes on as long as there are positions, room for ROOM more moves in `out`, and entries in `ends`,
        which get the number of moves up to and with each position. For moves see `plain_move`. Where a
        position is not sound, -1 - row is returned.
        """
        with cython.nogil:
            end = self._write_moves(data, first, out, ends)
        return end

    def _write_moves(self, data: Any, first: int, out: Any, ends: Any) -> int:
        end = 0
        row = first
        while row < data.shape[0] // PACKED and end + ROOM <= out.shape[0] and row - first < ends.shape[0]:
            if not self.read(data, row * PACKED):
                return -1 - row
            count = generate(self.position, self.stack, 0, False)
            for i in range(count):
                out[end + i] = plain_move(self.stack.move[i])
            end += count
            ends[row - first] = end
            row += 1
        return row

    def read(self, data: Any, at: int) -> bool:
        """Set up the position at byte `at`; whether it can be played from, which makes all moves safe."""
        self.position._copy_from(self.blank)
        occupied = self._number(data, at, 8)
        if popcount(occupied) > MOST_MEN:
            return False
        place = 0
        while occupied:
            square = lsb(occupied)
            occupied &= occupied - 1
            piece = data[at + PIECES + (place >> 1)] >> 4 * (place & 1) & 15
            if piece & 7 > KING:
                return False
            self.position._put(piece, square)
            place += 1
        self.position.side = data[at + SIDE] & 1
        if self.position.side == BLACK:
            self.position.key ^= SIDE_KEY
        if not self._is_sound():
            return False
        self.position.halfmoves = data[at + HALFMOVES]
        fullmove = self._number(data, at + FULLMOVE, 2)
        self.position.base_ply = 2 * (max(fullmove, 1) - 1) + self.position.side
        if not self._allow_castling(self._number(data, at + FILES, 2)):
            return False
        self.position.key ^= CASTLING_KEYS[self.position.castling]
        return self._offer_en_passant(data[at + EN_PASSANT_SQUARE])

    def _number(self, data: Any, at: int, size: int) -> int:
        number = u64(0)
        for i in range(size):
            number |= u64(data[at + i]) << 8 * i
        return number

    def _is_sound(self) -> bool:
        """Whether there is one king each, none that could be taken, and no pawn on the first or last rank."""
        us = self.position.side
        kings = self.position.by_type[KING]
        own = popcount(kings & self.position.by_colour[us])
        if own != 1 or popcount(kings & self.position.by_colour[us ^ 1]) != 1:
            return False
        if self.position.by_type[PAWN] & u64(0xFF000000000000FF):
            return False
        self.position.checkers = self.position._attackers(lsb(kings & self.position.by_colour[us]), us ^ 1)
        return not self.position.attacked(
            lsb(kings & self.position.by_colour[us ^ 1]),
            us,
            self.position.by_colour[0] | self.position.by_colour[1],
        )

    def _allow_castling(self, files: int) -> bool:
        """Grant the castling rights for rooks on these files; whether kings and rooks are in place."""
        for right in range(4):
            file = files >> 4 * right & 15
            if file == NO_FILE:
                continue
            if file > LAST:
                return False
            rook = (right >> 1) * 56 + file
            king = lsb(self.position.by_type[KING] & self.position.by_colour[right >> 1])
            if (
                self.position.board[rook] != (right >> 1) * 8 + ROOK
                or king >> 3 != rook >> 3
                or (rook > king) != (right & 1 == 0)
            ):
                return False
            self.position._allow_castling(right, king, rook)
        return True

    def _offer_en_passant(self, square: int) -> bool:
        """Let a pawn be captured en passant on a square; whether one has just passed it."""
        if square == NO_SQUARE:
            return True
        ahead = -8 if self.position.side == BLACK else 8
        if (
            square >> 3 != (2 if self.position.side == BLACK else 5)
            or self.position.board[square] != EMPTY
            or self.position.board[square - ahead] != (self.position.side ^ 1) * 8 + PAWN
        ):
            return False
        self.position._offer_en_passant(square)
        return True


def plain_move(move: int) -> int:
    """A move as `origin | target << 6 | promotion << 12`, promotion 0 or 2 … 5 for knight … queen.

    Castling goes to the king's square if king and rook stand as in chess, else to the rook's.
    """
    if is_promotion(move):
        return new_move(origin(move), target(move), promoted_to(move) + 1)
    if is_castling(move) and origin(move) & 7 == E_FILE and target(move) & 7 in (0, LAST):
        return new_move(origin(move), castled_king(move), 0)
    return from_to(move)


def pack_bitboards(
    out: Any,
    row: int,
    kinds: tuple[int, ...],
    white: int,
    castling: int,
    chess960: bool,
    en_passant: int,
    counters: tuple[int, ...],
) -> bool:
    """Pack a position into row `row` of `out`; False where there are more than 32 pieces.

    `kinds` are the squares of pawns, knights, bishops, rooks, queens and kings, `white` those of White,
    `castling` those of rooks that may castle; `en_passant` is a square or -1; `counters` are the side to
    move, the half moves and the number of the move. Rights without a king and a rook in place, and a square
    that no pawn has passed, are dropped.
    """
    pawns, knights, bishops, rooks, queens, kings = kinds
    side, halfmoves, fullmove = counters
    occupied = pawns | knights | bishops | rooks | queens | kings
    if popcount(occupied) > MOST_MEN:
        return False
    low = u64(0)
    high = u64(0)
    place = 0
    left = occupied
    while left:
        square = lsb(left)
        left &= left - 1
        if pawns & bit(square):
            piece = PAWN
        elif rooks & bit(square):
            piece = ROOK
        elif knights & bit(square):
            piece = KNIGHT
        elif bishops & bit(square):
            piece = BISHOP
        elif queens & bit(square):
            piece = QUEEN
        else:
            piece = KING
        if not white & bit(square):
            piece += 8
        if place < WORD:
            low |= u64(piece) << place
        else:
            high |= u64(piece) << place - WORD
        place += 4
    at = row * PACKED
    _put_number(out, at, occupied, 8)
    _put_number(out, at + PIECES, low, 8)
    _put_number(out, at + PIECES + 8, high, 8)
    out[at + SIDE] = side
    _put_number(out, at + FILES, _castling_files(castling, rooks, kings, white, chess960), 2)
    theirs = pawns & (white if side == BLACK else ~white)
    passed = en_passant >= 0 and _is_passed(en_passant, side, occupied, theirs)
    out[at + EN_PASSANT_SQUARE] = en_passant if passed else NO_SQUARE
    out[at + HALFMOVES] = min(halfmoves, 255)
    _put_number(out, at + FULLMOVE, u64(min(fullmove, 65535)), 2)
    out[at + LAST_BYTE] = 0
    return True


def _castling_files(castling: int, rooks: int, kings: int, white: int, chess960: bool) -> int:
    """The files of the rooks that may castle for K, Q, k, q; of several on one side the outermost."""
    files = 0
    for right in range(4):
        own = ~white if right >> 1 else white
        home = u64(0xFF) << 56 * (right >> 1)
        king = kings & own & home
        found = castling & rooks & own & home
        if not chess960:
            king &= u64(0x1000000000000010)
            found &= u64(0x8100000000000081)
        found &= (king - 1) if right & 1 else ~(king | (king - 1))
        if king == 0 or king & (king - 1) or found == 0:
            file = NO_FILE
        else:
            file = (lsb(found) if right & 1 else msb(found)) & 7
        files |= file << 4 * right
    return files


def _is_passed(square: int, side: int, occupied: int, pawns: int) -> bool:
    """Whether a pawn of `pawns` has just passed a square; `side` is to move."""
    if square >> 3 != (2 if side == BLACK else 5) or occupied & bit(square):
        return False
    return pawns & bit(square + (8 if side == BLACK else -8)) != 0


def _put_number(out: Any, at: int, number: int, size: int) -> None:
    for i in range(size):
        out[at + i] = number >> 8 * i & 0xFF
