cimport cython
from engine.board.bitboard cimport *
from engine.board.attacks cimport *
from engine.board.move cimport *
from engine.board.zobrist cimport *

cdef enum:
    FIFTY_MOVES = 100       # halfmoves
    GAME_STACK = 512        # moves of the game on the undo stack; the search needs the rest

cdef class Placement:
    cdef U64 by_type[6]
    cdef U64 by_colour[2]
    cdef signed char board[64]
    cdef readonly int side, castling, en_passant, halfmoves
    cdef readonly U64 key, pawn_key, checkers

    # Castling by right: index colour * 2 + side, 0 king side, 1 queen side.
    cdef signed char rook_home[4]
    cdef U64 castling_empty[4]
    cdef U64 castling_safe[4]
    cdef signed char rights_kept[64]

    cdef void _take(self, Placement other) noexcept nogil

@cython.final
cdef class Position(Placement):
    cdef readonly int passed, reversible, height, base_ply

    cdef int undo_move[1024]
    cdef signed char undo_piece[1024]
    cdef signed char undo_captured[1024]
    cdef signed char undo_castling[1024]
    cdef signed char undo_en_passant[1024]
    cdef int undo_halfmoves[1024]
    cdef int undo_reversible[1024]
    cdef U64 undo_key[1024]
    cdef U64 undo_pawn_key[1024]
    cdef U64 undo_checkers[1024]

    cpdef void make(self, int move) noexcept nogil
    cpdef void unmake(self) noexcept nogil
    cpdef void make_null(self) noexcept nogil
    cpdef void unmake_null(self) noexcept nogil
    cpdef bint attacked(self, int sq, int by, U64 occ) noexcept nogil
    cpdef bint en_passant_legal(self, int src) noexcept nogil
    @cython.locals(seen=bint)
    cpdef bint is_repetition(self, int ply) noexcept nogil
    cpdef bint is_fifty_moves(self) noexcept nogil
    cpdef bint is_insufficient(self) noexcept nogil
    cpdef U64 table_key(self) noexcept nogil
    @cython.locals(key=U64)
    cpdef U64 key_after(self, int move) noexcept nogil
    cpdef U64 key_after_null(self) noexcept nogil
    cpdef bint has_pieces(self, int colour) noexcept nogil

    cdef void _record(self, int move, int piece, int captured) noexcept nogil
    cdef void _castle(self, int move, int us) noexcept nogil
    cdef void _uncastle(self, int move, int us) noexcept nogil
    cdef void _offer_en_passant(self, int sq) noexcept nogil
    cdef U64 _attackers(self, int sq, int by) noexcept nogil
    cdef void _put(self, int piece, int sq) noexcept nogil
    cdef void _allow_castling(self, int right, int king, int rook) noexcept nogil
    cdef void _shift(self, int count) noexcept nogil
    cdef void _copy_from(self, Position other) noexcept nogil
    cdef void _copy_undo(self, int i, Position other, int j) noexcept nogil

@cython.final
cdef class Snapshot(Placement):
    cdef int ply
