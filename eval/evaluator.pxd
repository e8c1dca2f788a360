from engine.board.position cimport Position

cdef class Evaluator:
    cdef int evaluate(self, Position position) noexcept nogil
