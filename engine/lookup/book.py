"""An opening book in Polyglot's format.

A book says how often each move is to be played in a position. Moves that are not legal there, or have no
weight, are passed over: so a damaged book costs its moves, never the game.

A book is read entry by entry as it is needed, and not mapped into memory as python-chess does it: where a
mapped file is cut short, the system ends the process.
"""

import os
import struct
import weakref
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import BinaryIO

import chess
import chess.polyglot

from engine import files
from engine.board.position import Position
from engine.lookup.translation import board_of, legal_by_name

STANDARD = Path(__file__).with_name("lolli.bin")
"""The book that comes with the program."""

LARGEST = 1 << 36
"""Bytes of a book; the largest that are published have some 2**31."""

_ENTRY = struct.Struct(">QHHI")  # the key of the position, the move, its weight, and what nobody needs
_MOST_MOVES = 256  # entries of one position that are looked at; no position has as many legal moves
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
            self._file = files.open_file(path, LARGEST)
        except FileNotFoundError:
            raise BookError(f"{path}: there is no such file") from None
        except IsADirectoryError:
            raise BookError(f"{path}: is a folder, not a book") from None
        except OSError as error:
            raise BookError(f"{path}: cannot be read: {error.strerror}") from None
        weakref.finalize(self, self._file.close)
        reason = self._fault()
        if reason:
            self.close()
            raise BookError(f"{path}: {reason}")

    def moves(self, position: Position) -> dict[int, int]:
        """What the book plays here: legal moves with their weights, heaviest first; empty where it ends."""
        legal = legal_by_name(position)
        weights: dict[int, int] = {}
        for entry in self._entries.of(chess.polyglot.zobrist_hash(board_of(position))):
            move = legal.get(entry.move)
            if move is not None and entry.weight:
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
        self._file.close()

    def _fault(self) -> str:
        """Why the file is no book; empty where it may be one."""
        size = os.fstat(self._file.fileno()).st_size
        if not size:
            return "is empty"
        if size % _ENTRY.size:
            return f"is no whole Polyglot book, which has {_ENTRY.size} bytes for each move"
        self._entries = _Entries(self._file, size // _ENTRY.size)
        return "" if self._entries.are_sorted() else "is no Polyglot book: its entries are not in order"


@dataclass(frozen=True, slots=True)
class _Entry:
    key: int
    move: chess.Move
    weight: int


_BEYOND = _Entry(1 << 64, chess.Move.null(), 0)
"""Stands where the file no longer has an entry, or cannot be read: after all others."""


class _Entries:
    """All entries of a book, in the order of their keys."""

    def __init__(self, file: BinaryIO, count: int) -> None:
        self._file = file
        self._count = count

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: int) -> _Entry:
        try:
            self._file.seek(index * _ENTRY.size)
            key, move, weight, _ = _ENTRY.unpack(self._file.read(_ENTRY.size))
        except (OSError, struct.error):
            return _BEYOND
        return _Entry(key, _move(move), weight)

    def of(self, key: int) -> Iterator[_Entry]:
        """Those of one position."""
        first = bisect_left(self, key, key=lambda entry: entry.key)
        for index in range(first, min(first + _MOST_MOVES, self._count)):
            entry = self[index]
            if entry.key != key:
                return
            yield entry

    def are_sorted(self) -> bool:
        """Whether a sample of them is."""
        keys = (self[index].key for index in range(0, self._count, max(1, self._count // _SAMPLE)))
        return all(first <= second for first, second in pairwise(keys))


def _move(raw: int) -> chess.Move:
    """From the lowest bit: the target and the source, six bits each; what a pawn becomes, from the knight."""
    promotion = raw >> 12 & 7
    return chess.Move(raw >> 6 & 63, raw & 63, promotion + 1 if promotion else None)
