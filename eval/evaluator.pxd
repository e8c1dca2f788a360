from engine.board.position cimport Position

cdef class Evaluator:
    cdef int evaluate(self, Position position) noexcept nogil
    cdef int evaluate_near(self, Position position, int alpha, int beta) noexcept nogil
