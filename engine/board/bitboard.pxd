from engine.system.bits cimport *

cdef enum:
    PAWN = 0
    KNIGHT = 1
    BISHOP = 2
    ROOK = 3
    QUEEN = 4
    KING = 5
    EMPTY = 7
    WHITE = 0
    BLACK = 1
    SQUARES = 64
    LAST = 7        # file or rank
