"""Which of two quiet moves that seem equal to play: develop, castle, hold the centre, push pawns.

Material alone cannot tell quiet moves apart. This table only orders them and breaks ties at the
root; no score ever contains it. Its unit means nothing outside this module.
"""

import cython

from engine.board.position import Position

if not cython.compiled:
    from engine.board.bitboard import (
        BISHOP,
        KING,
        KNIGHT,
        PAWN,
        QUEEN,
        ROOK,
        popcount,
    )

    CASTLING_GAIN = 60

PREFERENCE = [0] * 2048


def preference(pos: Position, move: int) -> int:
    """What a quiet move gains by the standing of the piece on its squares, from the mover's side."""
    src = move & 63
    dst = (move >> 6) & 63
    if move >> 13 == 1:
        return CASTLING_GAIN
    base = (1024 if is_endgame(pos) else 0) + pos.board[src] * 64
    return PREFERENCE[base + dst] - PREFERENCE[base + src]


def is_endgame(pos: Position) -> bool:
    """Whether six pieces or fewer are left besides kings and pawns."""
    pieces = pos.by_type[KNIGHT] | pos.by_type[BISHOP] | pos.by_type[ROOK] | pos.by_type[QUEEN]
    return popcount(pieces) <= 6


def _centre(sq: int) -> int:
    """0 at the rim to 6 on d4, e4, d5, e5."""
    file = sq & 7
    rank = sq >> 3
    return (file if file < 4 else 7 - file) + (rank if rank < 4 else 7 - rank)


def _middle_game(kind: int, file: int, rank: int, sq: int) -> int:
    if kind == PAWN:
        centre = file if file < 4 else 7 - file
        if centre >= 2:
            return 4 * centre * (rank if rank < 4 else 3) + 6 * (rank - 3 if rank > 3 else 0)
        return 8 - 3 * rank if file > 4 else 2 * rank
    if kind == KNIGHT:
        return 9 * _centre(sq) - (14 if rank == 0 else 0)
    if kind == BISHOP:
        return 5 * _centre(sq) - (20 if rank == 0 else 0)
    if kind == ROOK:
        return 4 * (file if file < 4 else 7 - file) + (20 if rank == 6 else 0)
    if kind == QUEEN:
        return 2 * _centre(sq) - (3 * rank if rank < 5 else 0)
    return (12 if file == 6 or file < 3 else 0) - 25 * rank


def _endgame(kind: int, rank: int, sq: int) -> int:
    if kind == PAWN:
        return rank * rank * 3
    if kind == KING:
        return 9 * _centre(sq)
    return 4 * _centre(sq)


def _fill() -> None:
    for kind in range(6):
        for sq in range(64):
            middle = _middle_game(kind, sq & 7, sq >> 3, sq)
            end = _endgame(kind, sq >> 3, sq)
            PREFERENCE[kind * 64 + sq] = middle
            PREFERENCE[(8 + kind) * 64 + (sq ^ 56)] = middle
            PREFERENCE[1024 + kind * 64 + sq] = end
            PREFERENCE[1024 + (8 + kind) * 64 + (sq ^ 56)] = end


_fill()
