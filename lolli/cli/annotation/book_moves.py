"""The first moves of a game that are in an opening book."""

from __future__ import annotations

from functools import cache
from itertools import takewhile
from typing import TYPE_CHECKING

import chess

from engine.board.fen import parse_fen
from engine.board.notation import move_text
from engine.lookup.book import Book
from lolli._moves import engine_fen

if TYPE_CHECKING:
    import chess.pgn


def book_plies(game: chess.pgn.Game, name: str) -> int:
    """How many of a game's first moves are in the book of that name, one after the other.

    Raises BookError, and FenError if the engine cannot use a position.
    """
    book = _book(name)
    board = game.board()
    count = 0
    for node in takewhile(lambda node: bool(node.move) and node.move in _moves(book, board), game.mainline()):
        board.push(node.move)
        count += 1
    return count


def _moves(book: Book, board: chess.Board) -> set[chess.Move]:
    """The moves in the book, as the board has them."""
    moves = book.moves(parse_fen(engine_fen(board)))
    return {chess.Move.from_uci(move_text(move, board.chess960)) for move in moves}


@cache
def _book(name: str) -> Book:
    """Open as long as this process lives."""
    return Book(name)
