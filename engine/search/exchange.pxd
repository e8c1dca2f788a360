from engine.board.bitboard cimport *
from engine.board.attacks cimport *
from engine.board.position cimport Position

cdef int EXCHANGE_VALUES[8]

cpdef bint exchange_at_least(Position pos, int move, int threshold) noexcept nogil
