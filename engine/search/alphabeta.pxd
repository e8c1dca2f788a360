cimport cython
from engine.board.bitboard cimport *
from engine.board.position cimport Position
from engine.board.movegen cimport generate
from engine.search.constants cimport *
from engine.search.exchange cimport exchange_at_least
from engine.search.ordering cimport LEFT_OUT
from engine.search.quiescence cimport Quiescence
from engine.search.table cimport EXACT, LOWER, UPPER, entry_bound, entry_depth, entry_move, entry_principal, entry_score, prefetch

cdef enum:
    MULTICUT = 100

@cython.final
cdef class Searcher(Quiescence):
    cdef int excluded[256]      # these by ply: the move left out
    cdef int statics[256]       # the static value, corrected, from the mover's point of view
    cdef bint improving[256]    # whether that has risen
    cdef bint cutting[256]      # whether the first move is expected to exceed the window
    cdef bint principal[256]    # whether the position is or was on a principal variation
    cdef bint _verifying
    cdef int _multicut

    cdef void _begin_plies(self) noexcept nogil
    cpdef int examine(self, int move, int alpha, int beta, int depth, int number)
    @cython.locals(whole=bint, late=bint)
    cdef int _examine(self, int move, int alpha, int beta, int depth, int number) noexcept nogil
    @cython.locals(pv=bint, quiet=bint, principal=bint, skips_quiet=bint, deep_enough=bint)
    cdef int search(self, int alpha, int beta, int depth, int ply, int start, bint cut) noexcept nogil
    cdef bint _may_extend(self, int ply) noexcept nogil
    cdef void _learn_correction(self, int value, int bound, int static, int depth) noexcept nogil
    cdef bint _is_improving(self, int ply) noexcept nogil
    cdef int _guess(self, int alpha, int beta, int depth, int ply, int start, int value) noexcept nogil
    @cython.locals(cut=bint)
    cdef int _pass(self, int beta, int depth, int ply, int start, int value) noexcept nogil
    cdef int _capture_far_above(self, int threshold, int depth, int ply, int start, int value) noexcept nogil
    cdef bint _is_late(self, int number, int depth, int ply) noexcept nogil
    @cython.locals(hopeless=bint)
    cdef bint _is_hopeless(self, int move, int alpha, int depth, int ply, int reduction, int past) noexcept nogil
    @cython.locals(cut=bint)
    cdef int _singularity(self, U64 entry, int beta, int depth, int ply, int start, bint pv) noexcept nogil
    @cython.locals(quiet=bint)
    cdef int _reduced(self, int move, int number, int depth, int ply, int reduction, int past) noexcept nogil
