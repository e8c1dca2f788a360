"""The attack on the enemy's king, and what surrounds one's own; pawn shelter is in pawns.py."""

import cython

from engine.board.position import Position
from eval.reach import Reach
from eval.tally import Tally

if not cython.compiled:
    from engine.board.attacks import KNIGHT_ATTACKS, bishop_attacks, rook_attacks
    from engine.board.bitboard import BISHOP, BLACK, KING, KNIGHT, PAWN, QUEEN, ROOK, WHITE, i64, popcount
    from eval.features import CASTLING_RIGHTS, DANGER, PAWNLESS_FLANK, SAFE_CHECK, SPACE
    from eval.masks import CENTRE, FLANK, KING_RING, up
    from eval.tally import weigh


def assault(position: Position, reach: Reach, tally: Tally, us: int) -> int:
    """Safe checks, and the danger to the enemy's king from them, from attackers and from weak squares."""
    them = us ^ 1
    king = reach.king[them]
    ring = KING_RING[them * 64 + king]
    occupied = position.by_colour[WHITE] | position.by_colour[BLACK]
    safe = ~position.by_colour[us] & (~reach.attacked[them] | (reach.twice[us] & reach.by[them * 8 + KING]))
    safe &= ~reach.by[them * 8 + PAWN]
    diagonal = bishop_attacks(king, occupied) & safe
    straight = rook_attacks(king, occupied) & safe
    knight_checks = popcount(KNIGHT_ATTACKS[king] & safe & reach.by[us * 8 + KNIGHT])
    bishop_checks = popcount(diagonal & reach.by[us * 8 + BISHOP])
    rook_checks = popcount(straight & reach.by[us * 8 + ROOK])
    queen_checks = popcount((diagonal | straight) & reach.by[us * 8 + QUEEN])
    score = weigh(tally, us, SAFE_CHECK, knight_checks)
    score += weigh(tally, us, SAFE_CHECK + 1, bishop_checks)
    score += weigh(tally, us, SAFE_CHECK + 2, rook_checks)
    score += weigh(tally, us, SAFE_CHECK + 3, queen_checks)
    weak = (
        ring & reach.attacked[us] & (~reach.attacked[them] | (reach.by[them * 8 + KING] & ~reach.twice[them]))
    )
    units = popcount(weak) + popcount(ring & reach.twice[us])
    units += 2 * popcount(ring & (reach.by[us * 8 + KNIGHT] | reach.by[us * 8 + BISHOP]))
    units += 2 * popcount(ring & reach.by[us * 8 + ROOK]) + 3 * popcount(ring & reach.by[us * 8 + QUEEN])
    units += 3 * min(knight_checks, 1) + 2 * min(bishop_checks, 1)
    units += 4 * min(rook_checks, 1) + 4 * min(queen_checks, 1)
    if position.by_colour[us] & position.by_type[QUEEN] == 0:
        units >>= 1
    return score + weigh(tally, us, DANGER + min(units, 31), 1)


def surroundings(position: Position, reach: Reach, tally: Tally, us: int) -> int:
    """Space, castling rights, a king on a flank without pawns."""
    pawns = position.by_colour[us] & position.by_type[PAWN]
    score = i64(0)
    if position.by_type[PAWN] & FLANK[reach.king[us] & 7] == 0:
        score += weigh(tally, us, PAWNLESS_FLANK, 1)
    rights = (position.castling >> (2 * us)) & 3
    score += weigh(tally, us, CASTLING_RIGHTS, (rights + 1) >> 1)
    safe = CENTRE[us] & ~pawns & ~reach.by[(us ^ 1) * 8 + PAWN]
    behind = up(pawns, us ^ 1)
    behind |= up(behind, us ^ 1)
    return score + weigh(tally, us, SPACE, popcount(safe) + popcount(safe & behind))
