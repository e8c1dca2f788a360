cimport cython
from engine.system.bits cimport U64
from engine.board.position cimport Position

@cython.final
cdef class Snapshot:
    cdef U64 by_type[6]
    cdef U64 by_colour[2]
    cdef signed char board[64]
    cdef readonly int side, halfmoves
    cdef readonly U64 key
    cdef int castling, en_passant, ply
    cdef U64 pawn_key, checkers
    cdef signed char rook_home[4]
    cdef U64 castling_empty[4]
    cdef U64 castling_safe[4]
    cdef signed char rights_kept[64]

    cdef void _take(self, Position position) noexcept nogil
