cimport cython
from engine.system.bits cimport *
from engine.games.rules.compiled_state cimport CompiledState, Moves, Random
from engine.games.rules.game cimport *
from engine.games.rules.othello_lines cimport captures, legal_moves

cdef int PASS, PLANES
cdef U64 _ALL, _LEFT, _RIGHT, _SIDES, _ENDS
cdef double _CORNER, _MOBILITY, _DISCS

@cython.final
cdef class Othello(CompiledState):
    cdef readonly int size
    cdef U64 board, corners, legal
    cdef U64 men[2]

    cpdef U64 discs(self, int player) noexcept nogil
    cpdef U64 empty(self) noexcept nogil
    cdef void _hand_over(self, int player) noexcept nogil

@cython.locals(squares=U64)
cdef U64 _square(int size) noexcept nogil
@cython.locals(
    empty=U64, left=U64, right=U64, rows=U64, columns=U64, falling=U64, rising=U64, stable=U64, found=U64,
    to_left=U64, to_right=U64
)
cdef U64 stable_discs(U64 own, U64 others) noexcept nogil
@cython.locals(above=U64, below=U64)
cdef U64 _spread(U64 squares, int step, U64 up, U64 down) noexcept nogil
cdef int _nth(U64 squares, int n) noexcept nogil
cdef double _balance(int own, int others) noexcept nogil
