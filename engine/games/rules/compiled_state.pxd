cimport cython
from engine.system.bits cimport *

cdef int MOST

@cython.final
cdef class Random:
    cdef U64 _state

    cdef void reseed(self, U64 seed) noexcept nogil
    cpdef U64 bits(self) noexcept nogil
    cpdef int below(self, int n) noexcept nogil

cdef U64 mixed(U64 n) noexcept nogil
cdef U64 scrambled(U64 z) noexcept nogil

@cython.final
cdef class Moves:
    cdef int at[4096]
    cdef int by[4096]
    cdef int count

    cdef void note(self, int move, int player) noexcept nogil

@cython.final
cdef class Priors:
    cdef int visits[4096]
    cdef double wins[4096]
    cdef double chances[4096]
    cdef double strength
    cdef bint chances_given

cdef Moves _scratch, _unread

cdef class CompiledState:
    cdef readonly int players, player, winner
    cdef readonly bint turns_given, priors_given, policy_given
    cdef readonly int plane_count, plane_rows, plane_columns, symmetries

    cdef int generate(self, Moves moves) noexcept nogil
    cdef int generate_sensible(self, Moves moves) noexcept nogil
    cdef void advance(self, int move) noexcept nogil
    cdef void assign(self, CompiledState other) noexcept nogil
    cdef bint same(self, CompiledState other) noexcept nogil
    cdef U64 key(self) noexcept nogil
    cdef double payoff_of(self, int player) noexcept nogil
    cdef double reward_of(self, int player) noexcept nogil
    cdef double estimate_of(self, int player) noexcept nogil
    cdef void give_turn(self, int player) noexcept nogil
    cdef bint in_game(self, int player) noexcept nogil
    cdef int random_move(self, Random random, Moves moves) noexcept nogil
    cdef void play_out(self, Random random, Moves moves, Moves trace) noexcept nogil
    cdef void set_priors(self, Moves moves, int count, Priors priors) noexcept nogil
    cdef void fill_planes(self, float[::1] planes, Py_ssize_t first) noexcept nogil
    cdef int policy_index(self, int move) noexcept nogil
