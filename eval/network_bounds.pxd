cimport cython
from engine.board.bitboard cimport *
from eval.network_shape cimport OUTPUT_BUCKETS, ROWS, UNIT

cdef enum:
    MOST_MEN = 32
    LARGEST_OUTPUT = 127
    LARGEST_SHORT = 32767
    LARGEST_INT = 0x7FFFFFFF

@cython.locals(i=Py_ssize_t)
cpdef int unsafe_unit(const short[::1] numbers, Py_ssize_t width, int bucket, Py_ssize_t biases, int[::1] most) noexcept nogil
@cython.locals(i=Py_ssize_t, weight=int, positive=int, negative=int)
cpdef int unsafe_outputs(const short[::1] numbers, Py_ssize_t width, Py_ssize_t start) noexcept nogil
@cython.locals(i=Py_ssize_t)
cdef void _note_most(const short[::1] numbers, Py_ssize_t row, Py_ssize_t width, int sense, int[::1] most, Py_ssize_t square) noexcept nogil
@cython.locals(total=int, largest=int, best=int, bound=int, t=int)
cdef int _bound(int[::1] most, Py_ssize_t unit, Py_ssize_t width) noexcept nogil
