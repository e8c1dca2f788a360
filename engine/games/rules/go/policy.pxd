cimport cython
from libc.math cimport exp
from engine.system.bits cimport *
from engine.games.rules.compiled_state cimport Moves, Priors
from engine.games.rules.go.features cimport Observer, SMALL
from engine.games.rules.go.tactics cimport GoTactics

cdef int _SLOTS, _MOST

@cython.final
cdef class Policy:
    cdef double small[88]
    cdef U64 keys[65536]
    cdef double values[65536]
    cdef readonly int patterns
    cdef public bint known

    cpdef void set_weight(self, U64 feature, double weight) except *
    cpdef dict probabilities(self, GoTactics state)
    cpdef double weight_of(self, U64 feature) noexcept nogil
    @cython.locals(total=double, worth=double)
    cdef void rate(self, GoTactics state, Observer observer, Moves moves, int count, Priors priors) noexcept nogil
    cdef int _slot(self, U64 feature) noexcept nogil

cpdef tuple observed(GoTactics state)

cdef Policy _learned
