from engine.board.bitboard cimport *
from engine.board.attacks cimport *
from engine.board.move cimport *
from engine.board.position cimport Position
from eval.material cimport MINOR_VALUE, PAWN_VALUE, QUEEN_VALUE, ROOK_VALUE

cdef enum:
    KING_VALUE = 20000

cdef int EXCHANGE_VALUES[8]

cpdef bint exchange_at_least(Position pos, int move, int threshold) noexcept nogil
