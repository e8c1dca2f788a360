cimport cython
from engine.system.bits cimport *
from engine.games.rules.compiled_state cimport CompiledState, Moves, Random
from engine.games.rules.game cimport *

cdef enum:
    HIGHEST = 5
    ROUNDS = 150
    STACK_WORTH = 2
    RESERVE_WORTH = 3

cdef U64 _REACH[384]     # height * 64 + cell: where the top pieces of such a stack may go; [0] all squares
cdef U64 _KEYS[64]       # by cell

@cython.final
cdef class Focus(CompiledState):
    cdef unsigned short stack[64]   # height << 10 | pieces, the lowest in the last two bits
    cdef U64 tops[4]                # by player: the stacks with a piece of theirs on top
    cdef int reserve[4]
    cdef int men[4]                 # by player: pieces on the board and in reserve
    cdef bint out[4]
    cdef U64 board_key
    cdef readonly int plies, all_men

    cpdef int height(self, int cell) noexcept nogil
    cpdef int piece(self, int cell, int level) noexcept nogil
    cpdef int in_reserve(self, int player) noexcept nogil
    cpdef int left(self, int player) noexcept nogil
    cdef void put(self, int cell, int height, int pieces) noexcept nogil
    cdef void land(self, int cell, int pieces, int count) noexcept nogil
    cdef void pass_on(self) noexcept nogil
    cdef int leader(self) noexcept nogil
    cdef int worth(self, int player) noexcept nogil

cdef U64 _stack_key(int cell, int code) noexcept nogil
cpdef int distance(int move) noexcept nogil
