"""Moves in coordinate notation, as in UCI."""

from engine.board.fen import square_name
from engine.board.move import castled_king, is_castling, is_promotion, origin, promoted_to, target
from engine.board.movegen import legal_moves
from engine.board.position import Position

_E_FILE, _CORNERS = 4, (0, 7)


class MoveError(ValueError):
    """Why a text is not a legal move, in one line."""


def move_text(move: int, chess960: bool = False) -> str:
    """`e2e4`, `e7e8q`; castling `e1g1`; 0 is `0000`.

    In Chess960, and where king and rook do not stand as in chess, castling is king takes rook.
    """
    if not move:
        return "0000"
    usual = origin(move) & 7 == _E_FILE and target(move) & 7 in _CORNERS
    if is_castling(move) and usual and not chess960:
        return _castling_text(move)
    promotion = "pnbrq"[promoted_to(move)] if is_promotion(move) else ""
    return square_name(origin(move)) + square_name(target(move)) + promotion


def parse_move(position: Position, text: str) -> int:
    """The legal move that a text names, castling in either notation. Raises MoveError."""
    wanted = text.lower()
    moves = [move for move in legal_moves(position) if wanted.startswith(square_name(origin(move)))]
    # King takes rook is unambiguous, while in Chess960 e1g1 may also be a king's step.
    for move in moves:
        if move_text(move, chess960=True) == wanted:
            return move
    for move in moves:
        if is_castling(move) and _castling_text(move) == wanted:
            return move
    raise MoveError(f"not a legal move: {text[:20]!r}")


def _castling_text(move: int) -> str:
    return square_name(origin(move)) + square_name(castled_king(move))
