from engine.board.bitboard cimport *
from engine.board.position cimport Position

cdef enum:
    CASTLING_GAIN = 60

cdef int PREFERENCE[2048]       # endgame * 1024 + piece * 64 + square

cpdef int preference(Position pos, int move) noexcept nogil
cdef bint is_endgame(Position pos) noexcept nogil
cdef int _centre(int sq) noexcept nogil
cdef int _middle_game(int kind, int file, int rank, int sq) noexcept nogil
cdef int _endgame(int kind, int rank, int sq) noexcept nogil
cdef void _fill() noexcept nogil
