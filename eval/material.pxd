cimport cython
from engine.board.bitboard cimport *
from engine.board.position cimport Position
from eval.evaluator cimport Evaluator

cdef enum:
    PAWN_VALUE = 100
    MINOR_VALUE = 300
    ROOK_VALUE = 500
    QUEEN_VALUE = 900

cpdef int pieces_worth(Position position, int colour) noexcept nogil
cpdef int worth(Position position, int colour) noexcept nogil

@cython.final
cdef class Material(Evaluator):
    pass
