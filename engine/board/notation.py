"""The text of moves in coordinate notation, as UCI has it."""

from engine.board.fen import square_name
from engine.board.movegen import legal_moves
from engine.board.position import Position

_CASTLING = (2, 3)
_E_FILE, _CORNERS = 4, (0, 7)


class MoveError(ValueError):
    """Why a text is no move here, in one line."""


def move_text(move: int, chess960: bool = False) -> str:
    """`e2e4`, `e7e8q`; castling `e1g1`; 0 is `0000`.

    In Chess960, and where king and rook do not stand as in chess, castling is king takes rook.
    """
    if not move:
        return "0000"
    source, target, flag = move & 63, move >> 6 & 63, move >> 12
    if flag in _CASTLING and not chess960 and source & 7 == _E_FILE and target & 7 in _CORNERS:
        return _castling_text(move)
    promotion = "nbrq"[flag & 3] if flag & 8 else ""
    return square_name(source) + square_name(target) + promotion


def parse_move(position: Position, text: str) -> int:
    """The legal move that a text names, castling in either notation; MoveError if there is none."""
    wanted = text.lower()
    moves = [move for move in legal_moves(position) if wanted.startswith(square_name(move & 63))]
    # King takes rook can mean nothing else, while e1g1 may also be a king's step in Chess960.
    for move in moves:
        if move_text(move, chess960=True) == wanted:
            return move
    for move in moves:
        if move >> 12 in _CASTLING and _castling_text(move) == wanted:
            return move
    raise MoveError(f"{text[:20]!r} is no legal move here")


def _castling_text(move: int) -> str:
    """Castling by where the king goes."""
    source, target = move & 63, move >> 6 & 63
    return square_name(source) + square_name(source & 56 | (6 if target > source else 2))
