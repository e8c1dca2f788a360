"""Static exchange evaluation (SEE): what a capture wins once all captures on its square are played."""

import cython

from engine.board.position import Position
from engine.search.parameters import Parameters

if not cython.compiled:
    from engine.board.attacks import KING_ATTACKS, KNIGHT_ATTACKS, PAWN_ATTACKS, bishop_attacks, rook_attacks
    from engine.board.bitboard import BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK, bit, lsb
    from engine.board.move import (
        en_passant_victim,
        is_castling,
        is_en_passant,
        is_promotion,
        origin,
        promoted_to,
        target,
    )


def exchange_at_least(pos: Position, move: int, threshold: int, parameters: Parameters) -> bool:
    """Whether the exchange that `move` begins wins the mover at least `threshold` centipawns.

    `parameters` say what pieces are worth. Both sides capture with their least piece, in the order pawn,
    knight, bishop, rook, queen, king, and stop when that pays; pins are ignored.
    """
    if is_castling(move):
        return threshold <= 0
    src = origin(move)
    dst = target(move)
    occ = (pos.by_colour[0] | pos.by_colour[1]) ^ bit(src)
    swap = parameters.exchange_values[pos.board[dst] & 7] - threshold
    at_risk = parameters.exchange_values[pos.board[src] & 7]
    if is_en_passant(move):
        swap += parameters.exchange_values[PAWN]
        occ ^= bit(en_passant_victim(move))
    elif is_promotion(move):
        at_risk = parameters.exchange_values[promoted_to(move)]
        swap += at_risk - parameters.exchange_values[PAWN]
    if swap < 0:
        return False
    swap = at_risk - swap
    if swap <= 0:
        return True

    occ |= bit(dst)
    diagonal = pos.by_type[BISHOP] | pos.by_type[QUEEN]
    straight = pos.by_type[ROOK] | pos.by_type[QUEEN]
    attackers = (
        (PAWN_ATTACKS[dst] & pos.by_colour[1] & pos.by_type[PAWN])
        | (PAWN_ATTACKS[64 + dst] & pos.by_colour[0] & pos.by_type[PAWN])
        | (KNIGHT_ATTACKS[dst] & pos.by_type[KNIGHT])
        | (KING_ATTACKS[dst] & pos.by_type[KING])
        | (bishop_attacks(dst, occ) & diagonal)
        | (rook_attacks(dst, occ) & straight)
    )
    side = pos.side
    result = 1
    while True:
        side ^= 1
        attackers &= occ
        own = attackers & pos.by_colour[side]
        if not own:
            break
        result ^= 1
        kind = PAWN
        while not own & pos.by_type[kind]:
            kind += 1
        if kind == KING:
            # The king may capture only what is not protected.
            if attackers & pos.by_colour[side ^ 1]:
                result ^= 1
            break
        swap = parameters.exchange_values[kind] - swap
        if swap < result:
            break
        occ ^= bit(lsb(own & pos.by_type[kind]))
        if kind in (PAWN, BISHOP, QUEEN):
            attackers |= bishop_attacks(dst, occ) & diagonal
        if kind in (ROOK, QUEEN):
            attackers |= rook_attacks(dst, occ) & straight
    return result != 0
