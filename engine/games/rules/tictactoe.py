"""Tic-tac-toe: three in a row win; a full board is drawn. States are plain Python, to be read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from engine.games.rules.game import (
    OVER,
    Game,
    IllegalMoveError,
    NotApplicableError,
    SizeError,
    disc,
    grid,
    parse_vertex,
    vertex,
)

SIZE = 3
FULL = 0b111_111_111
LINES = (
    0b000000111,
    0b000111000,
    0b111000000,
    0b001001001,
    0b010010010,
    0b100100100,
    0b100010001,
    0b001010100,
)
_MARKS = "XO"
_EMPTY = "."
_PAIRS = tuple(
    1 << i | 1 << j for i in range(9) for j in range(i) if abs(i % 3 - j % 3) < 2 and abs(i // 3 - j // 3) < 2
)

WON = frozenset(men for men in range(FULL + 1) if any(men & line == line for line in LINES))
_SQUARES = tuple(tuple(i for i in range(9) if free >> i & 1) for free in range(FULL + 1))


class TicTacToe(NamedTuple):
    """The squares of X, player 0, and of O, as bits `row * 3 + column`, rows counted from the bottom."""

    crosses: int = 0
    noughts: int = 0
    player: int = 0

    def moves(self) -> Sequence[int]:
        return () if self.player == OVER else _SQUARES[FULL & ~(self.crosses | self.noughts)]

    def play(self, move: int) -> TicTacToe:
        crosses, noughts, mover = self
        if mover == 0:
            crosses |= 1 << move
        else:
            noughts |= 1 << move
        return TicTacToe(crosses, noughts, _to_move(crosses, noughts, 1 - mover))

    def chances(self) -> Sequence[tuple[int, float]]:
        raise NotApplicableError("no chance in this game")

    def payoff(self) -> Sequence[float]:
        if self.crosses in WON:
            return 1.0, -1.0
        return (-1.0, 1.0) if self.noughts in WON else (0.0, 0.0)

    def turn(self, player: int) -> TicTacToe:
        return self._replace(player=player)


def _to_move(crosses: int, noughts: int, player: int) -> int:
    over = crosses in WON or noughts in WON or crosses | noughts == FULL
    return OVER if over else player


def open_lines(state: TicTacToe, player: int) -> int:
    """How many lines are open to a player."""
    return sum(not line & (state.crosses if player else state.noughts) for line in LINES)


def adjacent(state: TicTacToe, player: int) -> int:
    """How many pairs of a player's are side by side, diagonally too."""
    men = state.noughts if player else state.crosses
    return sum(pair & men == pair for pair in _PAIRS)


JUDGES = {"lines": (open_lines, 9.0), "adjacent": (adjacent, 7.0)}
"""What is counted, and a divisor that no difference reaches without a win, which an estimate never equals."""


class TicTacToeGame(Game[TicTacToe]):
    """Moves are vertices, such as `B2`; positions are three rows from the top, such as `XOX/.O./X.O`."""

    name = "tictactoe"
    title = "Tic-tac-toe"

    def __init__(self, players: int = 2, board: str | None = None, judge: str = "lines") -> None:
        """`board`: where games begin; `judge`: the estimate, one of JUDGES. Raises SizeError."""
        super().__init__(players)
        if judge not in JUDGES:
            raise SizeError(
                f"the judge of tic-tac-toe must be {' or '.join(JUDGES)}, not {str(judge)[:40]!r}"
            )
        self._count, self._most = JUDGES[judge]
        self._start = TicTacToe() if board is None else self.position(board)

    def start(self, size: int | None = None) -> TicTacToe:
        if size != SIZE:
            self.checked_size(size)
        return self._start

    def position(self, text: str) -> TicTacToe:
        """The state of a board; X is to move if there are as many X as O. Raises SizeError."""
        rows = text.strip().upper().split("/")
        if len(rows) != SIZE or any(len(row) != SIZE or set(row) - set(_MARKS + _EMPTY) for row in rows):
            raise SizeError("a board is three rows of X, O and dots from the top, such as XOX/.O./X.O")
        squares = "".join(reversed(rows))
        crosses, noughts = (sum(1 << i for i in range(9) if squares[i] == mark) for mark in _MARKS)
        ahead = crosses.bit_count() - noughts.bit_count()
        if ahead not in {0, 1}:
            raise SizeError("X begins: a board has as many X as O, or one more")
        if crosses in WON and noughts in WON:
            raise SizeError("both have three in a row")
        return TicTacToe(crosses, noughts, _to_move(crosses, noughts, ahead))

    def estimate(self, state: TicTacToe) -> Sequence[float]:
        ahead = (self._count(state, 0) - self._count(state, 1)) / self._most
        return ahead, -ahead

    def plies_to_end(self, state: TicTacToe) -> int:
        return len(state.moves())

    def noisy(self, state: TicTacToe) -> Sequence[int]:
        """The moves that make three in a row, or keep the opponent from it."""
        return tuple(
            move
            for move in state.moves()
            if state.crosses | 1 << move in WON or state.noughts | 1 << move in WON
        )

    def text(self, state: TicTacToe, move: int) -> str:
        del state
        return vertex(move % SIZE, move // SIZE)

    def parse(self, state: TicTacToe, text: str) -> int:
        """The free square of a vertex. Raises IllegalMoveError."""
        column, row = parse_vertex(text.strip(), SIZE, SIZE)
        if (move := row * SIZE + column) not in state.moves():
            raise IllegalMoveError(f"{text.strip()[:40]!r} is not a legal move")
        return move

    def show(self, state: TicTacToe) -> str:
        return grid(SIZE, SIZE, lambda column, row: disc(state.crosses, state.noughts, row * SIZE + column))
