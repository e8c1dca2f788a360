"""Attacked squares and moves that check: for the search; the rules of the game do not need them."""

import cython

from engine.board.position import Position

if not cython.compiled:
    from engine.board.attacks import (
        KING_ATTACKS,
        KNIGHT_ATTACKS,
        PAWN_ATTACKS,
        bishop_attacks,
        pawn_attacks_of,
        rook_attacks,
    )
    from engine.board.bitboard import BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK, bit, lsb
    from engine.board.move import (
        castled_king,
        castled_rook,
        en_passant_victim,
        is_castling,
        is_en_passant,
        is_promotion,
        origin,
        promoted_to,
        target,
    )


def threats(pos: Position) -> int:
    """The squares that the side not to move attacks."""
    them = pos.side ^ 1
    own = pos.by_colour[them]
    occ = own | pos.by_colour[pos.side]
    found = pawn_attacks_of(own & pos.by_type[PAWN], them)
    found |= KING_ATTACKS[lsb(own & pos.by_type[KING])]
    pieces = own & pos.by_type[KNIGHT]
    while pieces:
        found |= KNIGHT_ATTACKS[lsb(pieces)]
        pieces &= pieces - 1
    pieces = own & (pos.by_type[BISHOP] | pos.by_type[QUEEN])
    while pieces:
        found |= bishop_attacks(lsb(pieces), occ)
        pieces &= pieces - 1
    pieces = own & (pos.by_type[ROOK] | pos.by_type[QUEEN])
    while pieces:
        found |= rook_attacks(lsb(pieces), occ)
        pieces &= pieces - 1
    return found


def gives_check(pos: Position, move: int) -> bool:
    """Whether a legal move checks, by the piece that moves or by one that it uncovers."""
    src = origin(move)
    dst = target(move)
    us = pos.side
    king = lsb(pos.by_type[KING] & pos.by_colour[us ^ 1])
    occ = (pos.by_colour[0] | pos.by_colour[1]) & ~bit(src)
    diagonal = (pos.by_type[BISHOP] | pos.by_type[QUEEN]) & pos.by_colour[us] & ~bit(src)
    straight = (pos.by_type[ROOK] | pos.by_type[QUEEN]) & pos.by_colour[us] & ~bit(src)
    if is_castling(move):
        rook = castled_rook(move)
        occ = occ & ~bit(dst) | bit(rook) | bit(castled_king(move))
        return rook_attacks(king, occ) & (straight & ~bit(dst) | bit(rook)) != 0
    occ |= bit(dst)
    if is_en_passant(move):
        occ ^= bit(en_passant_victim(move))
    piece = promoted_to(move) if is_promotion(move) else pos.board[src] & 7
    if piece == PAWN and PAWN_ATTACKS[us * 64 + dst] & bit(king):
        return True
    if piece == KNIGHT and KNIGHT_ATTACKS[dst] & bit(king):
        return True
    if piece in (BISHOP, QUEEN):
        diagonal |= bit(dst)
    if piece in (ROOK, QUEEN):
        straight |= bit(dst)
    return (bishop_attacks(king, occ) & diagonal | rook_attacks(king, occ) & straight) != 0
