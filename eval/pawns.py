"""Pawn structure, passed pawns and king shelter, with a pawn hash table.

These terms depend on pawns and kings alone, so a few thousand entries serve most positions of a search.
"""

import cython

from engine.board.position import Position
from eval.tally import Tally

if not cython.compiled:
    from engine.board.attacks import PAWN_ATTACKS
    from engine.board.bitboard import BLACK, KING, PAWN, WHITE, bit, i32, i64, lsb, msb, popcount, u64
    from engine.board.zobrist import PIECE_KEYS
    from eval.features import (
        BACKWARD,
        BLOCKED_STORM,
        CANDIDATE,
        DOUBLED,
        FACING,
        ISOLATED,
        PASSED,
        PASSED_ENEMY_KING,
        PASSED_OWN_KING,
        PHALANX,
        PLACEMENT,
        SHELTER,
        STORM,
        SUPPORTED,
    )
    from eval.masks import AHEAD, DISTANCE, FILE, FRONT, NEIGHBOURS, PASSED_MASK, RANK
    from eval.tally import weigh

    ENTRY_MASK, SCORE, PASSERS, SPAN, KINGS_RACE_RANK = 8191, 1, 2, 3, 3


class Pawns:
    """One evaluator's table. An entry is eight numbers in a row, one line of the processor's cache."""

    def __init__(self) -> None:
        self.slots = [0] * 65536

    def probe(self, position: Position, tally: Tally) -> int:
        """Where in `slots` the entry for this position starts; computed now if it is missing.

        SCORE holds White's weights minus Black's; PASSERS both sides' passed pawns; SPAN and the
        number after it the squares that White's and Black's pawns attack or may come to attack.
        """
        white_king = lsb(position.by_type[KING] & position.by_colour[WHITE])
        black_king = lsb(position.by_type[KING] & position.by_colour[BLACK])
        key = (
            position.pawn_key ^ PIECE_KEYS[KING * 64 + white_king] ^ PIECE_KEYS[(8 + KING) * 64 + black_king]
        )
        base = i32(key & ENTRY_MASK) * 8
        if self.slots[base] != key or tally.tracing:
            self.slots[base] = key
            self.slots[base + PASSERS] = 0
            white = self._evaluate_side(position, tally, WHITE, base)
            self.slots[base + SCORE] = white - self._evaluate_side(position, tally, BLACK, base)
        return base

    def _evaluate_side(self, position: Position, tally: Tally, us: int, base: int) -> int:
        """One side's pawns and shelter; enters its passed pawns and its span."""
        own = position.by_type[PAWN] & position.by_colour[us]
        theirs = position.by_type[PAWN] & position.by_colour[us ^ 1]
        score = self._king(position, tally, us)
        span = u64(0)
        pawns = own
        while pawns:
            sq = lsb(pawns)
            pawns &= pawns - 1
            ahead = us * 64 + sq
            span |= PASSED_MASK[ahead] & NEIGHBOURS[sq & 7]
            passed = 0 if PASSED_MASK[ahead] & theirs or FRONT[ahead] & own else 1
            if passed:
                self.slots[base + PASSERS] |= bit(sq)
            score += self._structure(position, tally, us, sq, passed)
        self.slots[base + SPAN + us] = span
        return score

    def _structure(self, position: Position, tally: Tally, us: int, sq: int, passed: int) -> int:
        """One pawn: piece-square, doubled, phalanx, supported, isolated, backward, passed, candidate."""
        them = us ^ 1
        own = position.by_type[PAWN] & position.by_colour[us]
        theirs = position.by_type[PAWN] & position.by_colour[them]
        own_king = lsb(position.by_type[KING] & position.by_colour[us])
        enemy_king = lsb(position.by_type[KING] & position.by_colour[them])
        ahead = us * 64 + sq
        seen = sq ^ (us * 56)
        rank = seen >> 3
        stop = sq - 8 if us else sq + 8
        score = weigh(tally, us, PLACEMENT + (seen ^ (0 if own_king & 4 else 7)), 1)
        score += weigh(tally, us, FACING + (seen ^ (0 if enemy_king & 4 else 7)), 1)
        free = 0 if FRONT[ahead] & theirs else 1
        neighbours = own & NEIGHBOURS[sq & 7]
        level = neighbours & ~AHEAD[ahead]
        if FRONT[ahead] & own:
            score += weigh(tally, us, DOUBLED, 1)
        if neighbours & RANK[sq >> 3]:
            score += weigh(tally, us, PHALANX + rank, 1)
        if PAWN_ATTACKS[them * 64 + sq] & own:
            score += weigh(tally, us, SUPPORTED + rank, 1)
        if neighbours == 0:
            score += weigh(tally, us, ISOLATED + free, 1)
        elif level == 0 and PAWN_ATTACKS[us * 64 + stop] & theirs:
            score += weigh(tally, us, BACKWARD + free, 1)
        if passed:
            score += weigh(tally, us, PASSED + rank, 1)
            if rank >= KINGS_RACE_RANK:
                score += weigh(tally, us, PASSED_OWN_KING + DISTANCE[own_king * 64 + stop], 1)
                score += weigh(tally, us, PASSED_ENEMY_KING + DISTANCE[enemy_king * 64 + stop], 1)
        elif free and popcount(level) >= popcount(PASSED_MASK[ahead] & theirs):
            score += weigh(tally, us, CANDIDATE + rank, 1)
        return score

    def _king(self, position: Position, tally: Tally, us: int) -> int:
        """Shelter and pawn storm: the pawns of both sides on the king's file and the files beside it."""
        own = position.by_type[PAWN] & position.by_colour[us]
        theirs = position.by_type[PAWN] & position.by_colour[us ^ 1]
        king = lsb(position.by_type[KING] & position.by_colour[us])
        before = AHEAD[us * 64 + king] | RANK[king >> 3]
        first = min(max((king & 7) - 1, 0), 5)
        score = i64(0)
        for file in range(first, first + 3):
            edge = min(file, 7 - file)
            shelter = _nearest_rank(own & FILE[file] & before, us)
            score += weigh(tally, us, SHELTER + edge * 8 + shelter, 1)
            storm = _nearest_rank(theirs & FILE[file] & before, us)
            if shelter > 0 and shelter == storm - 1:
                score += weigh(tally, us, BLOCKED_STORM + storm, 1)
            else:
                score += weigh(tally, us, STORM + edge * 8 + storm, 1)
        return score


def _nearest_rank(pawns: int, us: int) -> int:
    """The rank, as side `us` sees it, of the pawn nearest to its first rank; 0 without pawns."""
    if pawns == 0:
        return 0
    return 7 - (msb(pawns) >> 3) if us else lsb(pawns) >> 3
