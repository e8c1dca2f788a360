"""Writing books in Polyglot's format; see http://hgm.nubati.net/book_format.html."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import chess
import chess.polyglot

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

LARGEST_WEIGHT = 65535
_ENTRY = struct.Struct(">QHHI")  # key, move, weight, what was learned: nothing


def encoded(board: chess.Board, move: chess.Move) -> int:
    """A move on a board as 16 bits; castling is king takes rook."""
    target = move.to_square
    if not board.chess960 and board.is_castling(move):
        file = 7 if board.is_kingside_castling(move) else 0
        target = chess.square(file, chess.square_rank(move.from_square))
    promotion = move.promotion - 1 if move.promotion else 0
    return promotion << 12 | move.from_square << 6 | target


def book_bytes(weights: Mapping[int, Mapping[int, float]]) -> bytes:
    """A book from weights by position key and encoded move.

    Where the largest weight of a position would not fit, all of it are made smaller in proportion. A move
    that is left with less than 1 has no weight and is left out.
    """
    book = bytearray()
    for key, moves in sorted(weights.items()):
        scale = min(1.0, LARGEST_WEIGHT / max(moves.values(), default=1.0))
        for move, weight in sorted(moves.items(), key=lambda item: (-item[1], item[0])):
            if int(weight * scale):
                book += _ENTRY.pack(key, move, int(weight * scale), 0)
    return bytes(book)


def write_book(path: Path, book: bytes) -> None:
    """Write a file whole, or leave what was there. Raises OSError."""
    partial = path.with_name(path.name + ".partial")
    partial.write_bytes(book)
    partial.replace(path)
