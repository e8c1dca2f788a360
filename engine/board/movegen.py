"""Strictly legal moves: their generation, whether a move is one, whether it checks; attacked squares."""

from threading import Lock

import cython

from engine.board.position import Position

if not cython.compiled:
    from engine.board.attacks import (
        BETWEEN,
        KING_ATTACKS,
        KNIGHT_ATTACKS,
        LINE,
        PAWN_ATTACKS,
        attacks_of,
        bishop_attacks,
        pawn_attacks_of,
        rook_attacks,
    )
    from engine.board.bitboard import (
        BISHOP,
        KING,
        KNIGHT,
        LAST,
        PAWN,
        QUEEN,
        ROOK,
        WHITE,
        bit,
        lsb,
        popcount,
        u64,
    )
    from engine.board.move import (
        CAPTURE,
        DOUBLE_PUSH,
        EN_PASSANT,
        KING_CASTLE,
        QUEEN_CASTLE,
        QUIET,
        castled_king,
        castled_rook,
        en_passant_victim,
        is_capture,
        is_castling,
        is_en_passant,
        is_promotion,
        kind,
        new_move,
        new_promotion,
        origin,
        promoted_to,
        target,
    )

    ALL, NOISY, QUIET_ONLY = 0, 1, 2


class MoveStack:
    """The move lists of all plies on the current line, one after another: at most 218 moves each.

    A ply may have two lists: that of a singular search, without the best move, follows its own.
    """

    def __init__(self) -> None:
        self.move = [0] * 131072
        self.score = [0] * 131072

    def at(self, i: int) -> int:
        """The i-th move of the stack."""
        return self.move[i]


_scratch = MoveStack()
_scratch_lock = Lock()


def legal_moves(pos: Position) -> list[int]:
    """All legal moves, in the generator's order."""
    with _scratch_lock:
        return [_scratch.at(i) for i in range(generate(pos, _scratch, 0, False))]


def generate(pos: Position, ms: MoveStack, n: int, noisy: bool) -> int:
    """Put the legal moves on the stack from index `n` on and return the new end.

    `noisy`: captures and promotions only.
    """
    return _of_side(pos, ms, n, NOISY if noisy else ALL)


def generate_quiet(pos: Position, ms: MoveStack, n: int) -> int:
    """Like `generate`, the other legal moves; both in the order that they have in the whole list."""
    return _of_side(pos, ms, n, QUIET_ONLY)


def _of_side(pos: Position, ms: MoveStack, n: int, which: int) -> int:
    if pos.side == WHITE:
        return _generate(pos, ms, n, which, False, 0)
    return _generate(pos, ms, n, which, False, 1)


def count_moves(pos: Position, ms: MoveStack, start: int) -> int:
    """The number of legal moves, most of them not listed; uses the stack from index `start` on."""
    if pos.side == WHITE:
        return _generate(pos, ms, start, ALL, True, 0) - start
    return _generate(pos, ms, start, ALL, True, 1) - start


def _emit(ms: MoveStack, n: int, src: int, targets: int, occ: int, counting: bool) -> int:
    if counting:
        return n + popcount(targets)
    while targets:
        dst = lsb(targets)
        targets &= targets - 1
        ms.move[n] = new_move(src, dst, CAPTURE if occ & bit(dst) else QUIET)
        n += 1
    return n


def _emit_promotions(ms: MoveStack, n: int, src: int, dst: int, kind: int) -> int:
    for piece in range(QUEEN, PAWN, -1):
        ms.move[n] = new_promotion(src, dst, piece, kind)
        n += 1
    return n


def _emit_pawns(ms: MoveStack, n: int, targets: int, delta: int, kind: int, counting: bool) -> int:
    if counting:
        return n + popcount(targets) + 3 * popcount(targets & u64(0xFF000000000000FF))
    while targets:
        dst = lsb(targets)
        targets &= targets - 1
        if dst >> 3 in (0, LAST):
            n = _emit_promotions(ms, n, dst - delta, dst, kind)
        else:
            ms.move[n] = new_move(dst - delta, dst, kind)
            n += 1
    return n


