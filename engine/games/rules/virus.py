"""Virus: infect a square beside your own, and all around it become yours; the last player left wins.

Where accounts of the rules differ:

- A player infects a square that is not their own, empty or another's, and that has one of their own as one
  of its four neighbours. It becomes theirs with all squares of the pattern around it, anybody's:
  the four neighbours (`plus`) or all eight (`square`).
- So every move gains a square, and a player with a square but not all of them has a move: nobody passes.
- A player without squares has dropped out, and the others go on in their order.
- The last player with squares has won. As players take squares back from each other, this may never happen:
  after `PLIES_A_SQUARE * size * size` plies, rounded down to whole rounds of all players, the game is over,
  and the player with the most squares has won; if two have the same number, it is drawn, 0 for everybody.
- Players start with one square each, in corners, clockwise from A1; two of them in opposite corners. Five and
  six have the middles of the left and the right side, too. With three or five no start is symmetrical.
"""

from __future__ import annotations

from collections.abc import Sequence

import cython

from engine.games.rules.compiled_state import CompiledState, Moves
from engine.games.rules.game import Game, SizeError, grid, vertex

if not cython.compiled:
    from engine.games.rules.game import OVER
    from engine.system.bits import bit, lsb, popcount, u64

    WORDS, STRIDE = 3, 16

LEAST_SIZE, USUAL_SIZE, GREATEST_SIZE = 5, 8, 12
MOST_PLAYERS = 6
PLIES_A_SQUARE = 4
PATTERNS = {
    "plus": ((0, 0), (0, 1), (0, -1), (1, 0), (-1, 0)),
    "square": tuple([(column, row) for column in (-1, 0, 1) for row in (-1, 0, 1)]),
}
"""What an infection reaches: steps in columns and rows."""

_BOARD = [0] * 39
_AROUND = [0] * 1152


class Virus(CompiledState):
    """Each player's squares as a set of three words, bit `16 * row + column`: four rows a word.

    A move is the bit of the square that is infected.
    """

    def __init__(self, players: int, size: int, pattern: int) -> None:
        super().__init__(players)
        self.turns_given = True
        self.own = [0] * 18
        self.size = size
        self.pattern = pattern
        self.words = (size + 3) // 4
        self.plies = 0
        self.cap = PLIES_A_SQUARE * size * size // players * players

    def blank(self) -> Virus:
        return Virus(self.players, self.size, self.pattern)

    def owner(self, cell: int) -> int:
        for player in range(self.players):
            if self.own[player * WORDS + (cell >> 6)] & bit(cell & 63):
                return player
        return -1

    def squares(self, player: int) -> int:
        first = player * WORDS
        return popcount(self.own[first]) + popcount(self.own[first + 1]) + popcount(self.own[first + 2])

    def generate(self, moves: Moves) -> int:
        n = 0
        if self.player < 0:
            return n
        first = self.player * WORDS
        for word in range(self.words):
            own = self.own[first + word]
            near = u64(own << 1) | (own >> 1) | u64(own << STRIDE) | (own >> STRIDE)
            if word > 0:
                near |= self.own[first + word - 1] >> (64 - STRIDE)
            if word + 1 < self.words:
                near |= u64(self.own[first + word + 1] << (64 - STRIDE))
            near &= _BOARD[self.size * WORDS + word] & ~own
            while near:
                moves.at[n] = 64 * word + lsb(near)
                n += 1
                near &= near - 1
        return n

    def advance(self, move: int) -> None:
        for word in range(self.words):
            taken = _AROUND[(self.pattern * 192 + move) * WORDS + word] & _BOARD[self.size * WORDS + word]
            if taken:
                for player in range(self.players):
                    self.own[player * WORDS + word] &= ~taken
                self.own[self.player * WORDS + word] |= taken
        self.plies += 1
        self._pass_on()

    def _pass_on(self) -> None:
        player = self.player + 1 if self.player + 1 < self.players else 0
        while not self.in_game(player):
            player = player + 1 if player + 1 < self.players else 0
        if player == self.player:
            self.winner = player
            self.player = OVER
        elif self.plies >= self.cap:
            self.winner = self._leader()
            self.player = OVER
        else:
            self.player = player

    def _leader(self) -> int:
        leader = -1
        most = 0
        for player in range(self.players):
            squares = self.squares(player)
            if squares > most:
                leader = player
                most = squares
            elif squares == most:
                leader = -1
        return leader

    def assign(self, other: CompiledState) -> None:
        self.player = other.player
        self.plies = cython.cast(Virus, other).plies
        self.winner = other.winner
        for i in range(WORDS * self.players):
            self.own[i] = cython.cast(Virus, other).own[i]

    def same(self, other: CompiledState) -> bool:
        if self.players != other.players or self.plies != cython.cast(Virus, other).plies:
            return False
        if self.size != cython.cast(Virus, other).size or self.pattern != cython.cast(Virus, other).pattern:
            return False
        differing = u64(0)
        for i in range(WORDS * self.players):
            differing |= self.own[i] ^ cython.cast(Virus, other).own[i]
        return differing == 0

    def key(self) -> int:
        mixed = u64(u64(self.plies * 8 + self.player + 3) * u64(0xBF58476D1CE4E5B9))
        mixed ^= mixed >> 29
        for player in range(self.players):
            for word in range(self.words):
                mixed = u64((mixed ^ self.own[player * WORDS + word]) * u64(0x9E3779B97F4A7C15))
                mixed ^= mixed >> 29
        return mixed

    def estimate_of(self, player: int) -> float:
        """How many squares more than the others on average, as a part of the board."""
        squares, total = self.squares(player), 0
        for other in range(self.players):
            total += self.squares(other)
        mean = (total - squares) / (self.players - 1.0)
        return (squares - mean) / (self.size * self.size + 1.0)

    def in_game(self, player: int) -> bool:
        first = player * WORDS
        return (self.own[first] | self.own[first + 1] | self.own[first + 2]) != 0


