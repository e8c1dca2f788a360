cimport cython
from engine.board.bitboard cimport *
from engine.board.move cimport *
from engine.board.movegen cimport MoveStack, generate
from engine.board.packed cimport PackedReader
from engine.board.position cimport Position
from eval.learning.layout cimport *
from eval.learning.packing cimport GameCoder

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
    cdef GameCoder coder
    cdef MoveStack stack
    cdef readonly Py_ssize_t games, plies
    cdef int fault, ply, result
    cdef U64 number
    cdef Py_ssize_t place, row
    cdef const unsigned char[::1] data
    cdef U64[::1] out

    cpdef Py_ssize_t decode(self, object data, Py_ssize_t first, object out, Py_ssize_t start) except -1
    cpdef Py_ssize_t decode_packed(self, object packed, Py_ssize_t count, object out, Py_ssize_t start) except -1
    cdef _begin(self, object out, Py_ssize_t start)
    @cython.locals(plies=int, size=Py_ssize_t)
    cdef void _decode(self) noexcept nogil
    @cython.locals(move=int, ply=int)
    cdef void _replay(self, Position position, Py_ssize_t first, int plies) noexcept nogil
    @cython.locals(ply=int)
    cdef void _decode_packed(self) noexcept nogil
    @cython.locals(left=int)
    cdef bint _is_legal(self, Position position, int move) noexcept nogil
    @cython.locals(black=bint, present=U64, occupied=U64, rank=int, low=U64, high=U64, piece=U64, place=int, first=Py_ssize_t, result=int)
    cdef void _take(self, Position position, int move, int score) noexcept nogil
    @cython.locals(i=Py_ssize_t, crc=U64)
    cdef U64 _checksum(self, Py_ssize_t first, Py_ssize_t last) noexcept nogil
    @cython.locals(word=int)
    cdef int _u16(self, Py_ssize_t at) noexcept nogil
    cdef U64 _u32(self, Py_ssize_t at) noexcept nogil

@cython.locals(row=Py_ssize_t, at=Py_ssize_t)
cpdef Py_ssize_t first_unsound(const U64[::1] words) noexcept
@cython.locals(left=U64, kings=int, enemies=int, man=int)
cdef bint _is_sound_record(U64 occupied, U64 low, U64 high, U64 rest) noexcept nogil
