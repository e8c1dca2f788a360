cimport cython
from engine.board.bitboard cimport *
from engine.board.position cimport Position
from eval.evaluator cimport Evaluator

@cython.final
cdef class Material(Evaluator):
    cdef int _count(self, Position position, int colour) noexcept nogil
