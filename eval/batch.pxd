cimport cython
from engine.board.packed cimport PACKED, PackedReader
from engine.board.bitboard cimport *
from engine.board.position cimport Position
from eval.evaluator cimport Evaluator

cdef extern from "<math.h>":
    double rint(double x) noexcept nogil

cdef enum:
    MATERIALS = 512         # no 32 pieces are worth more pawns

@cython.final
cdef class BatchEvaluator:
    cdef PackedReader reader
    cdef Evaluator evaluator
    cdef double unit[512]

    cpdef Py_ssize_t evaluate(self, const unsigned char[::1] data, int[::1] out, Py_ssize_t first, Py_ssize_t last)
    @cython.locals(row=Py_ssize_t, value=int)
    cdef Py_ssize_t _evaluate(self, const unsigned char[::1] data, int[::1] out, Py_ssize_t first, Py_ssize_t last) noexcept nogil
    @cython.locals(minor=int, pieces=int)
    cdef int _material(self, Position position) noexcept nogil
