cimport cython
from engine.board.bitboard cimport *
from engine.board.movegen cimport MoveStack
from engine.board.position cimport Position
from engine.search.exchange cimport EXCHANGE_VALUES, exchange_at_least
from engine.search.techniques cimport Techniques
from engine.search.preference cimport gain, is_endgame

cdef enum:
    HASH_RANK = 1 << 30
    CAPTURE_RANK = 1 << 28
    KILLER_RANK = 1 << 26
    LOSING_RANK = -(1 << 28)
    HISTORY_BITS = 14
    HISTORY_STEP = 16
    HISTORY_LARGEST = 2048

@cython.final
cdef class Ordering:
    cdef Techniques use
    cdef int killers[512]
    cdef int history[8192]      # side * 4096 + the move's squares

    cdef void rate(self, Position pos, MoveStack ms, int start, int end, int hash_move, int ply) noexcept nogil
    cdef int pick(self, Position pos, MoveStack ms, int i, int end) noexcept nogil
    cdef void reward(self, Position pos, MoveStack ms, int start, int i, int depth, int ply) noexcept nogil
    cdef int past(self, Position pos, int move) noexcept nogil
    cdef bint is_killer(self, int move, int ply) noexcept nogil
    cdef int _rate_noisy(self, Position pos, int move) noexcept nogil
    cdef void _nudge(self, int i, int bonus) noexcept nogil
