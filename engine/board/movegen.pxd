cimport cython
from engine.board.bitboard cimport *
from engine.board.attacks cimport *
from engine.board.move cimport *
from engine.board.position cimport Position

cdef enum:
    ALL = 0
    NOISY = 1           # captures and promotions
    QUIET_ONLY = 2

@cython.final
cdef class MoveStack:
    cdef int move[131072]
    cdef int score[131072]

    cpdef int at(self, int i) noexcept nogil

cpdef int generate(Position pos, MoveStack ms, int n, bint noisy) noexcept nogil
cpdef int generate_quiet(Position pos, MoveStack ms, int n) noexcept nogil
cpdef int count_moves(Position pos, MoveStack ms, int start) noexcept nogil

cdef int _emit(MoveStack ms, int n, int src, U64 targets, U64 occ, bint counting) noexcept nogil
cdef int _emit_promotions(MoveStack ms, int n, int src, int dst, int kind) noexcept nogil
cdef int _emit_pawns(MoveStack ms, int n, U64 targets, int delta, int kind, bint counting) noexcept nogil
cdef int _of_side(Position pos, MoveStack ms, int n, int which) noexcept nogil
@cython.locals(captured=U64, wanted=U64)
cdef int _generate(Position pos, MoveStack ms, int n, int which, bint counting, int us) noexcept nogil
cdef int _castling(Position pos, MoveStack ms, int n, int us, int king) noexcept nogil
@cython.locals(occ=U64, walk=U64, after=U64)
cdef bint may_castle(Position pos, int right) noexcept nogil
cdef int _en_passant(Position pos, MoveStack ms, int n, int us) noexcept nogil

@cython.locals(own=U64, occ=U64, pawn=bint)
cpdef bint is_legal(Position pos, int move) noexcept nogil
@cython.locals(goes_to=U64)
cdef bint _is_pseudo_legal(int piece, int move, int us, U64 occ) noexcept nogil
cdef bint _keeps_king_safe(Position pos, int src, int dst, int us, U64 occ) noexcept nogil
cdef bint _is_pawn_move(int move, int us, U64 occ) noexcept nogil
cdef U64 reach(int piece, int sq, U64 occ) noexcept nogil
@cython.locals(line=U64, sliders=U64, straight=U64, diagonal=U64)
cdef bint _is_pinned(Position pos, int sq, int king, int us, U64 occ) noexcept nogil

@cython.locals(own=U64, occ=U64, found=U64)
cpdef U64 threats(Position pos) noexcept nogil
@cython.locals(diagonal=U64, straight=U64, occ=U64)
cpdef bint gives_check(Position pos, int move) noexcept nogil
