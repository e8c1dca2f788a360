cimport cython
from engine.system.bits cimport *
from engine.games.rules.compiled_state cimport CompiledState, Moves
from engine.games.rules.game cimport *

cdef enum:
    WORDS = 3
    STRIDE = 16

cdef U64 _BOARD[39]      # size * WORDS + word
cdef U64 _AROUND[1152]   # (pattern * 192 + cell) * WORDS + word

@cython.final
cdef class Virus(CompiledState):
    cdef U64 own[18]     # player * WORDS + word
    cdef readonly int size, pattern, words, plies, cap

    cpdef int owner(self, int cell) noexcept nogil
    cpdef int squares(self, int player) noexcept nogil
    cdef int _leader(self) noexcept nogil
    cdef void _pass_on(self) noexcept nogil