class VirusGame(Game[Virus]):
    """Virus for two to six players, with one of PATTERNS."""

    name = "virus"
    title = "Virus"
    possible_players = range(2, MOST_PLAYERS + 1)
    sizes = (USUAL_SIZE, *[s for s in range(LEAST_SIZE, GREATEST_SIZE + 1) if s != USUAL_SIZE])

    def __init__(self, players: int = 2, pattern: str = "plus") -> None:
        super().__init__(players)
        if pattern not in PATTERNS:
            raise SizeError(f"Virus has the patterns {' and '.join(PATTERNS)}, not {pattern[:40]!r}")
        self.pattern = pattern

    def start(self, size: int | None = None) -> Virus:
        size = self.checked_size(size)
        marks = [["."] * size for _ in range(size)]
        for player, (column, row) in enumerate(_starts(self.players, size)):
            marks[size - 1 - row][column] = str(player + 1)
        return self.position(["".join(row) for row in marks])

    def position(self, rows: Sequence[str], player: int = 0) -> Virus:
        """A state from its rows as `show` draws them, the top one first, without blanks."""
        size = len(rows)
        state = Virus(self.players, size, list(PATTERNS).index(self.pattern))
        for row, marks in enumerate(reversed(rows)):
            for column, mark in enumerate(marks):
                if mark != ".":
                    cell = STRIDE * row + column
                    state.own[(int(mark) - 1) * WORDS + (cell >> 6)] |= bit(cell & 63)
        state.player = player
        return state

    def text(self, _state: Virus, move: int) -> str:
        return vertex(move % STRIDE, move // STRIDE)

    def show(self, state: Virus) -> str:
        return grid(state.size, state.size, lambda column, row: _mark(state.owner(STRIDE * row + column)))


def _mark(player: int) -> str:
    return "." if player < 0 else str(player + 1)


def _starts(players: int, size: int) -> Sequence[tuple[int, int]]:
    last = size - 1
    if players == 2:
        return [(0, 0), (last, last)]
    left, right = [(0, 0), (0, last)], [(last, last), (last, 0)]
    if players > 4:
        left.insert(1, (0, last // 2))
        right.insert(1, (last, size // 2))
    return [*left, *right][:players]


def _fill() -> None:
    for size in range(LEAST_SIZE, GREATEST_SIZE + 1):
        for cell in [STRIDE * row + column for row in range(size) for column in range(size)]:
            _BOARD[size * WORDS + (cell >> 6)] |= bit(cell & 63)
    for i, steps in enumerate(PATTERNS.values()):
        for row in range(GREATEST_SIZE):
            for column in range(GREATEST_SIZE):
                for right, up in steps:
                    if 0 <= row + up < GREATEST_SIZE and 0 <= column + right < GREATEST_SIZE:
                        cell = STRIDE * (row + up) + column + right
                        place = (i * 192 + STRIDE * row + column) * WORDS + (cell >> 6)
                        _AROUND[place] |= bit(cell & 63)


_fill()
