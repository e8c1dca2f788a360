cimport cython
from engine.system.bits cimport *
from engine.games.rules.compiled_state cimport CompiledState, Moves
from engine.games.rules.game cimport *

cdef enum:
    BLACK = 0
    WHITE = 1
    DIRECTIONS = 4
    BACKWARDS = 2
    COUNT = 6
    PATH = 10
    NO_PROGRESS = 80    # plies, 40 moves of each side

cdef U64 BOARD, KING_ROWS
cdef double _KING, _ROW, _GUARD, _EXCHANGES

@cython.final
cdef class Checkers(CompiledState):
    cdef U64 own[2]
    cdef U64 kings
    cdef readonly int idle

    cpdef U64 pieces(self, int player) noexcept nogil
    cpdef U64 crowned(self) noexcept nogil
    @cython.locals(origin=U64, theirs=U64, over=U64, to=U64, stopped=bint)
    cdef int _captures(self, Moves moves, int n, U64 at, int move, int count, U64 taken) noexcept nogil
    @cython.locals(theirs=U64, over=U64)
    cdef bint _can_capture(self, int player) noexcept nogil
    cdef bint _can_step(self, int player) noexcept nogil
    cdef U64 _movers(self, int player, int direction) noexcept nogil
    cdef U64 _empty(self) noexcept nogil
    cdef void _hand_over(self, int player) noexcept nogil
    @cython.locals(men=U64, kings=U64, worth=double)
    cdef double _worth(self, int player) noexcept nogil

cpdef int begins(int move) noexcept nogil
cpdef int captures(int move) noexcept nogil
cpdef int direction_of(int move, int i) noexcept nogil
cpdef U64 step(U64 squares, int direction) noexcept nogil
cdef U64 row_squares(int row) noexcept nogil
