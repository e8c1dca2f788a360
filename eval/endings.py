"""Endings that the sum of features evaluates badly: some are won, some are hard to win or drawn."""

import cython

from engine.board.position import Position

if not cython.compiled:
    from engine.board.bitboard import BISHOP, KING, KNIGHT, LAST, PAWN, QUEEN, ROOK, lsb, popcount, u64
    from eval.masks import DARK, DISTANCE, FILE, RANK
    from eval.material import MINOR_VALUE, ROOK_VALUE, pieces_worth

    FULL_SCALE, WON_BONUS = 64, 1000
    EXCHANGE_SCALE, PIECE_UP_SCALE, BISHOPS_ONLY_SCALE, OPPOSITE_BISHOPS_SCALE = 4, 14, 26, 48
    FEW_PAWNS_SCALE, PAWN_SCALE = 40, 6
    EDGE_STEP, KINGS_STEP = 25, 12
    DIAGONAL_STEP, CORNER_STEP, NEAR_STEP, HELPER_STEP = 80, 40, 12, 6


def won_ending(position: Position, strong: int) -> int:
    """What to add to side `strong`'s material against a bare king, in centipawns; 0 if a win is not certain.

    Grows as the bare king nears the edge (with bishop and knight alone: leaves the long diagonal of the
    other colour for a corner of the bishop's) and as the kings come together.
    """
    bare = position.by_colour[strong ^ 1]
    if bare & (bare - 1):
        return 0
    own = position.by_colour[strong]
    bishops = own & position.by_type[BISHOP]
    knights = own & position.by_type[KNIGHT]
    major = own & (position.by_type[ROOK] | position.by_type[QUEEN])
    if major == 0 and _one_colour(bishops) and (bishops == 0 or knights == 0):
        return 0
    king = lsb(own & position.by_type[KING])
    refuge = lsb(bare)
    closeness = KINGS_STEP * (7 - DISTANCE[king * 64 + refuge])
    if major == 0 and _one_colour(bishops) and not own & position.by_type[PAWN]:
        return WON_BONUS + closeness + _drive_to_corner(refuge, king, bishops, knights)
    return WON_BONUS + closeness + EDGE_STEP * (6 - _edge_steps(refuge))


def _drive_to_corner(refuge: int, king: int, bishops: int, knights: int) -> int:
    """How far a bare king on `refuge` has been driven to a corner of the bishops' colour, and who is near."""
    file = refuge & 7 if bishops & DARK else 7 - (refuge & 7)
    beyond = 7 - file - (refuge >> 3)
    drive = DIAGONAL_STEP * (beyond if beyond > 0 else -beyond)
    drive += CORNER_STEP * (6 - _edge_steps(refuge)) + NEAR_STEP * (7 - DISTANCE[king * 64 + refuge])
    if popcount(bishops) == 1 and popcount(knights) == 1:
        steps = DISTANCE[lsb(bishops) * 64 + refuge] + DISTANCE[lsb(knights) * 64 + refuge]
        drive += HELPER_STEP * (14 - steps)
    return drive


def drawish_scale(position: Position, strong: int) -> int:
    """Scale factor in 64ths for the endgame value: how likely side `strong`, which is ahead, is to win."""
    own = position.by_colour[strong]
    known = drawn_scale(position, strong)
    if known < FULL_SCALE or own & position.by_type[PAWN] == 0:
        return known
    ahead = pieces_worth(position, strong) - pieces_worth(position, strong ^ 1)
    bishops = own & position.by_type[BISHOP]
    theirs = position.by_colour[strong ^ 1] & position.by_type[BISHOP]
    if popcount(bishops) == 1 and popcount(theirs) == 1 and not _one_colour(bishops | theirs):
        if pieces_worth(position, strong) == MINOR_VALUE and ahead == 0:
            return BISHOPS_ONLY_SCALE
        return OPPOSITE_BISHOPS_SCALE
    if ahead <= MINOR_VALUE:
        return min(FULL_SCALE, FEW_PAWNS_SCALE + PAWN_SCALE * popcount(own & position.by_type[PAWN]))
    return FULL_SCALE


def drawn_scale(position: Position, strong: int) -> int:
    """As `drawish_scale`, but only what theory knows to be drawn, or nearly always."""
    if position.by_colour[strong] & position.by_type[PAWN] == 0:
        return _scale_without_pawns(position, strong)
    return 0 if _is_wrong_rook_pawn(position, strong) else FULL_SCALE


def _scale_without_pawns(position: Position, strong: int) -> int:
    """Scale factor without pawns: a minor piece more, two knights or bishops of one colour do not win."""
    own = position.by_colour[strong] & ~position.by_type[KING]
    if own & ~position.by_type[BISHOP] == 0 and _one_colour(own):
        return 0
    pieces = pieces_worth(position, strong)
    ahead = pieces - pieces_worth(position, strong ^ 1)
    if ahead > MINOR_VALUE:
        if pieces == 2 * MINOR_VALUE and own & ~position.by_type[KNIGHT] == 0:
            return 0
        return FULL_SCALE
    if pieces < ROOK_VALUE:
        return 0
    return EXCHANGE_SCALE if pieces - ahead <= MINOR_VALUE else PIECE_UP_SCALE


def _is_wrong_rook_pawn(position: Position, strong: int) -> bool:
    """Wrong rook pawn: only pawns on one rook's file, at most with bishops that do not control the corner in
    which they promote, and the enemy's king is there."""
    own = position.by_colour[strong]
    pawns = own & position.by_type[PAWN]
    bishops = own & position.by_type[BISHOP]
    if own & ~(pawns | bishops | position.by_type[KING]):
        return False
    file = lsb(pawns) & 7
    if 0 < file < LAST or pawns & ~FILE[file]:
        return False
    corner = FILE[file] & RANK[0 if strong else LAST]
    if bishops & (DARK if corner & DARK else ~DARK):
        return False
    king = lsb(position.by_colour[strong ^ 1] & position.by_type[KING])
    return DISTANCE[king * 64 + lsb(corner)] <= 1


def _edge_steps(sq: int) -> int:
    """Steps to the nearest files' edge and to the nearest ranks' edge, together: 0 in a corner … 6."""
    return min(sq & 7, 7 - (sq & 7)) + min(sq >> 3, 7 - (sq >> 3))


def _one_colour(squares: int) -> bool:
    """Whether no two of the squares differ in colour."""
    return squares & DARK == 0 or squares & ~DARK == u64(0)
