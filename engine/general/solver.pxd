cimport cython
from engine.bits cimport *
from engine.games.compiled_state cimport UNSEEN, CompiledState, Moves
from engine.games.interface cimport *
from engine.general.bounds cimport Bounds, lower_bound, prefetch, upper_bound

cdef long long ENDLESS

@cython.final
cdef class Level:
    cdef CompiledState state
    cdef Moves moves
    cdef Level deeper

@cython.final
cdef class Solver:
    cdef readonly Bounds table
    cdef readonly long long nodes
    cdef readonly bint out_of_room
    cdef Level _top
    cdef volatile bint _stop
    cdef long long _most_nodes

    cdef int _prove(self, int alpha, int beta) except? -100
    @cython.locals(listed=bint, place=U64, entry=U64, before=cython.longlong)
    cdef int _value(self, Level level, int alpha, int beta) noexcept nogil
    cdef int _search(self, Level level, int count, int alpha, int beta) noexcept nogil
    cdef int _reply(self, Level level, int player, int alpha, int beta) noexcept nogil
