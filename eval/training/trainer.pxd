cimport cython
from libc.math cimport exp, fabs, log1p, sqrtf
from engine.system.bits cimport U64, lsb, popcount, u64
from engine.system.portable cimport prefetch_line
from eval.training.layout cimport MOST_PIECES, RECORD_WORDS
from eval.network_shape cimport MEN_A_BUCKET, OUTPUT_BUCKETS, ROWS

cdef enum:
    KING = 5
    SQUARES = 64
    TILE = 32               # hidden units whose sums stay in registers
    LOT = 1024              # positions that go through the network together
    LARGEST_WIDTH = 1024

cdef inline void fetch(const U64[::1] records, const unsigned int[::1] order, Py_ssize_t k) noexcept nogil:
    prefetch_line(&records[<Py_ssize_t>order[k] * RECORD_WORDS])

@cython.final
cdef class Backpropagation:
    cdef float[::1] weights
    cdef float[::1] gradients
    cdef float[::1] units           # tile by tile those of each position of a lot, own and other
    cdef Py_ssize_t width, inputs, outputs
    cdef int places[64]

    # By position of a lot, in the order of the number of men.
    cdef unsigned short own_rows[32768]
    cdef unsigned short other_rows[32768]
    cdef int men[1024]
    cdef int at[1024]              # its place in the order that was given
    cdef float parts[32768]         # of the logit
    cdef float errors[1024]

    @cython.locals(total=double, count=int)
    cpdef double learn(self, const U64[::1] records, const float[::1] targets, const unsigned int[::1] order, Py_ssize_t first, Py_ssize_t last)
    @cython.locals(number=int, count=int)
    cpdef void judge(self, const U64[::1] records, const unsigned int[::1] order, float[::1] logits, Py_ssize_t first, Py_ssize_t last)
    @cython.locals(k=Py_ssize_t, row=Py_ssize_t, men=int, number=int)
    cdef void _find_rows(self, const U64[::1] records, const unsigned int[::1] order, Py_ssize_t first, int count) noexcept nogil
    @cython.locals(occupied=U64, left=U64, square=int, piece=int, other=int, man=int, king=int, enemy=int, turn=int, enemy_turn=int, base=int, enemy_base=int)
    cdef void _find_rows_of(self, int number, U64 board, U64 low, U64 high) noexcept nogil
    @cython.locals(tile=Py_ssize_t, base=Py_ssize_t, biases=Py_ssize_t, number=Py_ssize_t, man=Py_ssize_t, row=Py_ssize_t, output=Py_ssize_t, unit=Py_ssize_t, part=Py_ssize_t, i=Py_ssize_t, x=float, y=float, zero=float, one=float)
    cdef void _forward(self, int count) noexcept nogil
    @cython.locals(bucket=int)
    cdef Py_ssize_t _output(self, Py_ssize_t number) noexcept nogil
    @cython.locals(part=Py_ssize_t, half=Py_ssize_t, i=Py_ssize_t)
    cdef float _logit(self, Py_ssize_t number) noexcept nogil
    @cython.locals(total=double, number=int, target=float, logit=float, error=float)
    cdef double _compare(self, const float[::1] targets, const unsigned int[::1] order, Py_ssize_t first, int count) noexcept nogil
    @cython.locals(tile=Py_ssize_t, base=Py_ssize_t, biases=Py_ssize_t, number=Py_ssize_t, man=Py_ssize_t, row=Py_ssize_t, output=Py_ssize_t, unit=Py_ssize_t, i=Py_ssize_t, error=float, x=float, y=float, gradient=float, zero=float, one=float, twice=float)
    cdef void _backward(self, int count) noexcept nogil

@cython.final
cdef class AdamSteps:
    cdef float[::1] weights
    cdef float[::1] gradients
    cdef Py_ssize_t size, threads
    cdef double mean_decay, square_decay, tiny, largest
    cdef float[::1] mean
    cdef float[::1] square

    cpdef void step(self, float rate, int number, int count, Py_ssize_t first, Py_ssize_t last)
    @cython.locals(i=Py_ssize_t, thread=Py_ssize_t, share=float, gradient=float, weight=float, mean=float, square=float, mean_part=float, square_part=float, largest=float, tiny=float)
    cdef void _step(self, float rate, float mean_scale, float square_scale, float share, Py_ssize_t first, Py_ssize_t last) noexcept nogil
