cimport cython
from libc.math cimport cos, exp, log, sqrt
from engine.games.rules.compiled_state cimport CompiledState, Moves, Random
from engine.games.rules.game cimport *
from engine.system.control cimport Control
from engine.games.fast.nodes cimport DRAW, FEW, LOSS, Nodes, UNKNOWN, WIN, outcome_of

cdef double _BASE

@cython.final
cdef class PuctTree:
    cdef readonly Nodes nodes
    cdef public PuctTree after
    cdef public int outcome
    cdef readonly int waiting, batch
    cdef readonly long long played, visited, expanded
    cdef Control _control
    cdef CompiledState start
    cdef CompiledState _work, _scratch
    cdef Random _random
    cdef Moves _moves, _room, _trace
    cdef int _games, _expand_after
    cdef double _exploration, _reduction, _noise, _noise_total, _mixing
    cdef int _depth, _places
    cdef bint _solver
    cdef long long _last, _last_visited
    cdef int[::1] _leaves
    cdef int[::1] _place
    cdef double[::1] _noises
    cdef double[::1] _played_out

    cpdef int gather(self, float[::1] planes, int most)
    cpdef void absorb(self, const float[::1] policy, const float[::1] values)
    cdef void restart(self, CompiledState state) noexcept nogil
    cdef void go_on(self, int child) noexcept nogil
    cdef void allow(self, long long playouts) noexcept nogil
    cdef int collect(self, float[::1] planes, Py_ssize_t first, int most) noexcept nogil
    @cython.locals(value=double)
    cdef void take(self, const float[::1] policy, const float[::1] values, Py_ssize_t row) noexcept nogil
    cdef int _descend(self) noexcept nogil
    @cython.locals(best_value=double, value=double, unseen=double, explored=double, scale=double, visits=double)
    cdef int _select(self, int node) noexcept nogil
    cdef bint _is_decided(self, int node) noexcept nogil
    cdef void _await(self, int node, float[::1] planes, Py_ssize_t first) noexcept nogil
    @cython.locals(total=double)
    cdef double _play_out(self) noexcept nogil
    @cython.locals(at=Py_ssize_t, place=Py_ssize_t, most=double, total=double, share=double)
    cdef void _set_priors(self, int node, int slot, const float[::1] policy, Py_ssize_t at) noexcept nogil
    cdef void add_noise(self, double weight, double total) noexcept nogil
    @cython.locals(total=double, share=double, mixed=double)
    cdef void _mix_noise(self) noexcept nogil
    cdef void _count(self, int node) noexcept nogil
    cdef void _uncount(self, int node) noexcept nogil
    @cython.locals(settling=cython.bint)
    cdef void _finish(self, int node, double share) noexcept nogil
    cdef bint _prove(self, int node) noexcept nogil

cdef double uniform(Random random) noexcept nogil
@cython.locals(shape=double, x=double, v=double, u=double, less=double, scale=double)
cdef double gamma(Random random, double shape) noexcept nogil
