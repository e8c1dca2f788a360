cimport cython
from engine.system.bits cimport *
from engine.games.rules.compiled_state cimport UNSEEN, CompiledState, Moves
from engine.games.rules.game cimport *
from engine.system.control cimport Control
from engine.system.portable cimport atomic_load, atomic_store
from engine.games.fast.bounds cimport Bounds, lower_bound, prefetch, upper_bound

cdef long long ENDLESS
cdef int _LOOK_EVERY

@cython.final
cdef class SolverPly:
    cdef CompiledState state
    cdef Moves moves
    cdef SolverPly below

@cython.final
cdef class Solver:
    cdef readonly Bounds table
    cdef bint _ended, _too_deep
    cdef SolverPly _top
    cdef Control _control
    cdef long long _nodes, _most_nodes

    cdef int _prove(self, int alpha, int beta) except? -100
    @cython.locals(place=U64)
    cdef int _value(self, SolverPly ply, int alpha, int beta) noexcept nogil
    @cython.locals(entry=U64, before=cython.longlong)
    cdef int _listed(
        self, SolverPly ply, int count, U64 place, int alpha, int beta, int lower, int upper
    ) noexcept nogil
    cdef bint _must_end(self) noexcept nogil
    cdef int _search(self, SolverPly ply, int count, int alpha, int beta) noexcept nogil
    cdef int _reply(self, SolverPly ply, int player, int alpha, int beta) noexcept nogil

cdef inline void count_node(Solver solver) noexcept nogil:
    atomic_store(&solver._nodes, solver._nodes + 1)

cdef inline long long read_nodes(Solver solver) noexcept nogil:
    return atomic_load(&solver._nodes)
