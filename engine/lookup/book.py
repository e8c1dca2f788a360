"""An opening book in Polyglot's format, and positions and moves as python-chess has them.

Moves that are illegal or have no weight are skipped: a damaged book loses moves, never the game. Entries are
read one by one, not mapped into memory as in python-chess: if a mapped file is truncated, the system kills
the process.
"""

import os
import struct
import weakref
from bisect import bisect_left
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random

import chess
import chess.polyglot

from engine.board.fen import format_fen
from engine.board.movegen import legal_moves
from engine.board.notation import move_text
from engine.board.position import Position
from engine.system import files

STANDARD = Path(__file__).with_name("lolli.bin")  # the book that is part of the program
LARGEST = 1 << 36  # the most bytes of a book; the largest published ones have some 2**31

ENTRY = struct.Struct(">QHHI")
"""The position's key, the move, its weight, and data for learning, which are unused and 0."""

_MOST_MOVES = 256  # entries read for one position; no position has as many legal moves
_SAMPLE = 4096  # entries whose order is checked: a book is sorted, other files are not


class BookError(ValueError):
    """A file that cannot be used as a book; the message names it and the reason."""


@dataclass(frozen=True, slots=True)
class BookMove:
    """`move` is played `weight` times in `total`; `reply` is the book's most frequent answer, or 0."""

    move: int
    reply: int
    weight: int
    total: int


class Book:
    """One book, open for reading; large ones are not read into memory."""

    def __init__(self, file: Path | str, chooser: Random | None = None) -> None:
        """`chooser` makes the random choices. Raises BookError if the file is missing or not a whole book."""
        path = Path(file)
        self._chooser = chooser or Random()
        try:
            self._file = files.open_file(path, LARGEST)
        except FileNotFoundError:
            raise BookError(f"{path}: no such file") from None
        except IsADirectoryError:
            raise BookError(f"{path}: a folder, not a book") from None
        except OSError as error:
            raise BookError(f"{path}: cannot be read: {error.strerror}") from None
        weakref.finalize(self, self._file.close)
        reason = self._fault()
        if reason:
            self.close()
            raise BookError(f"{path}: {reason}")

    def moves(self, position: Position) -> dict[int, int]:
        """The legal moves in the book with their weights, heaviest first; empty if it has none."""
        legal = _legal_moves_of_chess(position)
        weights: dict[int, int] = {}
        board = board_of(position)
        if position.passed >= 0:  # counts where a pawn stands beside the other, though the capture be illegal
            board.ep_square = position.passed
        key = chess.polyglot.zobrist_hash(board)
        first = bisect_left(range(self._count), key, key=lambda index: self._entry(index)[0])
        for index in range(first, min(first + _MOST_MOVES, self._count)):
            found, raw, weight = self._entry(index)
            if found != key:
                break
            move = legal.get(_decoded(raw))
            if move is not None and weight:
                weights[move] = weights.get(move, 0) + weight
        return dict(sorted(weights.items(), key=lambda item: -item[1]))

    def choose(self, position: Position, best: bool = False) -> BookMove | None:
        """The move with the largest weight if `best`, else a random one in proportion to the weights."""
        weights = self.moves(position)
        if not weights:
            return None
        move = next(iter(weights)) if best else self._chooser.choices([*weights], [*weights.values()])[0]
        after = position.copy()
        after.advance(move)
        reply = next(iter(self.moves(after)), 0)
        return BookMove(move, reply, weights[move], sum(weights.values()))

    def close(self) -> None:
        self._file.close()

    def _fault(self) -> str:
        """Why the file is not a book; empty if it may be one."""
        size = os.fstat(self._file.fileno()).st_size
        if not size:
            return "an empty file"
        if size % ENTRY.size:
            return f"not a whole Polyglot book: its size is not a multiple of {ENTRY.size} bytes"
        self._count = size // ENTRY.size
        sample = range(0, self._count, max(1, self._count // _SAMPLE))
        in_order = all(
            first <= second for first, second in pairwise(self._entry(index)[0] for index in sample)
        )
        return "" if in_order else "not a Polyglot book: its entries are not in order"

    def _entry(self, index: int) -> tuple[int, int, int]:
        """Key, move and weight; where they cannot be read, a key that comes after all others."""
        try:
            self._file.seek(index * ENTRY.size)
            return ENTRY.unpack(self._file.read(ENTRY.size))[:3]
        except (OSError, struct.error):
            return 1 << 64, 0, 0


def _decoded(raw: int) -> chess.Move:
    """A move from its bits, lowest first: target and origin, six bits each; promotion (1: knight)."""
    promotion = raw >> 12 & 7
    return chess.Move(raw >> 6 & 63, raw & 63, promotion + 1 if promotion else None)


def encoded(board: chess.Board, move: chess.Move) -> int:
    """A move as the bits of an entry; castling is king takes rook."""
    target = move.to_square
    if not board.chess960 and board.is_castling(move):
        file = 7 if board.is_kingside_castling(move) else 0
        target = chess.square(file, chess.square_rank(move.from_square))
    promotion = move.promotion - 1 if move.promotion else 0
    return promotion << 12 | move.from_square << 6 | target


def board_of(position: Position) -> chess.Board:
    """The position in python-chess, without the moves that led to it; castling as in Chess960."""
    return chess.Board(format_fen(position, chess960=True), chess960=True)


def move_of(move: int) -> chess.Move:
    """A move on such a board, where castling is king takes rook."""
    return chess.Move.from_uci(move_text(move, chess960=True))


def _legal_moves_of_chess(position: Position) -> dict[chess.Move, int]:
    """The legal moves by python-chess's moves.

    Castling appears as king takes rook, and also as the king's two steps unless that is another move.
    """
    moves = legal_moves(position)
    named = {move_of(move): move for move in moves}
    for move in moves:
        named.setdefault(chess.Move.from_uci(move_text(move)), move)
    return named
