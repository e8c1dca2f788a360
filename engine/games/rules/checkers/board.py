"""Checkers, English draughts, by the rules of Chinook: captures are forced, and a man that is crowned stops.

Black, player 0, begins on squares 1 to 12, the upper rows; White has 21 to 32. Who cannot move has lost. The
game is drawn after 40 moves of each side without progress, which is a capture or a move of a man. There is no
other rule on repetition: whoever repeats makes no progress.

The square with number n is bit n - 1 + (n - 1) // 8: its neighbours are then 4 and 5 bits away, both ways,
and a neighbour off the board is a bit that no square has (Samuel, "Some studies in machine learning using the
game of checkers", 1959).
"""

from __future__ import annotations

import cython

from engine.games.rules.compiled_state import CompiledState, Moves

if not cython.compiled:
    from engine.games.rules.game import OVER
    from engine.system.bits import bit, lsb, popcount, u64

    BLACK, WHITE = 0, 1
    DIRECTIONS, BACKWARDS = 4, 2
    COUNT, PATH = 6, 10
    NO_PROGRESS = 80

BOARD = 0x7FBFDFEFF
KING_ROWS = 0x78000000F

# The weights of the estimate in men, chosen by hand: a man is worth more the farther it has come, one on its
# own back row keeps the opponent from kings, and whoever is ahead gains by exchanges.
_KING, _ROW, _GUARD, _EXCHANGES = 1.4, 0.02, 0.08, 5.0


