"""Whether a move from elsewhere is legal: a table may remember it from another position with the same key."""

import cython

from engine.board.position import Position

if not cython.compiled:
    from engine.board.attacks import (
        BETWEEN,
        KING_ATTACKS,
        KNIGHT_ATTACKS,
        LINE,
        PAWN_ATTACKS,
        bishop_attacks,
        rook_attacks,
    )
    from engine.board.bitboard import BISHOP, KING, KNIGHT, LAST, PAWN, QUEEN, ROOK, bit, lsb
    from engine.board.move import (
        CAPTURE,
        DOUBLE_PUSH,
        QUEEN_CASTLE,
        QUIET,
        is_capture,
        is_castling,
        is_en_passant,
        is_promotion,
        kind,
        origin,
        target,
    )
    from engine.board.movegen import may_castle


def is_legal(pos: Position, move: int) -> bool:
    """Whether 16 bits, which may be any, are one of the legal moves."""
    src = origin(move)
    dst = target(move)
    us = pos.side
    own = pos.by_colour[us]
    occ = own | pos.by_colour[us ^ 1]
    if not own & bit(src):
        return False
    if is_castling(move):
        right = us * 2 + 1 if kind(move) == QUEEN_CASTLE else us * 2
        return pos.board[src] & 7 == KING and dst == pos.rook_home[right] and may_castle(pos, right)
    if is_en_passant(move):
        pawn = pos.board[src] & 7 == PAWN and dst == pos.en_passant
        return pawn and PAWN_ATTACKS[us * 64 + src] & bit(dst) != 0 and pos.en_passant_legal(src)
    if own & bit(dst) or not _is_pseudo_legal(pos.board[src] & 7, move, us, occ):
        return False
    if pos.board[src] & 7 == KING:
        return not pos.attacked(dst, us ^ 1, occ ^ bit(src))
    return _keeps_king_safe(pos, src, dst, us, occ)


def _is_pseudo_legal(piece: int, move: int, us: int, occ: int) -> bool:
    """Whether a man may go so if its king allows it; to no man of its own side, and not en passant."""
    if piece == PAWN:
        return _is_pawn_move(move, us, occ)
    goes_to = bit(target(move))
    if kind(move) != (CAPTURE if occ & goes_to else QUIET):
        return False
    return _reach(piece, origin(move), occ) & goes_to != 0


def _keeps_king_safe(pos: Position, src: int, dst: int, us: int, occ: int) -> bool:
    """Whether a move of another man than the king leaves it out of check."""
    king = lsb(pos.by_colour[us] & pos.by_type[KING])
    if pos.checkers:
        if pos.checkers & (pos.checkers - 1):
            return False
        if not (pos.checkers | BETWEEN[king * 64 + lsb(pos.checkers)]) & bit(dst):
            return False
    return LINE[king * 64 + src] & bit(dst) != 0 or not _is_pinned(pos, src, king, us, occ)


def _is_pawn_move(move: int, us: int, occ: int) -> bool:
    """`_is_pseudo_legal` of a pawn."""
    src = origin(move)
    dst = target(move)
    ahead = -8 if us else 8
    how = QUIET
    if occ & bit(dst):
        how = CAPTURE
        if not PAWN_ATTACKS[us * 64 + src] & bit(dst):
            return False
    elif dst == src + 2 * ahead:
        how = DOUBLE_PUSH
        if src >> 3 != (6 if us else 1) or occ & bit(src + ahead):
            return False
    elif dst != src + ahead:
        return False
    if dst >> 3 in (0, LAST):
        return is_promotion(move) and is_capture(move) == (how == CAPTURE)
    return kind(move) == how


def _reach(piece: int, sq: int, occ: int) -> int:
    """The squares that a man other than a pawn attacks."""
    if piece == KNIGHT:
        return KNIGHT_ATTACKS[sq]
    if piece == BISHOP:
        return bishop_attacks(sq, occ)
    if piece == ROOK:
        return rook_attacks(sq, occ)
    if piece == QUEEN:
        return bishop_attacks(sq, occ) | rook_attacks(sq, occ)
    return KING_ATTACKS[sq]


def _is_pinned(pos: Position, sq: int, king: int, us: int, occ: int) -> bool:
    """Whether a slider would attack the king through the square of his own man."""
    line = LINE[king * 64 + sq]
    if not line:
        return False
    sliders = pos.by_colour[us ^ 1] & line
    straight = sliders & (pos.by_type[ROOK] | pos.by_type[QUEEN])
    diagonal = sliders & (pos.by_type[BISHOP] | pos.by_type[QUEEN])
    occ ^= bit(sq)
    return (rook_attacks(king, occ) & straight | bishop_attacks(king, occ) & diagonal) != 0
