cimport cython
from engine.system.bits cimport *
from engine.games.rules.backgammon.network cimport equity
from engine.games.rules.compiled_state cimport CompiledState, Moves, Random
from engine.games.rules.game cimport *

cdef int PASS, LOW_FIRST, SIDE, BAR, HOME, MEN, STEPS, OPENING

@cython.final
cdef class Backgammon(CompiledState):
    cdef signed char men[52]
    cdef readonly int worth, roller, high, low

    cdef int random_roll(self, Random random) noexcept nogil
    cdef void _list_rolls(self, Moves moves) noexcept nogil
    cdef void _roll(self, int roll) noexcept nogil
    cdef int _list_doubles(self, Moves moves, int top, int made, int steps, int most) noexcept nogil
    cdef void _list_pairs(self, Moves moves) noexcept nogil
    cdef void _list_in_order(self, Moves moves, int first, int second, int order) noexcept nogil
    cdef void _list_singles(self, Moves moves, int die, int order) noexcept nogil
    cdef int _mark(self, int a, int to_a, bint hit, int b, int to_b) noexcept nogil
    cdef void _make(self, int move) noexcept nogil
    cdef bint _can_step(self, int source, int die) noexcept nogil
    cdef bint _step(self, int source, int die) noexcept nogil
    cdef void _step_back(self, int source, int die, bint hit) noexcept nogil
    cdef int _other(self) noexcept nogil
    cdef int _degree(self, int loser) noexcept nogil

cdef void _note_once(Moves moves, int move, int mark) noexcept nogil
