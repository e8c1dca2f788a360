"""Checkers with few men, numbered for endgame tables: all positions of 2 men in all, or of 3.

The places of a player's men and kings are a rising row of numbers. Such rows are numbered, too, by the
combinatorial number system, in which c1 < c2 < c3 is C(c1, 1) + C(c2, 2) + C(c3, 3) (Lehmer 1964). Plies
without progress have no part in a number.
"""

from __future__ import annotations

from itertools import accumulate
from math import comb
from typing import TYPE_CHECKING

from engine.games.rules.checkers.board import Checkers
from engine.games.rules.game import OVER, NotApplicableError, Numbered

if TYPE_CHECKING:
    from collections.abc import Sequence

FEWEST, MOST = 2, 3
NO_PROGRESS = 80
"""Plies without capture or move of a man after which a game is drawn."""
_BLACK, _WHITE = 0, 1
_SQUARES, _MEN = 32, 28
_FIRST = (0, 4)  # of the squares where a player's men may stand
_PLACES = _MEN + _SQUARES
"""Of a man or a king: 0 to 27 are men, in the order of their squares, then come the kings."""
_BITS = tuple(1 << square + square // 8 for square in range(_SQUARES))
"""Squares as the board has them; see there."""
_SQUARE_OF = {bit.bit_length() - 1: square for square, bit in enumerate(_BITS)}


class CheckersEnding:
    """All positions with `men` men and kings on the board, some of each player; see Positions."""

    def __init__(self, men: int) -> None:
        self.name, self.title = str(men), f"{men} men"
        self._splits = [(black, men - black) for black in range(1, men)]
        counts = [comb(_PLACES, black) * comb(_PLACES, white) for black, white in self._splits]
        *self._starts, pairs = accumulate(counts, initial=0)
        self.size = 2 * pairs

    def at(self, number: int) -> Numbered | None:
        """See Positions."""
        player = number & 1
        state = self._state(number >> 1, player)
        if state is None:
            return None
        if state.player == OVER:
            return Numbered(OVER, winner=1 - player)
        children = [state.play(move) for move in state.moves()]
        numbers = [self.number(child) for child in children]
        return Numbered(
            player,
            [child if n is None else n for child, n in zip(children, numbers, strict=True)],
        )

    def number(self, state: Checkers) -> int | None:
        """See Positions."""
        if state.player == OVER:
            return None
        split = state.pieces(_BLACK).bit_count(), state.pieces(_WHITE).bit_count()
        if split not in self._splits:
            return None
        black, white = (_rank(_places(state, player)) for player in (_BLACK, _WHITE))
        start = self._starts[self._splits.index(split)]
        return (start + black * comb(_PLACES, split[1]) + white) << 1 | state.player

    def plies_left(self, state: Checkers) -> int:
        """See Positions."""
        return NO_PROGRESS - state.idle

    def is_too_late(self, state: Checkers, plies: int) -> bool:
        """See Positions. A man's move and a capture, which may be forced, begin the count anew."""
        del state, plies
        return False

    def _state(self, pair: int, player: int) -> Checkers | None:
        """The position of a pair of rows of places; None where two share a square."""
        i = max(i for i, start in enumerate(self._starts) if start <= pair)
        split = self._splits[i]
        ranks = divmod(pair - self._starts[i], comb(_PLACES, split[1]))
        sides, kings = [0, 0], 0
        for side in (_BLACK, _WHITE):
            for place in _unranked(ranks[side], split[side]):
                is_king = place >= _MEN
                bit = _BITS[place - _MEN if is_king else place + _FIRST[side]]
                if bit & (sides[_BLACK] | sides[_WHITE]):
                    return None
                sides[side] |= bit
                kings |= bit if is_king else 0
        state = Checkers()
        state.place(sides[_BLACK], sides[_WHITE], kings, player)
        return state


def _places(state: Checkers, player: int) -> list[int]:
    """The places of a player's men and kings, rising."""
    left, kings = state.pieces(player), state.crowned()
    found = []
    while left:
        bit = left & -left
        square = _SQUARE_OF[bit.bit_length() - 1]
        found.append(square + _MEN if kings & bit else square - _FIRST[player])
        left ^= bit
    return sorted(found)


def _rank(places: Sequence[int]) -> int:
    """The number of a rising row of places among all of the same length."""
    return sum(comb(place, i) for i, place in enumerate(places, 1))


def _unranked(rank: int, length: int) -> list[int]:
    """The row of places that has this number, falling."""
    places: list[int] = []
    for i in range(length, 0, -1):
        place = i - 1
        while comb(place + 1, i) <= rank:
            place += 1
        places.append(place)
        rank -= comb(place, i)
    return places


def checkers_endings(men: str | None) -> Sequence[CheckersEnding]:
    """All positions of up to `men` men in all, by default MOST. Raises NotApplicableError."""
    text = str(MOST) if men is None else men.strip()
    if text not in {str(number) for number in range(FEWEST, MOST + 1)}:
        raise NotApplicableError(
            f"no endgame table for {text[:40]!r}: tables have {FEWEST} to {MOST} men in all"
        )
    return [CheckersEnding(number) for number in range(FEWEST, int(text) + 1)]
