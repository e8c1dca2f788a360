cimport cython
from engine.system.control cimport Control
from engine.games.fast.nodes cimport DRAW, LOSS, Nodes, UNKNOWN
from engine.games.fast.puct cimport PuctTree, uniform
from engine.games.rules.compiled_state cimport CompiledState, Moves, Random
from engine.games.rules.game cimport *

cdef int _MOST_VISITS, _VALUE

@cython.locals(row=Py_ssize_t, ply=int)
cpdef int replay(CompiledState state, const unsigned short[::1] moves, const unsigned char[::1] wanted, float[::1] planes)
cdef bint _is_legal(CompiledState state, Moves room, int move) noexcept nogil

@cython.final
cdef class PuctGames:
    cdef readonly int games, finished, places, longest
    cdef readonly long long made
    cdef readonly list trees
    cdef PuctTree _first_tree
    cdef CompiledState _first
    cdef Random _random
    cdef Moves _moves
    cdef int _full, _fast, _sampled, _opening
    cdef double _share, _noise, _noise_total
    cdef int[::1] _plies
    cdef signed char[::1] _thorough
    cdef signed char[::1] _over
    cdef unsigned short[::1] _move
    cdef short[::1] _value
    cdef unsigned short[::1] _visits

    cpdef int gather(self, float[::1] planes)
    cpdef void absorb(self, const float[::1] policy, const float[::1] values)
    cdef void _start_game(self, PuctTree tree, int game) noexcept nogil
    @cython.locals(thorough=cython.bint, playouts=int)
    cdef void _prepare(self, PuctTree tree, int game) noexcept nogil
    cdef int _step_all(self, PuctTree tree, int game, float[::1] planes, int row) noexcept nogil
    cdef void _learn_all(self, PuctTree tree, int game, const float[::1] policy, const float[::1] values, int row) noexcept nogil
    cdef int _step(self, PuctTree tree, int game, float[::1] planes, Py_ssize_t row) noexcept nogil
    @cython.locals(at=Py_ssize_t, value=int, mean=double)
    cdef void _decide(self, PuctTree tree, int game) noexcept nogil
    @cython.locals(row=Py_ssize_t, place=Py_ssize_t)
    cdef void _forget_visits(self, Py_ssize_t at) noexcept nogil
    @cython.locals(row=Py_ssize_t, place=Py_ssize_t)
    cdef void _note_visits(self, PuctTree tree, Py_ssize_t at) noexcept nogil
    cdef int _weight(self, PuctTree tree, int child) noexcept nogil
    cdef int _choose(self, PuctTree tree, bint sampled) noexcept nogil
