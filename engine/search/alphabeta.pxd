cimport cython
from engine.board.bitboard cimport *
from engine.board.checks cimport gives_check
from engine.board.cycles cimport has_upcoming_repetition
from engine.board.move cimport NO_MOVE, is_quiet
from engine.board.movegen cimport generate
from engine.board.position cimport Position
from engine.search.constants cimport *
from engine.search.exchange cimport exchange_at_least
from engine.search.records cimport Ply
from engine.search.quiescence cimport Quiescence
from engine.search.table cimport entry_bound, entry_depth, entry_move, entry_principal, entry_score, prefetch

@cython.final
cdef class Searcher(Quiescence):
    cdef Ply plies[256]

    cdef void _begin_plies(self) noexcept nogil
    @cython.locals(whole=bint, late=bint)
    cdef int examine(self, int move, int alpha, int beta, int depth, int number) noexcept nogil
    @cython.locals(pv=bint, quiet=bint, principal=bint, deep_enough=bint, may_repeat=bint, least=int, most=int)
    cdef int search(self, int alpha, int beta, int depth, int ply, int start, bint cut, bint verifying) noexcept nogil
    cdef bint _may_extend(self, int ply) noexcept nogil
    cdef void _learn_correction(self, int value, int bound, int static, int depth) noexcept nogil
    cdef bint _is_improving(self, int ply) noexcept nogil
    @cython.locals(passes=bint)
    cdef int _forward_pruning(self, int beta, int depth, int ply, int start, int value, bint cut, bint verifying) noexcept nogil
    cdef int _null_move(self, int beta, int depth, int ply, int start, int value, bint cut) noexcept nogil
    cdef int _probcut(self, int beta, int depth, int ply, int start, int value, bint cut, bint verifying) noexcept nogil
    cdef bint _late_move_pruning(self, int number, int depth, int ply) noexcept nogil
    @cython.locals(hopeless=bint)
    cdef bint _futile(self, int move, int alpha, int depth, int ply, int reduction, int history) noexcept nogil
    cdef bint _may_be_singular(self, U64 entry, int known, int depth, int ply) noexcept nogil
    cdef bint _multicut(self, int others, int threshold, int beta) noexcept nogil
    @cython.locals(far=bint)
    cdef int _singular_extension(self, int others, int threshold, int known, int beta, bint pv, bint cut) noexcept nogil
    @cython.locals(quiet=bint, principal=bint)
    cdef int _late_move_reduction(self, int move, int number, int depth, int ply, int reduction, int history, bint cut) noexcept nogil
