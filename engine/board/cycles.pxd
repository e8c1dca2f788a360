cimport cython
from engine.board.attacks cimport BETWEEN
from engine.board.bitboard cimport KING, KNIGHT, U64, bit
from engine.board.move cimport NO_MOVE, QUIET, from_to, new_move
from engine.board.movegen cimport reach
from engine.board.position cimport Position
from engine.board.zobrist cimport PIECE_KEYS, SIDE_KEY

cdef enum:
    CYCLE_BITS = 13
    CYCLE_SLOTS = 8192          # 2**CYCLE_BITS

cdef U64 CYCLE_KEYS[8192]       # by slot; 0: empty
cdef int CYCLE_MOVES[8192]

cdef inline int first_slot(U64 change) noexcept nogil:
    return change & (CYCLE_SLOTS - 1)

cdef inline int second_slot(U64 change) noexcept nogil:
    return (change >> CYCLE_BITS) & (CYCLE_SLOTS - 1)

cdef inline int reversible_move(U64 change) noexcept nogil:
    cdef int slot = first_slot(change)
    if CYCLE_KEYS[slot] != change:
        slot = second_slot(change)
    return CYCLE_MOVES[slot] if CYCLE_KEYS[slot] == change else NO_MOVE

cpdef bint has_upcoming_repetition(Position pos, int ply) noexcept nogil
cdef void _insert(U64 change, int move) noexcept nogil
@cython.locals(colour=int, kind=int, piece=int, src=int, dst=int, targets=U64, change=U64)
cdef void _fill() noexcept nogil
