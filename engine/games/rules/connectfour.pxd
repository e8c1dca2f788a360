cimport cython
from engine.system.bits cimport *
from engine.games.rules.compiled_state cimport CompiledState, Moves, Random
from engine.games.rules.game cimport *

cdef int PLANES, _NEAR_END
cdef enum:
    UNSEEN = 127  # no score

@cython.final
cdef class ConnectFour(CompiledState):
    cdef readonly int columns, rows, count
    cdef int apart, squares, fours
    cdef U64 board, floor, column
    cdef U64 men[2]
    cdef U64 safe

    cdef void _lay_out(self, int columns, int rows) noexcept nogil
    cpdef U64 discs(self, int player) noexcept nogil
    cdef U64 landings(self) noexcept nogil
    cdef U64 _code(self) noexcept nogil
    cdef U64 canonical(self) noexcept nogil
    cdef int score_of(self, int player) noexcept nogil
    cdef int foresee(self) noexcept nogil
    cdef int highest(self) noexcept nogil
    cdef int lowest(self) noexcept nogil
    cdef bint near_end(self) noexcept nogil
    cdef int candidates(self, Moves moves) noexcept nogil
    @cython.locals(mirrored=U64)
    cdef U64 _mirror(self, U64 code) noexcept nogil
    @cython.locals(fitting=U64)
    cdef int _possible_fours(self, U64 men) noexcept nogil

cdef bint has_four(U64 men, int apart) noexcept nogil
cdef U64 fours(U64 men, int step) noexcept nogil
@cython.locals(pairs=U64)
cdef bint _four_in_row(U64 men, int step) noexcept nogil
cdef U64 completions(U64 men, int apart) noexcept nogil
@cython.locals(pairs=U64, found=U64)
cdef U64 _fourths(U64 men, int step) noexcept nogil
