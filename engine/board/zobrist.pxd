from engine.board.bitboard cimport U64, u64

cdef U64 PIECE_KEYS[1024]       # piece * 64 + square
cdef U64 CASTLING_KEYS[16]
cdef U64 EN_PASSANT_KEYS[8]     # by file
cdef U64 FIFTY_KEYS[16]
cdef U64 SIDE_KEY

cdef U64 _splitmix(U64 n) noexcept nogil
cdef void _fill() noexcept nogil
