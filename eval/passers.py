"""Passed pawns among pieces; what depends on pawns and kings alone is in pawns.py."""

import cython

from engine.board.position import Position
from eval.reach import Reach
from eval.tally import Tally

if not cython.compiled:
    from engine.board.attacks import rook_attacks
    from engine.board.bitboard import BLACK, KING, PAWN, ROOK, WHITE, bit, i64, lsb
    from eval.features import (
        PASSED_BLOCKED,
        PASSED_DEFENDED,
        PASSED_FREE,
        PASSED_ROOK_BEHIND,
        PASSED_SAFE,
        UNSTOPPABLE,
    )
    from eval.masks import DISTANCE, FRONT
    from eval.tally import weigh


def passers(position: Position, reach: Reach, tally: Tally, us: int, passed: int) -> int:
    """How free the way of each passed pawn is; which rooks stand behind it."""
    them = us ^ 1
    occupied = position.by_colour[WHITE] | position.by_colour[BLACK]
    enemy_pieces = position.by_colour[them] & ~(position.by_type[PAWN] | position.by_type[KING])
    pawns = passed & position.by_colour[us]
    score = i64(0)
    while pawns:
        sq = lsb(pawns)
        pawns &= pawns - 1
        stop = bit(sq - 8 if us else sq + 8)
        rank = (sq ^ (us * 56)) >> 3
        if stop & position.by_colour[them]:
            score += weigh(tally, us, PASSED_BLOCKED + rank, 1)
        if FRONT[us * 64 + sq] & occupied == 0:
            score += weigh(tally, us, PASSED_FREE + rank, 1)
            if enemy_pieces == 0 and _outruns(position, reach, us, sq):
                score += weigh(tally, us, UNSTOPPABLE, 1)
        if stop & reach.attacked[them] == 0:
            score += weigh(tally, us, PASSED_SAFE + rank, 1)
        if stop & reach.attacked[us]:
            score += weigh(tally, us, PASSED_DEFENDED + rank, 1)
        behind = FRONT[them * 64 + sq] & rook_attacks(sq, occupied) & position.by_type[ROOK]
        if behind:
            score += weigh(tally, us, PASSED_ROOK_BEHIND + (0 if behind & position.by_colour[us] else 1), 1)
    return score


def _outruns(position: Position, reach: Reach, us: int, sq: int) -> bool:
    """The rule of the square: the enemy's king, all alone with its pawns, comes too late."""
    goal = (sq & 7) + (0 if us else 56)
    steps = min(DISTANCE[sq * 64 + goal], 5)
    king = DISTANCE[reach.king[us ^ 1] * 64 + goal]
    return king - (0 if position.side == us else 1) > steps
