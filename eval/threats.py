"""What either side could win next."""

import cython

from engine.board.position import Position
from eval.reach import Reach
from eval.tally import Tally

if not cython.compiled:
    from engine.board.attacks import pawn_attacks_of
    from engine.board.bitboard import BISHOP, BLACK, KING, KNIGHT, PAWN, ROOK, WHITE, i64, popcount
    from eval.features import HANGING, KING_THREAT, MINOR_THREAT, PAWN_THREAT, PUSH_THREAT, ROOK_THREAT
    from eval.masks import RANK, up
    from eval.tally import weigh


def threats(position: Position, reach: Reach, tally: Tally, us: int) -> int:
    """What is attacked by less, or not defended."""
    them = us ^ 1
    own_pawns = position.by_colour[us] & position.by_type[PAWN]
    enemy = position.by_colour[them]
    free = ~(position.by_colour[WHITE] | position.by_colour[BLACK])
    minors = reach.by[us * 8 + KNIGHT] | reach.by[us * 8 + BISHOP]
    score = _victims(
        position, reach, tally, us, PAWN_THREAT - 1, reach.by[us * 8 + PAWN] & ~position.by_type[PAWN]
    )
    score += _victims(position, reach, tally, us, MINOR_THREAT, minors)
    score += _victims(position, reach, tally, us, ROOK_THREAT, reach.by[us * 8 + ROOK])
    loose = enemy & ~reach.attacked[them] & ~position.by_type[KING]
    score += weigh(tally, us, KING_THREAT, popcount(loose & reach.by[us * 8 + KING]))
    score += weigh(tally, us, HANGING, popcount(loose & reach.attacked[us]))
    steps = up(own_pawns, us) & free
    steps |= up(steps & RANK[5 if us else 2], us) & free
    steps &= ~reach.by[them * 8 + PAWN] & (reach.attacked[us] | ~reach.attacked[them])
    pushed = pawn_attacks_of(steps, us) & ~reach.by[us * 8 + PAWN]
    targets = enemy & ~(position.by_type[PAWN] | position.by_type[KING])
    return score + weigh(tally, us, PUSH_THREAT, popcount(pushed & targets))


def _victims(position: Position, reach: Reach, tally: Tally, us: int, index: int, attacked: int) -> int:
    """Five weights from `index` on for enemy pawns without cover by pawns, knights … queens attacked."""
    attacked &= position.by_colour[us ^ 1]
    pawns = attacked & position.by_type[PAWN] & ~reach.by[(us ^ 1) * 8 + PAWN]
    score = i64(0)
    if pawns:
        score += weigh(tally, us, index, popcount(pawns))
    for kind in range(KNIGHT, KING):
        if attacked & position.by_type[kind]:
            score += weigh(tally, us, index + kind, popcount(attacked & position.by_type[kind]))
    return score
