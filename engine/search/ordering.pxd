cimport cython
from engine.board.attacks cimport *
from engine.board.bitboard cimport *
from engine.board.checks cimport threats
from engine.board.move cimport *
from engine.board.movegen cimport MoveStack
from engine.board.position cimport Position
from engine.system.portable cimport CACHE_LINE
from engine.search.parameters cimport Parameters
from engine.search.preference cimport gain, is_endgame

cdef enum:
    HASH_RANK = 1 << 30
    CAPTURE_RANK = 1 << 28
    KILLER_RANK = 1 << 26
    LOSING_RANK = -(1 << 28)
    PRUNED = -(1 << 30)
    HISTORY_BITS = 14
    CONTINUATIONS = 1 << 20
    TIE = 256           # what is worth more than to come first: no position has so many moves

cdef int _gravity(int past, int bonus) noexcept nogil

@cython.final
cdef class Ordering:
    cdef Parameters parameters
    cdef int killers[512]
    cdef short history[32768]       # (leaves * 2 + enters an attacked square) * 8192 + side * 4096 + squares
    cdef short captures[8192]       # piece * 512 + square * 8 + victim
    cdef readonly short[::1] continuations   # (piece * 64 + square of the earlier move) * 1024 + piece * 64 + square
    cdef U64 _threats[256]          # by ply: what the opponent attacks
    cdef U64 _checks[8]             # by kind of piece: from where it would check
    cdef char _after[CACHE_LINE]

    cdef void find_threats(self, Position pos, int ply) noexcept nogil
    @cython.locals(looked=bint, rank=int, history=int)
    cdef void rate(self, Position pos, MoveStack ms, int start, int end, int hash_move, int ply) noexcept nogil
    cpdef void forget_killers(self) noexcept nogil
    cdef void reward(self, Position pos, int move, int depth, int ply) noexcept nogil
    @cython.locals(quiet=bint)
    cdef void punish(self, Position pos, MoveStack ms, int start, int end, int refutation, int depth, int ply) noexcept nogil
    cdef void credit(self, Position pos, int gained, int ply) noexcept nogil
    cdef int quiet_history(self, Position pos, int move, int ply) noexcept nogil
    cdef int capture_history(self, Position pos, int move) noexcept nogil
    cdef bint is_killer(self, int move, int ply) noexcept nogil
    cdef int _rate_noisy(self, Position pos, int move) noexcept nogil
    cdef int _bonus(self, int depth) noexcept nogil
    cdef void _learn(self, Position pos, int move, int bonus, int ply) noexcept nogil
    cdef void _learn_continuation(self, int i, int bonus) noexcept nogil
    cdef int _continuation_row(self, Position pos, int back) noexcept nogil
    cdef int _quiet_index(self, int side, int move, int ply) noexcept nogil
    cdef void _find_checks(self, Position pos) noexcept nogil
    cdef int _piece_to(self, Position pos, int move) noexcept nogil
    cdef int _capture_index(self, Position pos, int move) noexcept nogil
