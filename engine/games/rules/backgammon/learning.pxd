cimport cython
from engine.games.rules.backgammon.network cimport Net, is_race, points_of
from engine.games.rules.backgammon.board cimport Backgammon
from engine.games.rules.compiled_state cimport Moves, Random
from engine.games.rules.game cimport *

cdef int LONGEST, BOARD

@cython.final
cdef class Learner:
    cdef readonly Net contact, race
    cdef Random random
    cdef Backgammon state, child
    cdef Moves moves
    cdef signed char boards[26624]
    cdef int rollers[512]
    cdef double target[3]
    cdef int length, plies

    cdef void _learn_games(self, int games, double rate, double trace) noexcept nogil
    cdef void _play(self) noexcept nogil
    cdef void _keep(self) noexcept nogil
    @cython.locals(least=double)
    cdef int _best_move(self) noexcept nogil
    cdef double _value(self) noexcept nogil
    cdef void _learn_game(self, double rate, double trace) noexcept nogil
    cdef void _learn_position(self, Net net, double rate, double trace) noexcept nogil

cdef Backgammon _START
