cimport cython
from engine.games.rules.go.board cimport *

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

@cython.locals(at=Py_ssize_t, komi=float, one=float)
cdef void fill(GoBoard board, float[::1] planes, Py_ssize_t first) noexcept nogil
@cython.locals(one=float)
cdef void _fill_stones(GoBoard board, float[::1] planes, Py_ssize_t first) noexcept nogil
cdef int _place(GoBoard board, int p) noexcept nogil
cdef int _liberties(GoBoard board, int head, int most) noexcept nogil
