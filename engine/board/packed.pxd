cimport cython
from engine.board.bitboard cimport *
from engine.board.move cimport *
from engine.board.movegen cimport MoveStack, generate
from engine.board.position cimport Position
from engine.board.zobrist cimport CASTLING_KEYS, SIDE_KEY

cdef enum:
    PACKED = 32             # bytes of a position
    PIECES = 8              # where its parts begin
    SIDE = 24
    FILES = 25
    EN_PASSANT_SQUARE = 27
    HALFMOVES = 28
    FULLMOVE = 29
    LAST_BYTE = 31
    NO_SQUARE = 255
    NO_FILE = 15
    MOST_MEN = 32
    E_FILE = 4
    ROOM = 1024             # more than the moves of any 32 pieces
    WORD = 64               # bits

@cython.final
cdef class PackedReader:
    cdef readonly Position position
    cdef Position blank
    cdef MoveStack stack

    @cython.locals(occupied=U64, place=int, square=int, piece=int, fullmove=int)
    cdef bint read(self, const unsigned char[::1] data, Py_ssize_t at) noexcept nogil
    @cython.locals(i=int, number=U64)
    cdef U64 _number(self, const unsigned char[::1] data, Py_ssize_t at, int size) noexcept nogil
    @cython.locals(us=int, kings=U64, own=int)
    cdef bint _is_sound(self) noexcept nogil
    @cython.locals(right=int, file=int, rook=int, king=int)
    cdef bint _allow_castling(self, int files) noexcept nogil
    @cython.locals(ahead=int)
    cdef bint _offer_en_passant(self, int square) noexcept nogil
    cpdef bint is_sound(self, const unsigned char[::1] data, Py_ssize_t row) noexcept
    cpdef list moves(self, const unsigned char[::1] data, Py_ssize_t row)
    @cython.locals(end=Py_ssize_t)
    cpdef Py_ssize_t write_moves(self, const unsigned char[::1] data, Py_ssize_t first, unsigned short[::1] out, long long[::1] ends) noexcept
    @cython.locals(row=Py_ssize_t, end=Py_ssize_t, i=int, count=int)
    cdef Py_ssize_t _write_moves(self, const unsigned char[::1] data, Py_ssize_t first, unsigned short[::1] out, long long[::1] ends) noexcept nogil

cdef int plain_move(int move) noexcept nogil

@cython.locals(pawns=U64, knights=U64, bishops=U64, rooks=U64, queens=U64, kings=U64, occupied=U64, theirs=U64, left=U64, low=U64, high=U64, side=int, halfmoves=int, fullmove=int, square=int, piece=int, place=int, at=Py_ssize_t, passed=bint)
cpdef bint pack_bitboards(unsigned char[::1] out, Py_ssize_t row, tuple kinds, U64 white, U64 castling, bint chess960, int en_passant, tuple counters) except -1
@cython.locals(own=U64, home=U64, king=U64, found=U64, right=int, file=int, files=int)
cdef int _castling_files(U64 castling, U64 rooks, U64 kings, U64 white, bint chess960) noexcept nogil
cdef bint _is_passed(int square, int side, U64 occupied, U64 pawns) noexcept nogil
@cython.locals(i=int)
cdef void _put_number(unsigned char[::1] out, Py_ssize_t at, U64 number, int size) noexcept nogil