class Checkers(CompiledState):
    """The squares of each player and of the kings of both, as sets, and the plies without progress.

    A move is the place of the square where it begins; from bit COUNT on the number of its captures; from bit
    PATH on the direction of each step in two bits, the first step lowest. Black's men go in directions 0 and
    1, down and to the left or right, White's in BACKWARDS and the one after it.
    """

    def __init__(self) -> None:
        super().__init__(2)
        self.own = [0x1EFF, 0x7FBC00000]
        self.kings = u64(0)
        self.idle = 0

    def blank(self) -> Checkers:
        return Checkers()

    def place(self, black: int, white: int, kings: int, player: int) -> None:
        """Set up a position with `player` to move; OVER if that player cannot."""
        self.own[BLACK] = black
        self.own[WHITE] = white
        self.kings = kings
        self._hand_over(player)

    def pieces(self, player: int) -> int:
        """The squares of a player's men and kings, as a set."""
        return self.own[player]

    def crowned(self) -> int:
        """The squares of the kings of both, as a set."""
        return self.kings

    def generate(self, moves: Moves) -> int:
        n = 0
        if self.player < 0:
            return n
        if self._can_capture(self.player):
            left = self.own[self.player]
            while left:
                n = self._captures(moves, n, bit(lsb(left)), lsb(left), 0, u64(0))
                left &= left - 1
            return n
        empty = self._empty()
        left = self.own[self.player]
        while left:
            origin = bit(lsb(left))
            for direction in range(DIRECTIONS):
                if self._movers(self.player, direction) & origin and step(origin, direction) & empty:
                    moves.at[n] = lsb(origin) | direction << PATH
                    n += 1
            left &= left - 1
        return n

    def _captures(self, moves: Moves, n: int, at: int, move: int, count: int, taken: int) -> int:
        """Put the captures into `moves` that go on from the square `at`, and return how many there are.

        `move` is what was done before: `count` captures, of `taken`. Who can go on must go on.
        """
        origin = bit(begins(move))
        theirs = self.own[1 - self.player] & ~taken
        stopped = not self.kings & origin and at & KING_ROWS and count > 0
        before = n
        for direction in range(DIRECTIONS):
            if not self._movers(self.player, direction) & origin or stopped:
                continue
            over = step(at, direction) & theirs
            to = step(over, direction) & (self._empty() | origin)
            if to:
                longer = move | direction << (PATH + 2 * count)
                n = self._captures(moves, n, to, longer, count + 1, taken | over)
        if n == before and count:
            moves.at[n] = move | count << COUNT
            n += 1
        return n

    def _can_capture(self, player: int) -> bool:
        theirs = self.own[1 - player]
        for direction in range(DIRECTIONS):
            over = step(self._movers(player, direction), direction) & theirs
            if step(over, direction) & self._empty():
                return True
        return False

    def _can_step(self, player: int) -> bool:
        for direction in range(DIRECTIONS):
            if step(self._movers(player, direction), direction) & self._empty():
                return True
        return False

    def _movers(self, player: int, direction: int) -> int:
        """The pieces of a player that may go in a direction: kings in all, men in two."""
        if direction // BACKWARDS == player:
            return self.own[player]
        return self.own[player] & self.kings

    def _empty(self) -> int:
        return BOARD & ~(self.own[BLACK] | self.own[WHITE])

    def advance(self, move: int) -> None:
        mover = self.player
        at = bit(begins(move))
        captured = captures(move)
        king = self.kings & at
        self.own[mover] ^= at
        self.kings ^= king
        if not captured:
            at = step(at, direction_of(move, 0))
        for i in range(captured):
            over = step(at, direction_of(move, i))
            self.own[1 - mover] ^= over
            self.kings &= ~over
            at = step(over, direction_of(move, i))
        self.own[mover] |= at
        if king or at & KING_ROWS:
            self.kings |= at
        self.idle = self.idle + 1 if king and not captured else 0
        self._hand_over(1 - mover)

    def _hand_over(self, player: int) -> None:
        self.player = player
        if not self._can_step(player) and not self._can_capture(player):
            self.winner = 1 - player
            self.player = OVER
        elif self.idle >= NO_PROGRESS:
            self.player = OVER

    def assign(self, other: CompiledState) -> None:
        self.player = other.player
        self.winner = other.winner
        self.own[BLACK] = cython.cast(Checkers, other).own[BLACK]
        self.own[WHITE] = cython.cast(Checkers, other).own[WHITE]
        self.kings = cython.cast(Checkers, other).kings
        self.idle = cython.cast(Checkers, other).idle

    def same(self, other: CompiledState) -> bool:
        return bool(
            self.own[BLACK] == cython.cast(Checkers, other).own[BLACK]
            and self.own[WHITE] == cython.cast(Checkers, other).own[WHITE]
            and self.kings == cython.cast(Checkers, other).kings
            and self.idle == cython.cast(Checkers, other).idle
            and self.winner == other.winner
        )

    def key(self) -> int:
        mixed = u64(self.own[BLACK] * u64(0x9E3779B97F4A7C15))
        mixed = u64((mixed ^ (mixed >> 32) ^ self.own[WHITE]) * u64(0xBF58476D1CE4E5B9))
        mixed = u64((mixed ^ (mixed >> 29) ^ self.kings) * u64(0x94D049BB133111EB))
        return mixed ^ (mixed >> 31) ^ u64(u64(4 * self.idle + self.player + 2) * u64(0xD6E8FEB86659FD93))

    def estimate_of(self, player: int) -> float:
        own, theirs = self._worth(player), self._worth(1 - player)
        ahead = _EXCHANGES * (own - theirs) / (own + theirs + 1.0)
        return ahead / (1.0 + ahead) if ahead > 0.0 else ahead / (1.0 - ahead)

    def _worth(self, player: int) -> float:
        men, kings = self.own[player] & ~self.kings, self.own[player] & self.kings
        worth = popcount(men) + _KING * popcount(kings)
        for row in range(8):
            come = row if player == BLACK else 7 - row
            in_row = popcount(men & row_squares(row))
            worth += in_row * (_ROW * come if come else _GUARD)
        return worth


def begins(move: int) -> int:
    """The place, as a bit, of the square where a move begins."""
    return move & 63


def captures(move: int) -> int:
    """How many men and kings a move captures."""
    return move >> COUNT & 15


def direction_of(move: int, i: int) -> int:
    """The direction of the i-th step or jump of a move, counted from 0."""
    return move >> (PATH + 2 * i) & 3


def step(squares: int, direction: int) -> int:
    """The neighbours of squares in a direction, where there are any."""
    if direction == 0:
        return (squares << 4) & BOARD
    if direction == 1:
        return (squares << 5) & BOARD
    return (squares >> (2 + direction)) & BOARD


def row_squares(row: int) -> int:
    """The four squares of a row, counted from 0 at the top."""
    return u64(15) << (4 * row + row // 2)
