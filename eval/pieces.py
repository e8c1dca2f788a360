"""Knights, bishops, rooks and queens: where they stand and what they can do there."""

import cython

from engine.board.position import Position
from eval.reach import Reach
from eval.tally import Tally

if not cython.compiled:
    from engine.board.attacks import KNIGHT_ATTACKS, bishop_attacks, rook_attacks
    from engine.board.bitboard import BISHOP, BLACK, KING, KNIGHT, PAWN, ROOK, WHITE, i64, lsb, popcount
    from eval.features import (
        BAD_BISHOP,
        BEHIND_PAWN,
        BISHOP_MOBILITY,
        BISHOP_PAIR,
        FACING,
        KNIGHT_MOBILITY,
        KNIGHT_PAWNS,
        OUTPOST,
        PLACEMENT,
        QUEEN_MOBILITY,
        RING_ATTACKERS,
        RING_ATTACKS,
        ROOK_FILE,
        ROOK_MOBILITY,
        ROOK_PAWNS,
        ROOK_SEVENTH,
    )
    from eval.masks import DARK, FILE, KING_RING, RANK, up
    from eval.tally import weigh


def placement(position: Position, tally: Tally, us: int) -> int:
    """Where the pieces stand, as seen from either king; pawns are in the pawn table."""
    own = position.by_colour[us]
    own_king = lsb(own & position.by_type[KING])
    enemy_king = lsb(position.by_colour[us ^ 1] & position.by_type[KING])
    by_own = us * 56 ^ (0 if own_king & 4 else 7)
    by_enemy = us * 56 ^ (0 if enemy_king & 4 else 7)
    score = weigh(tally, us, PLACEMENT + 64 * KING + (own_king ^ by_own), 1)
    pieces = own & ~(position.by_type[PAWN] | position.by_type[KING])
    while pieces:
        sq = lsb(pieces)
        pieces &= pieces - 1
        kind = 64 * (position.board[sq] & 7)
        score += weigh(tally, us, PLACEMENT + kind + (sq ^ by_own), 1)
        score += weigh(tally, us, FACING + kind + (sq ^ by_enemy), 1)
    return score


def activity(position: Position, reach: Reach, tally: Tally, us: int) -> int:
    """Mobility and attacks on the enemy king's ring; enters what the pieces attack."""
    ring = KING_RING[(us ^ 1) * 64 + reach.king[us ^ 1]]
    score = i64(0)
    for kind in range(KNIGHT, KING):
        pieces = position.by_colour[us] & position.by_type[kind]
        while pieces:
            sq = lsb(pieces)
            pieces &= pieces - 1
            attacks = _attacks(position, kind, sq)
            reach.enter(us, kind, attacks)
            score += _mobility(tally, us, kind, popcount(attacks & reach.area[us]))
            if attacks & ring:
                score += weigh(tally, us, RING_ATTACKERS + kind - KNIGHT, 1)
                score += weigh(tally, us, RING_ATTACKS + kind - KNIGHT, popcount(attacks & ring))
    return score


def minors(position: Position, reach: Reach, tally: Tally, us: int, span: int) -> int:
    """Outposts, pieces behind pawns, bishops and the colour of their pawns.

    `span` is what the enemy's pawns attack or may come to attack.
    """
    own = position.by_colour[us]
    pawns = own & position.by_type[PAWN]
    knights = own & position.by_type[KNIGHT]
    bishops = own & position.by_type[BISHOP]
    forward = RANK[4] | (RANK[2] | RANK[3] if us else RANK[3] | RANK[5])
    outposts = reach.by[us * 8 + PAWN] & forward & ~span
    sheltered = up(position.by_type[PAWN], us ^ 1)
    dark = popcount(bishops & DARK)
    light = popcount(bishops & ~DARK)
    score = weigh(tally, us, OUTPOST, popcount(knights & outposts))
    score += weigh(tally, us, OUTPOST + 1, popcount(bishops & outposts))
    score += weigh(tally, us, BEHIND_PAWN, popcount(knights & sheltered))
    score += weigh(tally, us, BEHIND_PAWN + 1, popcount(bishops & sheltered))
    score += weigh(tally, us, BAD_BISHOP, dark * popcount(pawns & DARK) + light * popcount(pawns & ~DARK))
    if dark + light > 1:
        score += weigh(tally, us, BISHOP_PAIR, 1)
    return score + weigh(tally, us, KNIGHT_PAWNS, popcount(knights) * (popcount(pawns) - 5))


def rooks(position: Position, reach: Reach, tally: Tally, us: int) -> int:
    """Files, the seventh rank, rooks among pawns."""
    own = position.by_colour[us]
    pawns = own & position.by_type[PAWN]
    theirs = position.by_colour[us ^ 1] & position.by_type[PAWN]
    towers = own & position.by_type[ROOK]
    score = weigh(tally, us, ROOK_PAWNS, popcount(towers) * (popcount(pawns) - 5))
    seventh = RANK[1 if us else 6]
    if towers & seventh and (theirs & seventh or reach.king[us ^ 1] >> 3 == (0 if us else 7)):
        score += weigh(tally, us, ROOK_SEVENTH, popcount(towers & seventh))
    while towers:
        file = FILE[lsb(towers) & 7]
        towers &= towers - 1
        if file & pawns == 0:
            score += weigh(tally, us, ROOK_FILE + (0 if file & theirs else 1), 1)
    return score


def _attacks(position: Position, kind: int, sq: int) -> int:
    if kind == KNIGHT:
        return KNIGHT_ATTACKS[sq]
    occupied = position.by_colour[WHITE] | position.by_colour[BLACK]
    if kind == BISHOP:
        return bishop_attacks(sq, occupied)
    if kind == ROOK:
        return rook_attacks(sq, occupied)
    return bishop_attacks(sq, occupied) | rook_attacks(sq, occupied)


def _mobility(tally: Tally, us: int, kind: int, count: int) -> int:
    if kind == KNIGHT:
        return weigh(tally, us, KNIGHT_MOBILITY + count, 1)
    if kind == BISHOP:
        return weigh(tally, us, BISHOP_MOBILITY + count, 1)
    if kind == ROOK:
        return weigh(tally, us, ROOK_MOBILITY + count, 1)
    return weigh(tally, us, QUEEN_MOBILITY + count, 1)
