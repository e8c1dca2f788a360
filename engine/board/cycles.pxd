cimport cython
from engine.board.attacks cimport KING_ATTACKS, KNIGHT_ATTACKS, bishop_attacks, rook_attacks
from engine.board.bitboard cimport BISHOP, KING, KNIGHT, QUEEN, ROOK, U64, bit, u64
from engine.board.move cimport QUIET, new_move
from engine.board.zobrist cimport PIECE_KEYS, SIDE_KEY

cdef enum:
    CYCLE_SLOTS = 8192

cdef U64 CYCLE_KEYS[8192]
cdef int CYCLE_MOVES[8192]

cdef inline int first_slot(U64 change) noexcept nogil:
    return change & (CYCLE_SLOTS - 1)

cdef inline int second_slot(U64 change) noexcept nogil:
    return (change >> 13) & (CYCLE_SLOTS - 1)

cdef inline int reversible_move(U64 change) noexcept nogil:
    cdef int slot = first_slot(change)
    if CYCLE_KEYS[slot] != change:
        slot = second_slot(change)
    return CYCLE_MOVES[slot] if CYCLE_KEYS[slot] == change else 0

@cython.locals(reach=U64)
cdef U64 _reach(int kind, int square) noexcept nogil
cdef void _insert(U64 change, int move) noexcept nogil
@cython.locals(colour=int, kind=int, piece=int, src=int, dst=int, change=U64)
cdef void _fill() noexcept nogil
