cimport cython
from engine.games.rules.compiled_state cimport CompiledState, Moves
from engine.games.rules.game cimport OVER

cdef enum:
    UNKNOWN = 0
    LOSS = 1
    DRAW = 2
    WIN = 3
    FEW = 16  # moves that are looked at, all of them, for those that end the game

cdef int _BYTES, _BYTES_MORE, _BYTES_OF_POLICY, _SOUGHT, _DROPPED

@cython.final
cdef class Nodes:
    cdef readonly int capacity, used
    cdef readonly bint full, amaf, priors, policy
    cdef double[::1] sums, amaf_sums, prior_wins
    cdef int[::1] moves, visits, parent, first, amaf_visits, prior_visits
    cdef float[::1] chances
    cdef short[::1] count
    cdef signed char[::1] proven
    cdef int _path[17]  # as many moves as there can be players, and the root
    cdef int _left_to_seek

    cpdef void clear(self) noexcept nogil
    cdef bint add_children(self, int node, Moves moves, int count) noexcept nogil
    cdef void _reset(self, int node, int move, int parent) noexcept nogil
    cpdef void keep(self, int root) noexcept nogil
    cdef void _move(self, int node, int place) noexcept nogil
    cdef int find(self, CompiledState start, CompiledState work, CompiledState wanted) noexcept nogil
    cdef int _seek(self, int node, int depth, CompiledState start, CompiledState work, CompiledState wanted) noexcept nogil
    cdef void look_ahead(self, int node, CompiledState state, CompiledState work) noexcept nogil
    @cython.locals(known=cython.bint)
    cdef int settled(self, int node) noexcept nogil
    @cython.locals(best=cython.int, best_rank=cython.int, rank=cython.int, proven=cython.int, visits=cython.int,
                   best_mean=cython.double, mean=cython.double)
    cdef int robust_child(self, int node) noexcept nogil

cdef int outcome_of(double payoff) noexcept nogil
