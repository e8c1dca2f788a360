# The C twins of move.py: inline, so that every importing module gets its own copy.
from engine.board.bitboard cimport KNIGHT

cdef enum:
    NO_MOVE = 0
    QUIET = 0
    DOUBLE_PUSH = 1
    KING_CASTLE = 2
    QUEEN_CASTLE = 3
    CAPTURE = 4
    EN_PASSANT = 5
    PROMOTION = 8

cdef inline int new_move(int origin, int target, int kind) noexcept nogil:
    return origin | target << 6 | kind << 12

cdef inline int new_promotion(int origin, int target, int piece, int kind) noexcept nogil:
    return new_move(origin, target, kind | PROMOTION | piece - KNIGHT)

cdef inline int origin(int move) noexcept nogil:
    return move & 63

cdef inline int target(int move) noexcept nogil:
    return move >> 6 & 63

cdef inline int from_to(int move) noexcept nogil:
    return move & 4095

cdef inline int kind(int move) noexcept nogil:
    return move >> 12

cdef inline bint is_quiet(int move) noexcept nogil:
    return move & (CAPTURE | PROMOTION) << 12 == 0

cdef inline bint is_capture(int move) noexcept nogil:
    return move & CAPTURE << 12 != 0

cdef inline bint is_promotion(int move) noexcept nogil:
    return move & PROMOTION << 12 != 0

cdef inline bint is_castling(int move) noexcept nogil:
    return move >> 13 == KING_CASTLE >> 1

cdef inline bint is_double_push(int move) noexcept nogil:
    return move >> 12 == DOUBLE_PUSH

cdef inline bint is_en_passant(int move) noexcept nogil:
    return move >> 12 == EN_PASSANT

cdef inline int promoted_to(int move) noexcept nogil:
    return KNIGHT + (move >> 12 & 3)

cdef inline int castled_king(int move) noexcept nogil:
    return origin(move) & 56 | (6 if target(move) > origin(move) else 2)

cdef inline int castled_rook(int move) noexcept nogil:
    return origin(move) & 56 | (5 if target(move) > origin(move) else 3)

cdef inline int passed_square(int move) noexcept nogil:
    return (origin(move) + target(move)) >> 1

cdef inline int en_passant_victim(int move) noexcept nogil:
    return target(move) ^ 8
