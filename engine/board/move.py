"""What a move's 16 bits mean: `origin | target << 6 | kind << 12`; 0 is no move.

Moves are made and read here and in no other place. Castling goes from the king's square to its
rook's, so that Chess960 needs no second encoding. The kinds are those of
https://www.chessprogramming.org/Encoding_Moves: captures have bit 2 set, promotions bit 3.

This module is never compiled: it is the plain reference of the inline functions in move.pxd.
"""

from engine.board.bitboard import KNIGHT

NO_MOVE = 0

QUIET, DOUBLE_PUSH, KING_CASTLE, QUEEN_CASTLE, CAPTURE, EN_PASSANT = 0, 1, 2, 3, 4, 5
"""Kinds of moves; castling on the king's side and on the queen's."""

PROMOTION = 8
"""The kind of a promotion to a knight; bishop, rook and queen follow. With CAPTURE it captures as well."""


def new_move(origin: int, target: int, kind: int) -> int:
    """A move of any kind between two squares."""
    return origin | target << 6 | kind << 12


def new_promotion(origin: int, target: int, piece: int, kind: int) -> int:
    """A promotion to `piece`, KNIGHT … QUEEN; `kind` is QUIET or CAPTURE."""
    return new_move(origin, target, kind | PROMOTION | piece - KNIGHT)


def origin(move: int) -> int:
    """The square that the piece leaves."""
    return move & 63


def target(move: int) -> int:
    """The square that the piece goes to; the rook's in castling."""
    return move >> 6 & 63


def from_to(move: int) -> int:
    """Both squares in one number below 4096, the index of tables by move."""
    return move & 4095


def kind(move: int) -> int:
    """QUIET … EN_PASSANT or, from PROMOTION on, a promotion."""
    return move >> 12


def is_quiet(move: int) -> bool:
    """Whether a move neither captures nor promotes."""
    return move & (CAPTURE | PROMOTION) << 12 == 0


def is_capture(move: int) -> bool:
    """Whether a move captures, en passant included."""
    return move & CAPTURE << 12 != 0


def is_promotion(move: int) -> bool:
    """Whether a move promotes a pawn."""
    return move & PROMOTION << 12 != 0


def is_castling(move: int) -> bool:
    """Whether a move castles on either side."""
    return move >> 13 == KING_CASTLE >> 1


def is_double_push(move: int) -> bool:
    """Whether a move is a pawn's double step."""
    return move >> 12 == DOUBLE_PUSH


def is_en_passant(move: int) -> bool:
    """Whether a move captures en passant."""
    return move >> 12 == EN_PASSANT


def promoted_to(move: int) -> int:
    """The kind of piece, KNIGHT … QUEEN, that a promotion puts on the board."""
    return KNIGHT + (move >> 12 & 3)


def castled_king(move: int) -> int:
    """The king's square after castling: g1, c1, g8 or c8."""
    return origin(move) & 56 | (6 if target(move) > origin(move) else 2)


def castled_rook(move: int) -> int:
    """The rook's square after castling: f1, d1, f8 or d8."""
    return origin(move) & 56 | (5 if target(move) > origin(move) else 3)


def passed_square(move: int) -> int:
    """The square behind a pawn after its double push, where it can be captured en passant."""
    return (origin(move) + target(move)) >> 1


def en_passant_victim(move: int) -> int:
    """The square of the pawn that a capture en passant takes."""
    return target(move) ^ 8
