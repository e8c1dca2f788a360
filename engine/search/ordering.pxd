cimport cython
from engine.board.attacks cimport *
from engine.board.bitboard cimport *
from engine.board.move cimport *
from engine.board.movegen cimport MoveStack, count_moves, generate, generate_quiet, is_legal, threats
from engine.board.position cimport Position
from engine.system.portable cimport CACHE_LINE
from engine.search.constants cimport PLIES, Picking
from engine.search.exchange cimport exchange_at_least
from engine.search.parameters cimport Parameters

cdef enum:
    CASTLING_GAIN = 60
    MOBILITY_WEIGHT = 4

cdef int PREFERENCE[2048]       # endgame * 1024 + piece * 64 + square

cpdef int preference(Position pos, int move, MoveStack ms) noexcept nogil

cdef inline bint is_endgame(Position pos) noexcept nogil:
    cdef U64 pieces = pos.by_type[KNIGHT] | pos.by_type[BISHOP] | pos.by_type[ROOK] | pos.by_type[QUEEN]
    return popcount(pieces) <= 6

cdef inline int gain(Position pos, int move, int stage) noexcept nogil:
    if is_castling(move):
        return CASTLING_GAIN
    cdef int base = stage + pos.board[origin(move)] * 64
    return PREFERENCE[base + target(move)] - PREFERENCE[base + origin(move)]

cdef int _centre(int sq) noexcept nogil
cdef int _middle_game(int kind, int file, int rank, int sq) noexcept nogil
cdef int _endgame(int kind, int rank, int sq) noexcept nogil
cdef void _fill() noexcept nogil

cdef enum:
    HASH_RANK = 1 << 30
    CAPTURE_RANK = 1 << 28
    KILLER_RANK = 1 << 26
    LOSING_RANK = -(1 << 28)
    PRUNED = -(1 << 30)
    HISTORY_BITS = 14
    CONTINUATIONS = 1 << 20
    LOW_PLIES = 4       # in low_plies; 0, the root, stays empty
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
    cdef U64 _lesser[8]             # by kind of piece: where a lesser one attacks it
    cdef short low_plies[16384]     # ply * 4096 + squares
    cdef char _after[CACHE_LINE]

    cdef void find_threats(self, Position pos, int ply) noexcept nogil
    @cython.locals(looked=bint, rank=int, history=int)
    cdef void score_moves(self, Position pos, MoveStack ms, int start, int end, int hash_move, int ply) noexcept nogil
    cpdef void forget_plies(self) noexcept nogil
    cdef void reward(self, Position pos, int move, int depth, int ply) noexcept nogil
    @cython.locals(quiet=bint)
    cdef void punish(self, Position pos, MoveStack ms, int start, int end, int refutation, int depth, int ply) noexcept nogil
    cdef void refute(self, Position pos, int depth) noexcept nogil
    cdef void credit(self, Position pos, int gained, int ply) noexcept nogil
    cdef int quiet_history(self, Position pos, int move, int ply) noexcept nogil
    cdef int capture_history(self, Position pos, int move) noexcept nogil
    cdef bint is_killer(self, int move, int ply) noexcept nogil
    cdef int _score_noisy(self, Position pos, int move) noexcept nogil
    @cython.locals(checks=bint, score=int)
    cdef int _score_quiet(self, Position pos, int move, int ply) noexcept nogil
    cdef int _bonus(self, int depth) noexcept nogil
    cdef void _learn(self, Position pos, int move, int bonus, int ply) noexcept nogil
    cdef void _learn_continuations(self, Position pos, int back, int place, int bonus) noexcept nogil
    cdef void _learn_continuation(self, int i, int bonus) noexcept nogil
    cdef int _continuation_row(self, Position pos, int back) noexcept nogil
    cdef int _quiet_index(self, int side, int move, int ply) noexcept nogil
    cdef void _find_checks(self, Position pos) noexcept nogil
    @cython.locals(theirs=U64, occ=U64, found=U64)
    cdef void _find_lesser(self, Position pos) noexcept nogil
    cdef int _piece_to(self, Position pos, int move) noexcept nogil
    cdef int _capture_index(self, Position pos, int move) noexcept nogil

cdef enum:
    HASH_MOVE = 0
    CAPTURES = 1
    WINNING = 2
    QUIET_MOVES = 3
    LOSING = 4

@cython.final
cdef class Picker:
    cdef Ordering ordering
    cdef Parameters parameters
    cdef Picking lists[512]

    cdef void begin(self, Position pos, MoveStack ms, int n, int start, int hash_move) noexcept nogil
    cdef int next(self, Position pos, MoveStack ms, int n) noexcept nogil
    cdef int end(self, int n) noexcept nogil
    cdef int skip_quiet(self, int n) noexcept nogil
    cdef void leave_out(self, MoveStack ms, int n) noexcept nogil
    cdef void reward(self, Position pos, MoveStack ms, int n, int depth) noexcept nogil
    cdef int pick(self, Position pos, MoveStack ms, int i, int end) noexcept nogil
    cdef void _generate_quiet(self, Position pos, MoveStack ms, int n) noexcept nogil
    cdef int _next_noisy(self, MoveStack ms, int n) noexcept nogil
    cdef void _score(self, Position pos, MoveStack ms, int n, int start) noexcept nogil

cdef inline Picking *list_of(Picker picker, int n) noexcept nogil:
    return &picker.lists[n]
