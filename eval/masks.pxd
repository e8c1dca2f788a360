from engine.board.attacks cimport KING_ATTACKS
from engine.board.bitboard cimport LAST, U64, bit

cdef U64 FILE[8]
cdef U64 RANK[8]
cdef U64 NEIGHBOURS[8]          # the files beside a file
cdef U64 AHEAD[128]             # colour * 64 + square: all ranks ahead of it
cdef U64 FRONT[128]             # its own file ahead
cdef U64 PASSED_MASK[128]       # its own file and those beside it, ahead
cdef U64 KING_RING[128]         # the king, the squares around it, and a rank more where it stands on its first
cdef U64 FLANK[8]               # by the king's file
cdef U64 CENTRE[2]              # where a side's space counts
cdef U64 DARK
cdef signed char DISTANCE[4096] # king steps

cdef inline U64 up(U64 squares, int colour) noexcept nogil:
    return squares >> 8 if colour else squares << 8