def _generate(pos: Position, ms: MoveStack, n: int, which: int, counting: bool, us: int) -> int:
    """The generator itself; its last two arguments are constants that the C compiler unfolds.

    `which`: ALL, NOISY or QUIET_ONLY.
    """
    them = us ^ 1
    own = pos.by_colour[us]
    enemy = pos.by_colour[them]
    occ = own | enemy
    king = lsb(own & pos.by_type[KING])
    straight = enemy & (pos.by_type[ROOK] | pos.by_type[QUEEN])
    diagonal = enemy & (pos.by_type[BISHOP] | pos.by_type[QUEEN])
    wanted = u64(~own)
    if which == NOISY:
        wanted = enemy
    elif which == QUIET_ONLY:
        wanted = u64(~occ)

    # The king's steps; it does not shield the squares behind it.
    steps = KING_ATTACKS[king] & wanted
    while steps:
        dst = lsb(steps)
        steps &= steps - 1
        if not pos.attacked(dst, them, occ ^ bit(king)):
            n = _emit(ms, n, king, bit(dst), occ, counting)

    # In check every other move must take the checker or stand in its way.
    allowed = u64(~own)
    if pos.checkers:
        if pos.checkers & (pos.checkers - 1):
            return n
        allowed = pos.checkers | BETWEEN[king * 64 + lsb(pos.checkers)]
    elif which != NOISY and pos.castling & (3 << us * 2):
        n = _castling(pos, ms, n, us, king)
    wanted &= allowed

    pinned = u64(0)
    pinners = (rook_attacks(king, enemy) & straight) | (bishop_attacks(king, enemy) & diagonal)
    while pinners:
        between = BETWEEN[king * 64 + lsb(pinners)] & own
        pinners &= pinners - 1
        if between and not between & (between - 1):
            pinned |= between

    pieces = own & pos.by_type[KNIGHT] & ~pinned
    while pieces:
        src = lsb(pieces)
        pieces &= pieces - 1
        n = _emit(ms, n, src, KNIGHT_ATTACKS[src] & wanted, occ, counting)

    pieces = own & (pos.by_type[BISHOP] | pos.by_type[QUEEN])
    while pieces:
        src = lsb(pieces)
        pieces &= pieces - 1
        targets = bishop_attacks(src, occ) & wanted
        if pinned & bit(src):
            targets &= LINE[king * 64 + src]
        n = _emit(ms, n, src, targets, occ, counting)

    pieces = own & (pos.by_type[ROOK] | pos.by_type[QUEEN])
    while pieces:
        src = lsb(pieces)
        pieces &= pieces - 1
        targets = rook_attacks(src, occ) & wanted
        if pinned & bit(src):
            targets &= LINE[king * 64 + src]
        n = _emit(ms, n, src, targets, occ, counting)

    # Pawns: the unpinned all at once, the pinned one at a time.
    pawns = own & pos.by_type[PAWN] & ~pinned
    if us == WHITE:
        push = u64(pawns << 8) & ~occ
        double = u64((push & u64(0xFF0000)) << 8) & ~occ
        left = u64((pawns & u64(0xFEFEFEFEFEFEFEFE)) << 7)
        right = u64((pawns & u64(0x7F7F7F7F7F7F7F7F)) << 9)
        ahead = 8
    else:
        push = (pawns >> 8) & ~occ
        double = ((push & u64(0xFF0000000000)) >> 8) & ~occ
        left = (pawns & u64(0x7F7F7F7F7F7F7F7F)) >> 7
        right = (pawns & u64(0xFEFEFEFEFEFEFEFE)) >> 9
        ahead = -8
    sign = 1 - 2 * us
    captured = u64(0) if which == QUIET_ONLY else enemy & allowed
    n = _emit_pawns(ms, n, left & captured, 7 * sign, CAPTURE, counting)
    n = _emit_pawns(ms, n, right & captured, 9 * sign, CAPTURE, counting)
    if which == NOISY:
        push &= u64(0xFF000000000000FF)
        double = u64(0)
    elif which == QUIET_ONLY:
        push &= u64(0x00FFFFFFFFFFFF00)
    n = _emit_pawns(ms, n, push & allowed, ahead, QUIET, counting)
    n = _emit_pawns(ms, n, double & allowed, 2 * ahead, DOUBLE_PUSH, counting)
    pieces = own & pos.by_type[PAWN] & pinned
    while pieces:
        src = lsb(pieces)
        pieces &= pieces - 1
        line = LINE[king * 64 + src] & allowed
        targets = PAWN_ATTACKS[us * 64 + src] & captured & line
        if targets:
            n = _emit_pawns(ms, n, targets, lsb(targets) - src, CAPTURE, counting)
        if which == NOISY:
            continue
        dst = src + ahead
        if not occ & bit(dst):
            n = _emit_pawns(ms, n, bit(dst) & line, ahead, QUIET, counting)
            if src >> 3 == (6 if us else 1):
                dst += ahead
                if not occ & bit(dst):
                    n = _emit_pawns(ms, n, bit(dst) & line, 2 * ahead, DOUBLE_PUSH, counting)
    if pos.en_passant >= 0 and which != QUIET_ONLY:
        n = _en_passant(pos, ms, n, us)
    return n


