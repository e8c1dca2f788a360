"""Connect Four: seven columns of six; four in a row, in any direction, win; a full board is drawn."""

from __future__ import annotations

import cython

from engine.games.compiled_state import CompiledState, Moves

if not cython.compiled:
    from engine.bits import bit, u64
    from engine.games.interface import OVER

COLUMNS, ROWS = 7, 6
_LETTERS = "ABCDEFG"


class ConnectFour(CompiledState):
    """Each player's men as a set, bit `column * 7 + row`: a seventh row, always empty, parts the columns."""

    def __init__(self) -> None:
        super().__init__(2)
        self.men = [0, 0]
        self.height = [0] * 7
        self.count = 0
        self.winner = -1

    def blank(self) -> ConnectFour:
        return ConnectFour()

    def generate(self, moves: Moves) -> int:
        n = 0
        if self.player >= 0:
            for column in range(COLUMNS):
                if self.height[column] < ROWS:
                    moves.at[n] = column
                    n += 1
        return n

    def advance(self, move: int) -> None:
        self.men[self.player] |= bit(move * 7 + self.height[move])
        self.height[move] += 1
        self.count += 1
        if has_four(self.men[self.player]):
            self.winner = self.player
            self.player = OVER
        elif self.count == COLUMNS * ROWS:
            self.player = OVER
        else:
            self.player = 1 - self.player

    def assign(self, other: CompiledState) -> None:
        self.player = other.player
        self.count = cython.cast(ConnectFour, other).count
        self.winner = cython.cast(ConnectFour, other).winner
        self.men[0] = cython.cast(ConnectFour, other).men[0]
        self.men[1] = cython.cast(ConnectFour, other).men[1]
        for column in range(COLUMNS):
            self.height[column] = cython.cast(ConnectFour, other).height[column]

    def same(self, other: CompiledState) -> bool:
        return bool(
            self.men[0] == cython.cast(ConnectFour, other).men[0]
            and self.men[1] == cython.cast(ConnectFour, other).men[1]
        )

    def key(self) -> int:
        return u64(self.men[0] * u64(0x9E3779B97F4A7C15)) ^ self.men[1]

    def payoff_of(self, player: int) -> float:
        if self.winner < 0:
            return 0.0
        return 1.0 if self.winner == player else -1.0


def has_four(men: int) -> bool:
    """Whether four of a set stand in a row: apart by 1 upwards, 7 sideways, 6 and 8 aslant."""
    return _four_apart(men, 1) or _four_apart(men, 7) or _four_apart(men, 6) or _four_apart(men, 8)


def _four_apart(men: int, step: int) -> bool:
    pairs = men & (men >> step)
    return bool(pairs & (pairs >> (2 * step)))
