from engine.board.bitboard cimport *
from engine.board.move cimport is_castling, origin, target
from engine.board.movegen cimport MoveStack, count_moves
from engine.board.position cimport Position

cdef enum:
    CASTLING_GAIN = 60
    MOBILITY_WEIGHT = 4

cdef int PREFERENCE[2048]       # endgame * 1024 + piece * 64 + square

cpdef int preference(Position pos, int move, MoveStack ms) noexcept nogil

cdef inline bint is_endgame(Position pos) noexcept nogil:
    cdef U64 pieces = pos.by_type[KNIGHT] | pos.by_type[BISHOP] | pos.by_type[ROOK] | pos.by_type[QUEEN]
    return popcount(pieces) <= 6

cdef inline int gain(Position pos, int move, int stage) noexcept nogil:
    if is_castling(move):
        return CASTLING_GAIN
    cdef int base = stage + pos.board[origin(move)] * 64
    return PREFERENCE[base + target(move)] - PREFERENCE[base + origin(move)]

cdef int _centre(int sq) noexcept nogil
cdef int _middle_game(int kind, int file, int rank, int sq) noexcept nogil
cdef int _endgame(int kind, int rank, int sq) noexcept nogil
cdef void _fill() noexcept nogil
