cimport cython
from libc.math cimport exp, log, sqrt
from engine.system.bits cimport *
from engine.games.rules.compiled_state cimport CompiledState, Moves, Priors, Random
from engine.games.rules.game cimport *
from engine.system.control cimport Control
from engine.games.networks.network cimport PolicyNetwork
from engine.games.fast.nodes cimport FEW, LOSS, Nodes, UNKNOWN, WIN, outcome_of

cdef double _FIRST_WIDENING
cdef int _DEEPEST, _MARKS, _LOOK_EVERY, _WIDEST, _MOST_VISITS

@cython.final
cdef class UctTree:
    cdef readonly Nodes nodes
    cdef public int outcome
    cdef readonly long long played, visited, expanded
    cdef Control _control
    cdef CompiledState _start, _work, _scratch
    cdef Random _random
    cdef Moves _moves, _trace
    cdef Priors _priors
    cdef U64 _seed
    cdef double _exploration, _rave, _network_bias, _widening, _low, _scale
    cdef int _expand_after, _depth, _network_after, _network_visits
    cdef PolicyNetwork _network
    cdef float[::1] _planes
    cdef float[::1] _logits
    cdef float[::1] _value
    cdef bint _solver
    cdef int _path[1024]
    cdef int _movers[1024]
    cdef double _share[16]
    cdef long long _marks[65536]

    cdef void _run(self, long long most, long long most_visited) noexcept nogil
    cdef void _simulate(self) noexcept nogil
    cdef int _select_path(self) noexcept nogil
    cdef bint _expand(self, int node) noexcept nogil
    @cython.locals(total=double, most=double)
    cdef void _ask_network(self, int count) noexcept nogil
    @cython.locals(value=double)
    cdef void _credit_value(self) noexcept nogil
    cdef void _note_priors(self, int node) noexcept nogil
    @cython.locals(log_visits=double, root_of_visits=double, best_value=double, value=double, chance=double)
    cdef int _select(self, int node) noexcept nogil
    @cython.locals(threshold=double, step=double)
    cdef int _width(self, int visits) noexcept nogil
    @cython.locals(visits=double, amaf_visits=double, mean=double, weight=double)
    cdef double _mean(self, int node) noexcept nogil
    cdef void _play_out(self) noexcept nogil
    cdef void _share_proven(self, int outcome, int mover) noexcept nogil
    cdef bint _prove(self, int depth) noexcept nogil
    cdef void _mark(self, int move, long long mark) noexcept nogil
    @cython.locals(mark=cython.longlong, share=double)
    cdef void _credit_amaf(self) noexcept nogil
    @cython.locals(settling=cython.bint)
    cdef void _backpropagate(self) noexcept nogil

@cython.locals(wins=double, chance=double)
cdef void _sort(Moves moves, Priors priors, int count) noexcept nogil
cdef double _log(int visits) noexcept nogil
