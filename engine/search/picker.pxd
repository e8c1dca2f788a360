cimport cython
from engine.board.bitboard cimport *
from engine.board.legality cimport is_legal
from engine.board.move cimport NO_MOVE, is_quiet, origin, target
from engine.board.movegen cimport MoveStack, generate, generate_quiet
from engine.board.position cimport Position
from engine.search.constants cimport PLIES
from engine.search.exchange cimport exchange_at_least
from engine.search.ordering cimport CAPTURE_RANK, HASH_RANK, LOSING_RANK, PRUNED, Ordering
from engine.search.parameters cimport Parameters
from engine.search.records cimport Picking

cdef enum:
    HASH_MOVE = 0
    CAPTURES = 1
    WINNING = 2
    QUIET_MOVES = 3
    LOSING = 4

@cython.final
cdef class Picker:
    cdef Ordering ordering
    cdef Parameters parameters
    cdef Picking lists[512]

    cdef void begin(self, Position pos, MoveStack ms, int n, int start, int hash_move) noexcept nogil
    cdef int next(self, Position pos, MoveStack ms, int n) noexcept nogil
    cdef int end(self, int n) noexcept nogil
    cdef int skip_quiet(self, int n) noexcept nogil
    cdef void leave_out(self, MoveStack ms, int n) noexcept nogil
    cdef void reward(self, Position pos, MoveStack ms, int n, int depth) noexcept nogil
    cdef int pick(self, Position pos, MoveStack ms, int i, int end) noexcept nogil
    cdef void _generate_quiet(self, Position pos, MoveStack ms, int n) noexcept nogil
    cdef int _next_noisy(self, MoveStack ms, int n) noexcept nogil
    cdef void _rate(self, Position pos, MoveStack ms, int n, int start) noexcept nogil

cdef inline Picking *list_of(Picker picker, int n) noexcept nogil:
    return &picker.lists[n]
