cimport cython
from engine.system.bits cimport *
from engine.games.rules.othello_lines cimport legal_moves

cdef enum:
    DISC = 100          # the unit of values is a hundredth of a disc
    FEATURES = 49       # of a position: places of patterns, moves of both sides, whether the number is odd
    MOST = 6400         # the greatest value
    LANES = 48          # places of patterns, filled up to whole vectors
    PLACES = 46
    KNOTS = 9           # weights are learned for 10, 16, … 58 discs
    FIRST_KNOT = 10
    KNOT_STEP = 6

cdef int STAGES, MOST_MOVES, _OFFSET
cdef U64 _ALL

@cython.final
cdef class OthelloPatterns:
    cdef readonly int size, classes, weights
    cdef public object class_of
    cdef int at[49]
    cdef int _moves_start, _odd_start
    cdef int _starts[48]
    cdef unsigned short _rows[12288]
    cdef unsigned short _sums[48]
    cdef int[::1] _class_of
    cdef short[::1] _knots, _tables
    cdef bint _ready[33]

    @cython.locals(i=int, step=int)
    cpdef void set_knots(self, object knots, int step)
    cpdef void prepare(self, int fewest, int most)
    @cython.locals(lower=int, part=int, low=int, number=int, first=int, second=int, between=int, i=int)
    cdef void _fill(self, int stage) noexcept nogil
    @cython.locals(moves=U64, other_moves=U64)
    cpdef int value(self, U64 own, U64 others) noexcept nogil
    @cython.locals(base=int, total=int, i=int)
    cdef int _value(self, U64 own, U64 others, int moves, int other_moves) noexcept nogil
    @cython.locals(i=int)
    cdef void look(self, U64 own, U64 others, int moves, int other_moves) noexcept nogil
    @cython.locals(i=int, r0=int, r1=int, r2=int, r3=int, r4=int, r5=int, r6=int, r7=int, r8=int, r9=int, r10=int, r11=int, r12=int, r13=int, r14=int, r15=int)
    cdef void _add_up(self, U64 discs) noexcept nogil

cdef int knot_of(int discs) noexcept nogil
cdef int part_of(int discs) noexcept nogil

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
