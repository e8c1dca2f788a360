from engine.board.bitboard cimport *
from engine.board.position cimport Position
from eval.masks cimport *
from eval.material cimport MINOR_VALUE, ROOK_VALUE, pieces_worth

cdef enum:
    FULL_SCALE = 64
    WON_BONUS = 1000
    EXCHANGE_SCALE = 4              # against a minor piece at most, and nothing else
    PIECE_UP_SCALE = 14             # a piece or less more, without pawns
    BISHOPS_ONLY_SCALE = 26
    OPPOSITE_BISHOPS_SCALE = 48
    FEW_PAWNS_SCALE = 40            # and PAWN_SCALE for each pawn, where pieces are about level
    PAWN_SCALE = 6
    EDGE_STEP = 25
    KINGS_STEP = 12
    DIAGONAL_STEP = 80
    CORNER_STEP = 40
    NEAR_STEP = 12
    HELPER_STEP = 6

cpdef int won_ending(Position position, int strong) noexcept nogil
cpdef int drawish_scale(Position position, int strong) noexcept nogil
cpdef int drawn_scale(Position position, int strong) noexcept nogil
cdef int _drive_to_corner(int refuge, int king, U64 bishops, U64 knights) noexcept nogil
cdef int _scale_without_pawns(Position position, int strong) noexcept nogil
cdef int _edge_steps(int sq) noexcept nogil
cdef bint _is_wrong_rook_pawn(Position position, int strong) noexcept nogil
cdef bint _one_colour(U64 squares) noexcept nogil
