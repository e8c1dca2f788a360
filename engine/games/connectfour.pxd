cimport cython
from engine.bits cimport *
from engine.games.compiled_state cimport CompiledState, Moves
from engine.games.interface cimport *

cdef int COLUMNS, ROWS

@cython.final
cdef class ConnectFour(CompiledState):
    cdef U64 men[2]
    cdef int height[7]
    cdef int count, winner

cdef bint has_four(U64 men) noexcept nogil
@cython.locals(pairs=U64)
cdef bint _four_apart(U64 men, int step) noexcept nogil
