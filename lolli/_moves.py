"""Boards and moves, from python-chess's to the engine's and back."""

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import islice, takewhile

import chess

from engine.board.fen import FenError
from engine.board.notation import MoveError, move_text, parse_move
from engine.board.position import Position
from engine.session import Session
from lolli._errors import PositionError

_FIFTY_MOVES = 100  # plies
_LARGEST_COUNTER = 9999  # of a FEN


def set_position(session: Session, board: chess.Board) -> None:
    """Bring a session to a board, with the moves that may be repeated. Raises PositionError."""
    require_chess(board)
    try:
        session.set_position(*history(board))
    except (FenError, MoveError) as error:
        raise PositionError(str(error)) from None


def require_chess(board: chess.Board) -> None:
    """Raise PositionError for a variant other than chess and Chess960, TypeError for what is no board."""
    if not isinstance(board, chess.Board):
        raise TypeError(f"a chess.Board, not {type(board).__name__}")
    if type(board).uci_variant != "chess":
        raise PositionError(f"Lolli plays chess and Chess960, not {type(board).uci_variant}")


def engine_moves(position: Position, moves: Iterable[chess.Move]) -> tuple[int, ...]:
    """These moves as the engine has them. Raises PositionError for one that is not legal, and for none."""
    try:
        found = tuple(parse_move(position, move.uci()) for move in moves)
    except MoveError as error:
        raise PositionError(str(error)) from None
    if not found:
        raise PositionError("no root moves given")
    return found


@cache
def chess_move(move: int, chess960: bool) -> chess.Move:
    """The engine's move as python-chess has it: castling by the king's target, in Chess960 by the rook."""
    return chess.Move.from_uci(move_text(move, chess960))


def chess_moves(moves: Sequence[int], chess960: bool) -> list[chess.Move]:
    """The engine's moves as python-chess has them."""
    return [chess_move(move, chess960) for move in moves]


def engine_fen(board: chess.Board) -> str:
    """The FEN of a board as the engine reads it: in Chess960 with the files of the rooks.

    It has the square behind a pawn just pushed where no capture is legal, too: keys of books depend on it.
    """
    return board.shredder_fen(en_passant="fen") if board.chess960 else board.fen(en_passant="fen")


def history(board: chess.Board) -> tuple[str, Sequence[str]]:
    """A FEN and the moves from there: those since a capture, a pawn move or a null move, at most 100 plies.

    Earlier positions cannot be repeated, or not before the game is drawn. Sending all moves of a game for
    each of its positions would be quadratic in its length.
    """
    most = min(len(board.move_stack), board.halfmove_clock, _FIFTY_MOVES)
    last = list(takewhile(bool, islice(reversed(board.move_stack), most)))
    begin = board.copy(stack=len(last))
    for _ in last:
        begin.pop()
    begin.halfmove_clock = min(begin.halfmove_clock, _LARGEST_COUNTER)
    begin.fullmove_number = min(begin.fullmove_number, _LARGEST_COUNTER)
    return engine_fen(begin), [move.uci() for move in reversed(last)]
