"""The look-up tables of one engine: its opening book and its endgame tables.

python-chess, which reads both, is loaded with the first of them: most games need neither, and it would take
as long as all the rest of the engine's start.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from engine.search.report import Outcome

if TYPE_CHECKING:
    from engine.board.position import Position
    from engine.lookup.book import Book
    from engine.lookup.tables import SyzygyTables
    from engine.search.limits import Limits

LONGEST_BOOK = 255
"""In moves; no book is longer."""


class Library:
    """Nothing at first. `deepest` is the last move of a game that the book may play.

    With `best_only` it plays the move of most weight, else by chance; while `analysing` it plays none.
    """

    def __init__(self) -> None:
        self.best_only = False
        self.deepest = LONGEST_BOOK
        self.analysing = False
        self._fifty_moves = True
        self._wanted = False
        self._path: str | None = None
        self._book: Book | None = None
        self._tables: SyzygyTables | None = None

    @property
    def tables(self) -> SyzygyTables | None:
        """The endgame tables, None where there are none."""
        return self._tables

    def use_book(self, wanted: bool) -> None:
        """Play from the book from now on, or no longer; BookError leaves everything as it was."""
        self._open(self._path if wanted else None, wanted)

    def load_book(self, path: str | None) -> None:
        """Another book, None for the one that comes with the program; BookError leaves everything as it was.

        The file is looked at even where it is not to be played from yet.
        """
        self._open(path, self._wanted)
        self._path = path

    def load_tables(self, folders: str) -> str:
        """Other tables: those of folders with the system's separator between; none for an empty text.

        Returns what was found and what was not, in one line; empty where nothing was asked for.
        """
        wanted = [folder for folder in folders.split(os.pathsep) if folder.strip()]
        self._tables = None
        if not wanted:
            return ""
        from engine.lookup.tables import SyzygyTables  # noqa: PLC0415 - it loads python-chess

        tables = SyzygyTables(wanted)
        tables.fifty_moves = self._fifty_moves
        if tables.endings:
            self._tables = tables
        return tables.summary

    def respect_fifty_moves(self, respected: bool) -> None:
        """Whether the fifty-move rule is in force where the tables are asked."""
        self._fifty_moves = respected
        if self._tables:
            self._tables.fifty_moves = respected

    def book_move(self, position: Position, limits: Limits, lines: int) -> Outcome | None:
        """What the book plays; None where it knows nothing, or where it is not a move that is asked for."""
        if self._book is None or self.analysing or lines > 1:
            return None
        if limits.infinite or limits.mate is not None or limits.search_moves:
            return None
        if position.fullmove() > self.deepest:
            return None
        found = self._book.choose(position, self.best_only)
        if found is None:
            return None
        return Outcome(found.move, found.reply, f"book move, weight {found.weight} of {found.total}")

    def _open(self, path: str | None, wanted: bool) -> None:
        """Have the book of that path open if it is `wanted`, and none if not."""
        book = None
        if wanted or path is not None:
            from engine.lookup.book import STANDARD, Book  # noqa: PLC0415 - it loads python-chess

            book = Book(STANDARD if path is None else path)
        self._book = book if wanted else None
        self._wanted = wanted
