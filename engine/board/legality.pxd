cimport cython
from engine.board.attacks cimport *
from engine.board.bitboard cimport *
from engine.board.move cimport *
from engine.board.movegen cimport may_castle
from engine.board.position cimport Position

@cython.locals(own=U64, occ=U64, pawn=bint)
cpdef bint is_legal(Position pos, int move) noexcept nogil
@cython.locals(goes_to=U64)
cdef bint _is_pseudo_legal(int piece, int move, int us, U64 occ) noexcept nogil
cdef bint _keeps_king_safe(Position pos, int src, int dst, int us, U64 occ) noexcept nogil
cdef bint _is_pawn_move(int move, int us, U64 occ) noexcept nogil
cdef U64 _reach(int piece, int sq, U64 occ) noexcept nogil
@cython.locals(line=U64, sliders=U64, straight=U64, diagonal=U64)
cdef bint _is_pinned(Position pos, int sq, int king, int us, U64 occ) noexcept nogil
