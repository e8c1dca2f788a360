cimport cython
from engine.board.bitboard cimport *
from engine.board.move cimport *
from engine.board.movegen cimport MoveStack, generate
from engine.board.packed cimport PackedReader
from engine.board.position cimport Position
from eval.learning.layout cimport *

cdef enum:
    SOUND = 0
    DAMAGED = 1
    NO_POSITION = 2
    NO_RESULT = 3
    ILLEGAL = 4
    CROWDED = 5
    WORD = 64               # bits
    POLYNOMIAL = 0xEDB88320

cdef U64 CRC_TABLE[256]

@cython.locals(crc=U64)
cdef void _fill_crc_table() noexcept nogil

cdef inline int signed16(int word) noexcept nogil:
    return (word ^ 0x8000) - 0x8000

@cython.final
cdef class GameDecoder:
    cdef PackedReader reader
    cdef Position position
    cdef MoveStack stack
    cdef readonly Py_ssize_t games, plies
    cdef int fault, ply
    cdef Py_ssize_t place
    cdef const unsigned char[::1] data
    cdef U64[::1] out

    @cython.locals(end=Py_ssize_t)
    cpdef Py_ssize_t decode(self, object data, Py_ssize_t first, object out, Py_ssize_t start) except -1
    @cython.locals(end=Py_ssize_t, plies=Py_ssize_t, size=Py_ssize_t)
    cdef Py_ssize_t _decode(self, Py_ssize_t first, Py_ssize_t start) noexcept nogil
    @cython.locals(at=Py_ssize_t, result=int, number=U64, ply=int, move=int, score=int)
    cdef Py_ssize_t _replay(self, Py_ssize_t first, Py_ssize_t plies, Py_ssize_t end) noexcept nogil
    @cython.locals(left=int)
    cdef bint _is_legal(self, int move) noexcept nogil
    @cython.locals(occupied=U64, low=U64, high=U64, piece=U64, turn=int, square=int, place=int, first=Py_ssize_t)
    cdef void _write(self, Py_ssize_t row, int score, int result, int ply, U64 game) noexcept nogil
    @cython.locals(i=Py_ssize_t, crc=U64)
    cdef U64 _checksum(self, Py_ssize_t first, Py_ssize_t last) noexcept nogil
    @cython.locals(word=int)
    cdef int _u16(self, Py_ssize_t at) noexcept nogil
    cdef U64 _u32(self, Py_ssize_t at) noexcept nogil

@cython.locals(row=Py_ssize_t, at=Py_ssize_t)
cpdef Py_ssize_t first_unsound(const U64[::1] words) noexcept
@cython.locals(left=U64, kings=int, enemies=int, man=int)
cdef bint _is_sound_record(U64 occupied, U64 low, U64 high, U64 rest) noexcept nogil
