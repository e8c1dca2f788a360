"""What an engine looks up: its opening book and its endgame tables.

python-chess, which reads both, is imported only with the first: it takes as long as the rest of the start.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from engine.search.probing import Prober
from engine.search.report import Outcome

if TYPE_CHECKING:
    from engine.board.position import Position
    from engine.lookup.book import Book
    from engine.lookup.fathom import Fathom
    from engine.lookup.syzygy import SyzygyTables
    from engine.search.limits import Limits

LONGEST_BOOK = 255  # moves of a game; no book is longer
MOST_MEN = 7  # kings included; no Syzygy table is for more


class Library:
    """The opening book and the endgame tables of one engine; at first neither.

    The book plays until move `deepest`; with `best_only` the move with the largest weight, else a random one
    in proportion to the weights. The tables are asked for positions of up to `most_men` pieces; inside the
    search, those of the largest size only where `probe_depth` plies are left. `fifty_moves`: whether they
    take the fifty-move rule into account.
    """

    def __init__(self) -> None:
        self.best_only = False
        self.deepest = LONGEST_BOOK
        self.probe_depth = 1
        self.most_men = MOST_MEN
        self.fifty_moves = True
        self._wanted = False
        self._path: str | None = None
        self._book: Book | None = None
        self._tables: SyzygyTables | None = None
        self._fathom: Fathom | None = None

    @property
    def tables(self) -> SyzygyTables | None:
        """The endgame tables as they are asked at the root, if any."""
        if self._tables:
            self._tables.fifty_moves = self.fifty_moves
            self._tables.asked_men = self.most_men
        return self._tables

    def prober(self) -> Prober:
        """The endgame tables as they are asked inside a search."""
        if self._fathom is None:
            return Prober()
        return self._fathom.prober(self.most_men, self.probe_depth, self.fifty_moves)

    def use_book(self, wanted: bool) -> None:
        """Play from the book if `wanted`. BookError leaves everything unchanged."""
        self._open(self._path if wanted else None, wanted)

    def load_book(self, path: str | None) -> None:
        """Use another book, None for the program's own; checked even if no book is in use.

        BookError leaves everything unchanged.
        """
        self._open(path, self._wanted)
        self._path = path

    def load_tables(self, folders: str) -> str:
        """Use the tables in these folders, separated as in the system's PATH; none for an empty text.

        Returns in one line what was found and what could not be used; empty for an empty text. Not while a
        search asks the tables in use.
        """
        wanted = [folder for folder in folders.split(os.pathsep) if folder.strip()]
        self.close()
        if not wanted:
            return ""
        from engine.lookup.fathom import Fathom, FathomError  # noqa: PLC0415 - it loads ctypes
        from engine.lookup.syzygy import SyzygyTables  # noqa: PLC0415 - it loads python-chess

        tables = SyzygyTables(wanted)
        if not tables.results:
            return tables.summary
        self._tables = tables
        try:
            self._fathom = Fathom(tables.results)
        except FathomError as error:
            return f"{tables.summary}; asked at the root only: {error}"
        tables.faults += [f"{path}: damaged" for path in self._fathom.damaged]
        return tables.summary

    def close(self) -> None:
        """Use no tables any more, so that others can load them. Not while a search asks them."""
        self._tables = None
        if self._fathom is not None:
            self._fathom.close()
            self._fathom = None

    def book_move(self, position: Position, limits: Limits, lines: int) -> Outcome | None:
        """The book's move; None if it has none, or if the search is not for a move to play."""
        if self._book is None or lines > 1:
            return None
        if limits.infinite or limits.mate is not None or limits.search_moves:
            return None
        if position.fullmove() > self.deepest:
            return None
        found = self._book.choose(position, self.best_only)
        if found is None:
            return None
        return Outcome(found.move, found.reply, f"book move, weight {found.weight} of {found.total}")

    def opening_moves(self, position: Position) -> dict[int, int]:
        """As `named_moves`; none if the table cannot be read."""
        from engine.lookup.openings import named_moves  # noqa: PLC0415 - it loads python-chess

        try:
            return named_moves(position)
        except (OSError, ValueError):  # a level plays without it, only with less variety
            return {}

    def prepare_opening_moves(self) -> None:
        """Load what `opening_moves` needs: the first time that takes tenths of a second."""
        from engine.lookup.openings import named_positions  # noqa: PLC0415 - it loads python-chess

        with suppress(OSError, ValueError):
            named_positions()

    def _open(self, path: str | None, wanted: bool) -> None:
        book = None
        if wanted or path is not None:
            from engine.lookup.book import STANDARD, Book  # noqa: PLC0415 - it loads python-chess

            book = Book(STANDARD if path is None else path)
        self._book = book if wanted else None
        self._wanted = wanted
