cimport cython
from engine.system.bits cimport *
from engine.games.rules.othello_lines cimport legal_moves
from engine.games.rules.othello_patterns cimport FEATURES, KNOT_STEP, OthelloPatterns, knot_of, part_of

cdef U64 _ALL

@cython.final
cdef class OthelloRegression:
    cdef OthelloPatterns _patterns
    cdef readonly int classes, weights
    cdef readonly Py_ssize_t positions
    cdef int[::1] _class_of
    cdef const U64[::1] _own, _others
    cdef Py_ssize_t _low
    cdef double _share

    @cython.locals(n=Py_ssize_t, i=int, place=Py_ssize_t, low=double, high=double)
    cdef void _times(self, const double[::1] weights, double[::1] values) noexcept nogil
    @cython.locals(n=Py_ssize_t, i=int, place=Py_ssize_t, low=double, high=double)
    cdef void _transposed_times(self, const double[::1] values, double[::1] weights, bint squares) noexcept nogil
    @cython.locals(own=U64, others=U64, moves=int, discs=int)
    cdef void _look(self, Py_ssize_t n) noexcept nogil
