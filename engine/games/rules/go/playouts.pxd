cimport cython
from engine.system.bits cimport *
from engine.games.rules.compiled_state cimport CompiledState, Moves, Priors, Random
from libc.math cimport log
from engine.games.rules.go.board cimport *
from engine.games.rules.go.policy cimport Observer, _learned
from engine.games.rules.go.tactics cimport SHAPES, GoTactics
from engine.games.rules.game cimport *

cdef int FEW, SURE, OWN_EYE, SELF_ATARI, LOW, ATARI, ATARI_OF_SEVERAL, SHAPE, CLOSE, NEAR, OPEN
cdef enum:
    PLANES = 12
    ONES = 0
    OWN = 1          # by liberties: 1, 2, 3 or more
    THEIRS = 4
    KO = 7
    LAST = 8
    PREVIOUS = 9
    PASSED = 10
    KOMI = 11
cdef double INDIFFERENT, UNLIKELY, OWNED

@cython.final
cdef class GoState(GoTactics):
    cdef Observer observer
    cdef int picked
    cdef int tally[441]

    cdef void _add(self, Moves moves, int p, int colour) noexcept nogil
    cdef void _add_saves(self, Moves moves, int head, int colour) noexcept nogil
    cdef void _add_shapes(self, Moves moves, int around, int colour) noexcept nogil
    cdef int _reply(self, Random random, Moves moves, int colour) noexcept nogil
    cdef int _anywhere(self, Random random, int colour) noexcept nogil
    cdef int _choose(self, Random random, Moves moves) noexcept nogil
    cdef void _go_on(self, int move) noexcept nogil
    cdef void _finish(self, Random random, Moves moves, Moves trace, double mercy) noexcept nogil
    cdef double _lead_in_stones(self) noexcept nogil
    cdef int _rough_area(self) noexcept nogil
    cdef int _surrounded(self, int p) noexcept nogil
    cdef void add_owners(self, GoState other) noexcept nogil
    cdef void _set_pass_prior(self, int i, Priors priors) noexcept nogil
    cdef int _promise(self, int p, int colour) noexcept nogil
    @cython.locals(one=float)
    cdef void _fill_stones(self, float[::1] planes, Py_ssize_t first) noexcept nogil
    cdef int _place(self, int p) noexcept nogil
    cdef int _liberties(self, int head, int most) noexcept nogil

@cython.locals(promise=double)
cdef int _promise_of(double chance, double strength) noexcept nogil

cdef Moves _scratch, _unread
