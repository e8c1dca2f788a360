cimport cython
from engine.board.attacks cimport *
from engine.board.bitboard cimport *
from engine.board.position cimport Position
from eval.masks cimport *

@cython.final
cdef class Reach:
    cdef U64 attacked[2]
    cdef U64 twice[2]
    cdef U64 by[16]
    cdef U64 area[2]
    cdef int king[2]

    cdef void begin(self, Position position) noexcept nogil
    cdef void enter(self, int us, int kind, U64 attacks) noexcept nogil