def _castling(pos: Position, ms: MoveStack, n: int, us: int, king: int) -> int:
    for right in range(us * 2, us * 2 + 2):
        if may_castle(pos, right):
            ms.move[n] = new_move(king, pos.rook_home[right], KING_CASTLE + (right & 1))
            n += 1
    return n


def may_castle(pos: Position, right: int) -> bool:
    """Whether the side to move may castle now; `right` is one of its own, held or lost."""
    occ = pos.by_colour[0] | pos.by_colour[1]
    if not pos.castling & (1 << right) or occ & pos.castling_empty[right] or pos.checkers:
        return False
    them = pos.side ^ 1
    walk = pos.castling_safe[right]
    while walk:
        if pos.attacked(lsb(walk), them, occ):
            return False
        walk &= walk - 1
    # In Chess960 the rook may have shielded the king's new square.
    king = lsb(pos.by_type[KING] & pos.by_colour[pos.side])
    rook = pos.rook_home[right]
    move = new_move(king, rook, KING_CASTLE + (right & 1))
    after = (occ & ~(bit(king) | bit(rook))) | bit(castled_king(move)) | bit(castled_rook(move))
    return not pos.attacked(castled_king(move), them, after)


def _en_passant(pos: Position, ms: MoveStack, n: int, us: int) -> int:
    pawns = PAWN_ATTACKS[(us ^ 1) * 64 + pos.en_passant] & pos.by_colour[us] & pos.by_type[PAWN]
    while pawns:
        src = lsb(pawns)
        pawns &= pawns - 1
        if pos.en_passant_legal(src):
            ms.move[n] = new_move(src, pos.en_passant, EN_PASSANT)
            n += 1
    return n


def is_legal(pos: Position, move: int) -> bool:
    """Whether 16 bits, which may be any, are one of the legal moves.

    A table may remember a move from another position with the same key.
    """
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
    """Whether a move, not en passant and not to a square of an own piece, is pseudo-legal."""
    if piece == PAWN:
        return _is_pawn_move(move, us, occ)
    goes_to = bit(target(move))
    if kind(move) != (CAPTURE if occ & goes_to else QUIET):
        return False
    return reach(piece, origin(move), occ) & goes_to != 0


def _keeps_king_safe(pos: Position, src: int, dst: int, us: int, occ: int) -> bool:
    """Whether a move of a piece other than the king leaves the king out of check."""
    king = lsb(pos.by_colour[us] & pos.by_type[KING])
    if pos.checkers:
        if pos.checkers & (pos.checkers - 1):
            return False
        if not (pos.checkers | BETWEEN[king * 64 + lsb(pos.checkers)]) & bit(dst):
            return False
    return LINE[king * 64 + src] & bit(dst) != 0 or not _is_pinned(pos, src, king, us, occ)


def _is_pawn_move(move: int, us: int, occ: int) -> bool:
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


def reach(piece: int, sq: int, occ: int) -> int:
    """The squares that a piece other than a pawn attacks."""
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
    """Whether a piece is pinned: a slider would attack the king through its square."""
    line = LINE[king * 64 + sq]
    if not line:
        return False
    sliders = pos.by_colour[us ^ 1] & line
    straight = sliders & (pos.by_type[ROOK] | pos.by_type[QUEEN])
    diagonal = sliders & (pos.by_type[BISHOP] | pos.by_type[QUEEN])
    occ ^= bit(sq)
    return (rook_attacks(king, occ) & straight | bishop_attacks(king, occ) & diagonal) != 0


def threats(pos: Position) -> int:
    """The squares that the side not to move attacks."""
    them = pos.side ^ 1
    own = pos.by_colour[them]
    occ = own | pos.by_colour[pos.side]
    found = pawn_attacks_of(own & pos.by_type[PAWN], them)
    found |= KING_ATTACKS[lsb(own & pos.by_type[KING])]
    found |= attacks_of(KNIGHT, own & pos.by_type[KNIGHT], occ)
    found |= attacks_of(BISHOP, own & (pos.by_type[BISHOP] | pos.by_type[QUEEN]), occ)
    return found | attacks_of(ROOK, own & (pos.by_type[ROOK] | pos.by_type[QUEEN]), occ)


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
