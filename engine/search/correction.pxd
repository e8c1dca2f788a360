cimport cython
from engine.board.bitboard cimport *
from engine.board.position cimport Position
from engine.system.portable cimport CACHE_LINE
from engine.search.parameters cimport Parameters

cdef enum:
    CORRECTION_MASK = 16383
    CORRECTION_BITS = 10
    BONUS_LARGEST = 256

cdef U64 MIXER

cdef int _gravity(int past, int bonus) noexcept nogil

@cython.final
cdef class Correction:
    cdef short pawns[32768]       # side to move * 16384 + key
    cdef short pieces[65536]      # (colour * 2 + side to move) * 16384 + key
    cdef short minors[32768]      # side to move * 16384 + key
    cdef char _after[CACHE_LINE]

    cpdef int find(self, Position pos, Parameters parameters) noexcept nogil
    cpdef void learn(self, Position pos, int difference, int depth) noexcept nogil
    @cython.locals(white=U64, mixed=U64)
    cdef int _of_minors(self, Position pos) noexcept nogil
    cdef int _of_pawns(self, Position pos) noexcept nogil
    @cython.locals(own=U64, mixed=U64)
    cdef int _of_pieces(self, Position pos, int colour) noexcept nogil
