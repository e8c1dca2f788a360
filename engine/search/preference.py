"""Preference among quiet moves that seem equal: develop, castle, hold the centre, push pawns.

A piece-square table that only orders quiet moves and breaks ties at the root; it is part of no score, and its
unit has no meaning outside this module.
"""

import cython

from engine.board.movegen import MoveStack
from engine.board.position import Position

if not cython.compiled:
    from engine.board.bitboard import BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK, popcount
    from engine.board.move import is_castling, origin, target
    from engine.board.movegen import count_moves

    CASTLING_GAIN, MOBILITY_WEIGHT = 60, 4

PREFERENCE = [0] * 2048


if not cython.compiled:

    def is_endgame(pos: Position) -> bool:
        """Whether six pieces or fewer are left besides kings and pawns."""
        pieces = pos.by_type[KNIGHT] | pos.by_type[BISHOP] | pos.by_type[ROOK] | pos.by_type[QUEEN]
        return popcount(pieces) <= 6

    def gain(pos: Position, move: int, stage: int) -> int:
        """The gain of a quiet move by its squares; `stage` is 0, or 1024 in the endgame."""
        if is_castling(move):
            return CASTLING_GAIN
        base = stage + pos.board[origin(move)] * 64
        return PREFERENCE[base + target(move)] - PREFERENCE[base + origin(move)]


def preference(pos: Position, move: int, ms: MoveStack) -> int:
    """The preference for a move among equals, from the mover's side.

    It is the gain by the piece's squares, plus the gain in mobility over the opponent. After a check only the
    squares count, which puts checks before most other moves.
    """
    liking = gain(pos, move, 1024 if is_endgame(pos) else 0)
    before = count_moves(pos, ms, 0)
    pos.make(move)
    if not pos.checkers:
        theirs = count_moves(pos, ms, 0)
        pos.make_null()
        liking += MOBILITY_WEIGHT * (count_moves(pos, ms, 0) - before - theirs)
        pos.unmake_null()
    pos.unmake()
    return liking


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
