cimport cython
from engine.system.bits cimport *
from engine.games.rules.compiled_state cimport CompiledState, Moves, Random
from engine.games.rules.game cimport *

cdef enum:
    CELLS = 121
    WALL = 127          # no cell
    PASS = 0
    CANDIDATES = 6      # for a move of a playout: with 4, one of 75 games of six players is not over by 1,000 plies
    FARTHEST = 140      # steps of ten men from the tip of their goal at the start; there cannot be more

cdef U64 _NEAR[242]             # cell * 2 + word: the neighbouring cells
cdef signed char _BEHIND[15488] # cell * 128 + neighbour: the cell behind it, or WALL
cdef int _AWAY[768]             # corner * 128 + cell: steps from the tip of a corner
cdef int _CORNER[42]            # players * 6 + player: the corner they start in
cdef U64 _GOAL[12]              # corner * 2 + word
cdef U64 _KEYS[768]             # player * 128 + cell

@cython.final
cdef class ChineseCheckers(CompiledState):
    cdef U64 own[12]                # player * 2 + word
    cdef U64 all[2]                 # of all players together
    cdef U64 seen[2]                # room for one man's hops: where none may end
    cdef U64 over[2]                # and what they may go over
    cdef int away[6]                # by player: the steps of all men from the tip of the goal
    cdef U64 board_key
    cdef readonly int plies, cap
    cdef readonly bint blocking

    cpdef int owner(self, int cell) noexcept nogil
    cpdef int steps(self, int player) noexcept nogil
    cdef void flip(self, int cell, int player, int more) noexcept nogil
    cdef int step_or_hop(self, int cell, Moves moves, int n) noexcept nogil
    cdef int progress(self, int move) noexcept nogil
    cdef bint arrived(self, int player) noexcept nogil

cdef int _goal(int players, int player) noexcept nogil
