cimport cython
from engine.board.attacks cimport *
from engine.board.bitboard cimport *
from engine.board.move cimport *
from engine.board.position cimport Position

@cython.locals(own=U64, occ=U64, found=U64, pieces=U64)
cpdef U64 threats(Position pos) noexcept nogil
@cython.locals(diagonal=U64, straight=U64, occ=U64)
cpdef bint gives_check(Position pos, int move) noexcept nogil
