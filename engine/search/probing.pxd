cimport cython
from engine.board.bitboard cimport *
from engine.board.position cimport Position
from engine.search.constants cimport *

ctypedef int (*WdlFunction)(U64 white, U64 black, U64 kings, U64 queens, U64 rooks, U64 bishops, U64 knights, U64 pawns, unsigned int en_passant, unsigned char white_to_move) noexcept nogil

cdef enum:
    LOST = 0            # the function's results; 1 and 3 are draws by the fifty-move rule
    DRAWN = 2
    WON = 4

@cython.final
cdef class Prober:
    cdef readonly int men
    cdef int _depth, _margin
    cdef object _owner
    cdef WdlFunction _function

    cdef void _connect(self, size_t address) noexcept
    @cython.locals(men=int)
    cpdef bint is_asked(self, Position position, int depth) noexcept nogil
    @cython.locals(result=int)
    cpdef int score(self, Position position, int ply) noexcept nogil
