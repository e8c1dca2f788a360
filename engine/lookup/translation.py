"""Between the engine's positions and moves and those of python-chess."""

import chess

from engine.board.fen import format_fen
from engine.board.movegen import legal_moves
from engine.board.notation import move_text
from engine.board.position import Position


def board_of(position: Position) -> chess.Board:
    """The position without the moves that led to it, castling as in Chess960."""
    return chess.Board(format_fen(position, chess960=True), chess960=True)


def move_of(move: int) -> chess.Move:
    """A move on such a board: castling is king takes rook."""
    return chess.Move.from_uci(move_text(move, chess960=True))


def legal_by_name(position: Position) -> dict[chess.Move, int]:
    """The legal moves by how python-chess names them.

    Castling is there as king takes rook, and as the king's two steps where that can mean nothing else.
    """
    moves = legal_moves(position)
    named = {move_of(move): move for move in moves}
    for move in moves:
        named.setdefault(chess.Move.from_uci(move_text(move)), move)
    return named
