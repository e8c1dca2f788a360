cimport cython
from engine.games.rules.compiled_state cimport Moves

cdef enum:
    UNKNOWN = 0
    LOSS = 1
    DRAW = 2
    WIN = 3

cdef int _BYTES, _BYTES_MORE, _BYTES_OF_POLICY, _DROPPED

@cython.final
cdef class Nodes:
    cdef readonly int capacity, used
    cdef readonly bint full, amaf, priors, policy
    cdef double[::1] sums, amaf_sums, prior_wins
    cdef int[::1] moves, visits, parent, first, amaf_visits, prior_visits
    cdef float[::1] chances
    cdef short[::1] count
    cdef signed char[::1] proven

    cpdef void clear(self) noexcept nogil
    cdef bint add_children(self, int node, Moves moves, int count) noexcept nogil
    cdef void _reset(self, int node, int move, int parent) noexcept nogil
    cpdef void keep(self, int root) noexcept nogil
    cdef void _move(self, int node, int place) noexcept nogil
