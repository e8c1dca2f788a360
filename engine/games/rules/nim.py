"""Splitting Nim (Grundy's game): split a pile into two unequal ones; the player who cannot move loses.

The player to move loses where the exclusive or of the piles' Grundy values is 0 (Grundy 1939). See `grundy`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, reduce
from operator import xor
from typing import NamedTuple

from engine.games.rules.game import OVER, Game, IllegalMoveError, NotApplicableError, SizeError

Split = tuple[int, int]

LARGEST = 50
_MOST_PILES = 20
_SMALLEST = 3  # that can be split
_MOST_SPLITS = 18  # of a pile of 20; with two more alpha-beta visits three times as many nodes


class Nim(NamedTuple):
    """The piles that can still be split, the largest first; smaller ones no longer matter.

    `winner` is the player who did not have to move at OVER, before that -1.
    """

    piles: tuple[int, ...]
    player: int = 0
    winner: int = -1

    def moves(self) -> Sequence[Split]:
        piles = dict.fromkeys(self.piles)  # each once, in their order
        return tuple((pile - less, less) for pile in piles for less in range(1, (pile + 1) // 2))

    def play(self, move: Split) -> Nim:
        piles = list(self.piles)
        piles.remove(sum(move))
        return position((*piles, *move), 1 - self.player)

    def chances(self) -> Sequence[tuple[Split, float]]:
        raise NotApplicableError("no chance in this game")

    def payoff(self) -> Sequence[float]:
        return (1.0, -1.0) if self.winner == 0 else (-1.0, 1.0)

    def turn(self, player: int) -> Nim:
        return self._replace(player=player)


def position(piles: Sequence[int], player: int = 0) -> Nim:
    """The state with these piles; over if none can be split."""
    left = tuple(sorted((pile for pile in piles if pile >= _SMALLEST), reverse=True))
    return Nim(left, player) if left else Nim((), OVER, 1 - player)


@cache
def grundy(pile: int) -> int:
    """The Grundy value of one pile: the least number that no split of it has; a split has its piles' xor."""
    splits = {grundy(less) ^ grundy(pile - less) for less in range(1, (pile + 1) // 2)}
    return next(value for value in range(len(splits) + 1) if value not in splits)


class NimGame(Game[Nim]):
    """Moves are the new piles, such as `7-3`; a board of size n is one pile of n."""

    name = "nim"
    title = "Splitting Nim"
    sizes = (10, *(n for n in range(1, LARGEST + 1) if n != 10))

    def __init__(self, players: int = 2, piles: str | Sequence[int] | None = None) -> None:
        """`piles`: where games begin on the usual board, such as `7,5,3`. Raises SizeError."""
        super().__init__(players)
        self._piles = (self.sizes[0],) if piles is None else _piles(piles)

    def start(self, size: int | None = None) -> Nim:
        return position(self._piles if size is None else (self.checked_size(size),))

    def estimate(self, state: Nim) -> Sequence[float]:
        """Always 0: this game is searched to its end."""
        del state
        return 0.0, 0.0

    def known(self, state: Nim) -> Sequence[float]:
        if state.player == OVER:
            return state.payoff()
        won = reduce(xor, map(grundy, state.piles), 0) != 0
        return (1.0, -1.0) if won == (state.player == 0) else (-1.0, 1.0)

    def plies_to_end(self, state: Nim) -> int | None:
        splits = sum(pile - _SMALLEST + 1 for pile in state.piles)
        return splits if splits <= _MOST_SPLITS else None

    def text(self, state: Nim, move: Split) -> str:
        del state
        return f"{move[0]}-{move[1]}"

    def parse(self, state: Nim, text: str) -> Split:
        """The split into these piles, in either order. Raises IllegalMoveError."""
        written = re.fullmatch(r"([0-9]{1,2})-([0-9]{1,2})", text.strip())
        if written is not None:
            less, more = sorted(map(int, written.groups()))
            if (more, less) in state.moves():
                return more, less
        raise IllegalMoveError(f"{text.strip()[:40]!r} is not a legal move")

    def show(self, state: Nim) -> str:
        return "\n".join(f"{pile:2} {'o' * pile}" for pile in state.piles) or "no pile can be split"


def _piles(piles: str | Sequence[int]) -> tuple[int, ...]:
    words = re.split(r"[,+ ]+", piles.strip()) if isinstance(piles, str) else [str(pile) for pile in piles]
    if not all(word.isascii() and word.isdigit() and len(word) <= 2 for word in words):
        raise SizeError(f"piles must be numbers with commas, such as 7,5,3, not {str(piles)[:40]!r}")
    numbers = tuple(map(int, words))
    if len(numbers) > _MOST_PILES or not all(1 <= pile <= LARGEST for pile in numbers):
        raise SizeError(f"at most {_MOST_PILES} piles of 1 to {LARGEST}")
    return numbers
