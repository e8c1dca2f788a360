"""An opening book in Polyglot's format, read with python-chess.

A book says how often each move is to be played in a position. Moves that are not legal there, or have no
weight, are passed over: so a damaged book costs its moves, never the game.
"""

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random

import chess.polyglot

from engine.board.position import Position
from engine.lookup.translation import board_of, legal_by_name

STANDARD = Path(__file__).with_name("lolli.bin")
"""The book that comes with the program."""

_ENTRY = 16  # bytes
_SAMPLE = 4096  # entries whose order is looked at: a book is sorted, other files are not


class BookError(ValueError):
    """A file that cannot be used as a book; the message names it and the reason."""


@dataclass(frozen=True, slots=True)
class BookMove:
    """`move` is played `weight` times of `total`; `reply` is what the book plays most often then, or 0."""

    move: int
    reply: int
    weight: int
    total: int


class Book:
    """One book, open for reading; large ones are not read into memory."""

    def __init__(self, file: Path | str, chooser: Random | None = None) -> None:
        """`chooser` decides between moves. Raises BookError where the file is missing or no whole book."""
        path = Path(file)
        self._chooser = chooser or Random()
        try:
            size = path.stat().st_size
            reason = _fault(size, folder=path.is_dir())
            if not reason:
                self._reader = chess.polyglot.open_reader(path)
        except FileNotFoundError:
            reason = "there is no such file"
        except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
            reason = f"cannot be read: {getattr(error, 'strerror', None) or error}"
        if not reason and not self._is_sorted():
            self.close()
            reason = "is no Polyglot book: its entries are not in order"
        if reason:
            raise BookError(f"{path}: {reason}")

    def moves(self, position: Position) -> dict[int, int]:
        """What the book plays here: legal moves with their weights, heaviest first; empty where it ends."""
        legal = legal_by_name(position)
        weights: dict[int, int] = {}
        for entry in self._reader.find_all(chess.polyglot.zobrist_hash(board_of(position))):
            move = legal.get(entry.move)
            if move is not None:
                weights[move] = weights.get(move, 0) + entry.weight
        return dict(sorted(weights.items(), key=lambda item: -item[1]))

    def choose(self, position: Position, best: bool = False) -> BookMove | None:
        """The move with the largest weight if it is to be the `best`, else one by chance and weight."""
        weights = self.moves(position)
        if not weights:
            return None
        move = next(iter(weights)) if best else self._chooser.choices([*weights], [*weights.values()])[0]
        after = position.copy()
        after.make(move)
        reply = next(iter(self.moves(after)), 0)
        return BookMove(move, reply, weights[move], sum(weights.values()))

    def close(self) -> None:
        """Close the file."""
        self._reader.close()

    def _is_sorted(self) -> bool:
        count = len(self._reader)
        keys = (self._reader[index].key for index in range(0, count, max(1, count // _SAMPLE)))
        return all(first <= second for first, second in pairwise(keys))


def _fault(size: int, *, folder: bool) -> str:
    """Why a file of so many bytes is no book; empty where it may be one."""
    if folder:
        return "is a folder, not a book"
    if not size:
        return "is empty"
    if size % _ENTRY:
        return f"is no whole Polyglot book, which has {_ENTRY} bytes for each move"
    return ""
