cimport cython
from engine.games.rules.compiled_state cimport CompiledState, Moves
from engine.games.rules.game cimport *

cdef double BEYOND
cdef int IN_TURN, MOVE_TO_FRONT, TRANSPOSITION

@cython.final
cdef class Frame:
    cdef CompiledState state
    cdef Moves moves
    cdef Frame next
    cdef int order[8]

@cython.final
cdef class BestReplySearch:
    cdef readonly int max_player, best
    cdef int order[8]
    cdef int others, rule, depth
    cdef double value
    cdef Frame root
    cdef readonly long long visited, expanded, leaves
    cdef readonly bint estimated
    cdef long long reported_visited, reported_expanded, reported_leaves, next_look
    cdef bint stopped
    cdef object meter, error

    cdef void run(self) noexcept nogil
    @cython.locals(best=double, value=double, move=int, count=int)
    cdef double max_value(self, Frame ply, int depth, double alpha, double beta) noexcept nogil
    @cython.locals(best=double, value=double, opponent=int, worst=int)
    cdef double min_value(self, Frame ply, int depth, double alpha, double beta) noexcept nogil
    @cython.locals(best=double, value=double, count=int)
    cdef double replies(self, Frame ply, int depth, double alpha, double beta) noexcept nogil
    cdef void give_turn_to_max(self, CompiledState state) noexcept nogil
    cdef void give_turn(self, CompiledState state, int player) noexcept nogil
    cdef double leaf(self, CompiledState state) noexcept nogil
    @cython.locals(i=int)
    cdef void blame(self, int opponent) noexcept nogil
    cdef void visit(self) noexcept nogil
    cdef void look(self) noexcept nogil
