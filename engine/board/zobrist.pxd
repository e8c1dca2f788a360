from engine.board.bitboard cimport U64, u64

cdef U64 PIECE_KEYS[1024]       # piece * 64 + square
cdef U64 CASTLING_KEYS[16]
cdef U64 EN_PASSANT_KEYS[8]     # by file
cdef U64 FIFTY_KEYS[16]
cdef U64 SIDE_KEY

cdef inline U64 with_clock(U64 key, int halfmoves) noexcept nogil:
    cdef int step = (halfmoves >> 3) - 1
    return key if step <= 0 else key ^ FIFTY_KEYS[min(step, 15)]

cdef U64 _splitmix(U64 n) noexcept nogil
cdef void _fill() noexcept nogil
