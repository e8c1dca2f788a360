"""Checkers for people: notation, positions and games in PDN, the board; and its endings of 2 or 3 men.

The places of a player's men and kings are a rising row of numbers, numbered by the combinatorial number
system, in which c1 < c2 < c3 is C(c1, 1) + C(c2, 2) + C(c3, 3) (Lehmer 1964). Plies without progress have
no part in a number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate
from math import comb
from textwrap import fill

from engine.games.rules.checkers.board import Checkers, begins, captures, direction_of, step
from engine.games.rules.game import OVER, Game, IllegalMoveError, NotApplicableError, Numbered, SizeError

BLACK, WHITE = 0, 1
SIZE = 8
SQUARES = range(1, 33)
MOST_MEN = 12
ENGLISH = "21"  # the number of English draughts among the games of PDN
_COLOURS = "BW"
_KING_ROWS = (range(29, 33), range(1, 5))  # of Black and White
_SIDE = r"((?:K?\d{1,2}(?:,K?\d{1,2})*)?)"
_POSITION = re.compile(rf"([BW]):([BW]){_SIDE}:([BW]){_SIDE}\.?", re.ASCII)


FEWEST, MOST = 2, 3
NO_PROGRESS = 80  # plies without capture or move of a man after which a game is drawn
_PLAIN = 28  # places of a man
_FIRST = (0, 4)  # of the squares where a player's men may stand
_PLACES = _PLAIN + 32
"""Of a man or a king: 0 to 27 are men, in the order of their squares, then come the kings."""
_BITS = tuple(1 << square + square // 8 for square in range(32))  # squares as the board has them; see there
_SQUARE_OF = {bit.bit_length() - 1: square for square, bit in enumerate(_BITS)}


class CheckersGame(Game[Checkers]):
    """Moves are written `11-15` and `22x15x8`, with all squares on the way; `22x8` is read where it is clear.

    Positions are written as in PDN: `W:W21,22,K30:B1,K7` with White to move.
    """

    name = "checkers"
    title = "Checkers"
    sizes = (SIZE,)

    def __init__(self, players: int = 2, fen: str | None = None) -> None:
        """`fen`: where games begin. Raises SizeError."""
        super().__init__(players)
        self._start = Checkers() if fen is None else parse_position(fen)

    def start(self, size: int | None = None) -> Checkers:
        self.checked_size(size)
        return self._start

    def noisy(self, state: Checkers) -> Sequence[int]:
        """Captures, and moves that crown a man."""
        crowned, row = state.crowned(), _KING_ROWS[state.player] if state.player >= 0 else ()
        return [
            move
            for move in state.moves()
            if captures(move) or (not crowned >> begins(move) & 1 and path(move)[-1] in row)
        ]

    def endings(self, men: str | None = None) -> Sequence[CheckersEnding]:
        """All positions of up to `men` men in all, by default MOST. Raises NotApplicableError."""
        text = str(MOST) if men is None else men.strip()
        if text not in {str(number) for number in range(FEWEST, MOST + 1)}:
            raise NotApplicableError(
                f"no endgame table for {text[:40]!r}: tables have {FEWEST} to {MOST} men in all"
            )
        return [CheckersEnding(number) for number in range(FEWEST, int(text) + 1)]

    def text(self, _state: Checkers, move: int) -> str:
        return ("x" if captures(move) else "-").join(map(str, path(move)))

    def parse(self, state: Checkers, text: str) -> int:
        """The legal move of a text, where captures may be shortened. Raises IllegalMoveError."""
        try:
            move: int = super().parse(state, text)
        except IllegalMoveError:
            ends = text.strip().lower().split("x")
            found = [move for move in state.moves() if captures(move) and _ends(move) == ends]
            if len(found) != 1:
                raise
            return found[0]
        return move

    def record(self, moves: Sequence[str], names: Sequence[str], payoffs: Sequence[float]) -> str:
        white = payoffs[WHITE]
        result = "1-0" if white > 0 else "0-1" if white < 0 else "1/2-1/2"
        tags = {"White": names[WHITE], "Black": names[BLACK], "Result": result, "GameType": ENGLISH}
        if self._start != Checkers():
            tags |= {"SetUp": "1", "FEN": format_position(self._start)}
        words = [f"{i // 2 + 1}. {move}" if i % 2 == 0 else move for i, move in enumerate(moves)]
        lines = [f'[{tag} "{text}"]' for tag, text in tags.items()]
        return "\n".join([*lines, "", fill(" ".join([*words, result]), break_on_hyphens=False)])

    def show(self, state: Checkers) -> str:
        """Black's men are b, White's w, kings capitals; beside a row are the numbers of its outer squares.

        Below the board is the position as in PDN, while the game goes on.
        """
        lines = []
        for first in SQUARES[::4]:
            marks = "   ".join(_mark(state, number) for number in range(first, first + 4))
            row = f"  {marks}" if first % SIZE == 1 else f"{marks}  "
            lines.append(f"{first:2}  {row}  {first + 3:2}")
        return "\n".join(lines if state.player < 0 else [*lines, format_position(state)])


def parse_position(text: str) -> Checkers:
    """A position as PDN writes it, such as `W:W21,22,K30:B1,K7`. Raises SizeError."""
    found = _POSITION.fullmatch(text.strip().upper())
    if found is None or found[2] == found[4]:
        raise SizeError(f"not a position such as W:W21,22,K30:B1,K7: {text.strip()[:40]!r}")
    sides, kings = [0, 0], 0
    for colour, names in ((found[2], found[3]), (found[4], found[5])):
        player = _COLOURS.index(colour)
        for name in filter(None, names.split(",")):
            number, is_king = int(name.lstrip("K")), name[0] == "K"
            if number not in SQUARES:
                raise SizeError(f"square {number} is not on the board, which has 1 to 32")
            if square(number) & (sides[BLACK] | sides[WHITE]):
                raise SizeError(f"square {number} is taken twice")
            if not is_king and number in _KING_ROWS[player]:
                raise SizeError(f"a man on {number} would be a king")
            sides[player] |= square(number)
            kings |= square(number) if is_king else 0
    if max(side.bit_count() for side in sides) > MOST_MEN:
        raise SizeError(f"checkers has at most {MOST_MEN} men a side")
    state = Checkers()
    state.place(sides[BLACK], sides[WHITE], kings, _COLOURS.index(found[1]))
    return state


def format_position(state: Checkers) -> str:
    """A position with a player to move, as PDN writes it."""
    sides = [_COLOURS[state.player]]
    for player in (WHITE, BLACK):
        names = [
            f"K{number}" if state.crowned() & square(number) else str(number)
            for number in SQUARES
            if state.pieces(player) & square(number)
        ]
        sides.append(_COLOURS[player] + ",".join(names))
    return ":".join(sides)


def square(number: int) -> int:
    """The set of the one square with a number from 1 to 32."""
    return 1 << (number - 1 + (number - 1) // SIZE)


def path(move: int) -> list[int]:
    """The numbers of the squares that a move comes to, with the one where it begins."""
    at = 1 << begins(move)
    squares = [at]
    for i in range(max(1, captures(move))):
        at = step(at, direction_of(move, i))
        if captures(move):
            at = step(at, direction_of(move, i))
        squares.append(at)
    return [_number(at) for at in squares]


def _number(at: int) -> int:
    place = at.bit_length() - 1
    return place - place // (SIZE + 1) + 1


def _ends(move: int) -> list[str]:
    squares = path(move)
    return [str(squares[0]), str(squares[-1])]


def _mark(state: Checkers, number: int) -> str:
    at = square(number)
    mark = "b" if state.pieces(BLACK) & at else "w" if state.pieces(WHITE) & at else "."
    return mark.upper() if state.crowned() & at else mark


class CheckersEnding:
    """All positions with `men` men and kings on the board, some of each player; see Positions."""

    def __init__(self, men: int) -> None:
        self.name, self.title = str(men), f"{men} men"
        self._splits = [(black, men - black) for black in range(1, men)]
        counts = [comb(_PLACES, black) * comb(_PLACES, white) for black, white in self._splits]
        *self._starts, pairs = accumulate(counts, initial=0)
        self.size = 2 * pairs

    def at(self, number: int) -> Numbered | None:
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
        if state.player == OVER:
            return None
        split = state.pieces(BLACK).bit_count(), state.pieces(WHITE).bit_count()
        if split not in self._splits:
            return None
        black, white = (_rank(_places(state, player)) for player in (BLACK, WHITE))
        start = self._starts[self._splits.index(split)]
        return (start + black * comb(_PLACES, split[1]) + white) << 1 | state.player

    def plies_left(self, state: Checkers) -> int:
        return NO_PROGRESS - state.idle

    def is_too_late(self, state: Checkers, plies: int) -> bool:
        """A man's move or a capture, which may be forced, resets the count."""
        del state, plies
        return False

    def _state(self, pair: int, player: int) -> Checkers | None:
        """The position of a pair of rows of places; None where two share a square."""
        i = max(i for i, start in enumerate(self._starts) if start <= pair)
        split = self._splits[i]
        ranks = divmod(pair - self._starts[i], comb(_PLACES, split[1]))
        sides, kings = [0, 0], 0
        for side in (BLACK, WHITE):
            for place in _unranked(ranks[side], split[side]):
                is_king = place >= _PLAIN
                bit = _BITS[place - _PLAIN if is_king else place + _FIRST[side]]
                if bit & (sides[BLACK] | sides[WHITE]):
                    return None
                sides[side] |= bit
                kings |= bit if is_king else 0
        state = Checkers()
        state.place(sides[BLACK], sides[WHITE], kings, player)
        return state


def _places(state: Checkers, player: int) -> list[int]:
    left, kings = state.pieces(player), state.crowned()
    found = []
    while left:
        bit = left & -left
        square = _SQUARE_OF[bit.bit_length() - 1]
        found.append(square + _PLAIN if kings & bit else square - _FIRST[player])
        left ^= bit
    return sorted(found)


def _rank(places: Sequence[int]) -> int:
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
