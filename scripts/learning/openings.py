"""Where the games of self-play start: an opening of a book, and some plies at random."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from engine.board.fen import parse_fen
from engine.board.movegen import legal_moves

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.board.position import Position
    from scripts.matches.book import Book


class Openings:
    """Deals out openings; the same seed and number of the game always give the same ones."""

    def __init__(self, book: Book, random_plies: int, seed: int) -> None:
        """At most so many plies at random follow each opening."""
        self._book = book
        self._random_plies = random_plies
        self._seed = seed
        self._order = book.order(seed)

    def of_game(self, number: int) -> Iterator[Position]:
        """Where this game may start, one position after the other, without end.

        The openings come in turn until the book has been gone through. What comes a second time, or instead
        of an opening that was not level, is followed by at least one ply at random if any are.
        """
        chooser = random.Random(f"{self._seed}:{number}")
        turn, place = divmod(number, len(self._order))
        yield self._position(chooser, self._order[place], least_plies=min(turn, 1))
        while True:
            yield self._position(chooser, chooser.choice(self._order), least_plies=1)

    def _position(self, chooser: random.Random, index: int, least_plies: int) -> Position:
        position = parse_fen(self._book.opening(index).board().fen())
        plies = chooser.randint(min(least_plies, self._random_plies), self._random_plies)
        for _ in range(plies):
            if not (moves := legal_moves(position)):
                break
            position.advance(chooser.choice(moves))
        return position
