cimport cython
from engine.system.bits cimport *
from engine.games.rules.compiled_state cimport CompiledState, Moves, mixed
from engine.games.rules.game cimport *

cdef enum:
    PASS = 0
    EMPTY = 0
    BLACK = 1
    WHITE = 2
    EDGE = 3
    MOST_MOVES = 1500

cdef double POINTS
cdef int SEEN_FROM[8]      # by step: where in the ring there the point is that one came from
cdef U64 STONE_KEYS[1323]  # colour * 441 + point; colours from 1

cdef class GoBoard(CompiledState):
    cdef readonly int size, stride, cells, handicap
    cdef readonly double komi
    cdef readonly int made, passes
    cdef readonly int last, before  # the last move, and the one before it; 0 for none
    cdef readonly int ko
    cdef int step[8]
    cdef int board[441]
    cdef int ring[441]         # the eight neighbours, clockwise from the upper left: two bits each, the colour
    cdef int trodden[441]      # whether a stone has ever stood there
    cdef int empties[441]
    cdef int place[441]        # in `empties`
    cdef readonly int vacant
    cdef int head[441]         # of the string a stone belongs to
    cdef int link[441]         # the next stone of the same string, round and round
    cdef int stones[441]       # from here on, by head
    cdef int edges[441]        # between the string and empty points
    cdef int sums[441]         # of the points at the far ends of those edges
    cdef int squares[441]
    cdef U64 strings[441]      # the keys of the stones
    cdef int men[3]            # on the board, by colour
    cdef int taken[3]          # by colour of the stones
    cdef U64 stones_key, past
    cdef U64 history[1504]
    cdef int positions
    cdef double margin         # at OVER: Black less White
    cdef int mark[441]
    cdef int stack[441]

    cdef void _lay_out(self) noexcept nogil
    cdef int empties_beside(self, int p) noexcept nogil
    cdef bint in_atari(self, int head) noexcept nogil
    cdef int liberty(self, int head) noexcept nogil
    cdef bint fits(self, int p, int colour) noexcept nogil
    @cython.locals(key=U64)
    cdef bint repeats(self, int p, int colour) noexcept nogil
    cdef bint _new(self, int p, int i) noexcept nogil
    cdef bint permits(self, int p) noexcept nogil
    cdef void put(self, int p, int colour) noexcept nogil
    cdef void _enter(self, int p, int colour) noexcept nogil
    cdef void _join(self, int one, int two) noexcept nogil
    cdef void _capture(self, int head) noexcept nogil
    cdef void _remember(self) noexcept nogil
    cdef int _region(self, int p, int mark) noexcept nogil
    cdef int area(self) noexcept nogil
    cdef double lead(self) noexcept nogil
    @cython.locals(wide=double, value=double)
    cdef double _squashed(self, double lead, int player) noexcept nogil

cdef void _fill_keys() noexcept nogil
