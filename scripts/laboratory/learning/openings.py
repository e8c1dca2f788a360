"""Where the games of self-play start: an opening of one of several books, and some plies at random."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.board.fen import parse_fen
from engine.board.movegen import legal_moves

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.board.position import Position
    from scripts.laboratory.matches.book import OpeningSuite


@dataclass(frozen=True, slots=True)
class OpeningSource:
    """Openings of a book, followed by `least` to `most` plies at random; `share` of the games begin so."""

    book: OpeningSuite
    least: int
    most: int
    share: float = 1.0


class Openings:
    """Deals out openings; the same seed and number of the game always give the same ones."""

    def __init__(self, sources: list[OpeningSource], seed: int) -> None:
        """The shares need not add up to 1."""
        self._sources = [source for source in sources if source.share > 0]
        self._seed = seed
        self._orders = [source.book.order(seed) for source in self._sources]

    def of_game(self, number: int) -> Iterator[Position]:
        """Where game `number` may start, one position after the other, without end.

        Of each book the openings come in turn until it has been gone through. What comes a second time, or
        instead of an opening that was not level, is followed by at least one ply at random if any are.
        """
        chooser = random.Random(f"{self._seed}:{number}")
        place = chooser.choices(range(len(self._sources)), [each.share for each in self._sources])[0]
        source, order = self._sources[place], self._orders[place]
        turn, index = divmod(number, len(order))
        yield _position(chooser, source, order[index], max(source.least, min(turn, 1)))
        while True:
            yield _position(chooser, source, chooser.choice(order), max(source.least, 1))


def _position(chooser: random.Random, source: OpeningSource, index: int, least: int) -> Position:
    board = source.book.opening(index).board(chess960=source.book.chess960)
    position = parse_fen(board.shredder_fen() if source.book.chess960 else board.fen())
    for _ in range(chooser.randint(min(least, source.most), source.most)):
        if not (moves := legal_moves(position)):
            break
        position.advance(chooser.choice(moves))
    return position
