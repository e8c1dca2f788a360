"""Connect Four: men fall to the lowest free square of a column; four in a row, in any direction, win.

A full board is drawn. Square `column * (rows + 1) + row`, row 0 at the bottom: a row on top that is always
empty parts the columns. A move is a column. The bit patterns follow Tromp's Fhourstones and Pons's "Solving
Connect 4: how to build a perfect AI"; so does the score: how many men the winner has left, and one more.
"""

from __future__ import annotations

from collections.abc import Sequence

import cython

from engine.games.rules.compiled_state import CompiledState, Moves
from engine.games.rules.game import LETTERS, Game, IllegalMoveError, SizeError, disc, grid, vertex

if not cython.compiled:
    from engine.games.rules.compiled_state import Random
    from engine.games.rules.game import OVER
    from engine.system.bits import bit, popcount, u64

    UNSEEN = 127

PLANES = (
    6  # ones, own men, theirs, landing squares, ones in every other row, ones if it is the beginner's turn
)
_NEAR_END = 8  # men that are left; measured, with a table much larger than the processor's caches


class ConnectFour(CompiledState):
    """Each player's men as a set."""

    def __init__(self, columns: int = 7, rows: int = 6) -> None:
        super().__init__(2)
        self._lay_out(columns, rows)
        self.men = [0, 0]
        self.safe = 0
        self.count = 0

    def _lay_out(self, columns: int, rows: int) -> None:
        self.columns = columns
        self.rows = rows
        self.apart = rows + 1
        self.squares = columns * rows
        self.column = bit(rows) - 1
        self.floor = u64(0)
        for column in range(columns):
            self.floor |= bit(column * self.apart)
        self.board = u64(self.floor * self.column)
        self.fours = self._possible_fours(0)
        self.plane_count, self.plane_rows, self.plane_columns = PLANES, rows, columns
        self.symmetries = 2

    def blank(self) -> ConnectFour:
        return ConnectFour(self.columns, self.rows)

    def discs(self, player: int) -> int:
        return self.men[player]

    def landings(self) -> int:
        """Where a man would fall, as a set: one square for each column that is not full."""
        return ((self.men[0] | self.men[1]) + self.floor) & self.board

    def generate(self, moves: Moves) -> int:
        n = 0
        if self.player >= 0:
            for column in range(self.columns):
                if self.landings() >> (column * self.apart) & self.column:
                    moves.at[n] = column
                    n += 1
        return n

    def advance(self, move: int) -> None:
        stacks = self.men[0] | self.men[1]
        placed = (stacks + bit(move * self.apart)) & (self.column << (move * self.apart))
        self.men[self.player] |= placed
        self.count += 1
        if has_four(self.men[self.player], self.apart):
            self.winner = self.player
            self.player = OVER
        elif self.count == self.squares:
            self.player = OVER
        else:
            self.player = 1 - self.player

    def assign(self, other: CompiledState) -> None:
        self.player = other.player
        self.count = cython.cast(ConnectFour, other).count
        self.winner = other.winner
        self.men[0] = cython.cast(ConnectFour, other).men[0]
        self.men[1] = cython.cast(ConnectFour, other).men[1]

    def same(self, other: CompiledState) -> bool:
        return bool(
            self.columns == cython.cast(ConnectFour, other).columns
            and self.rows == cython.cast(ConnectFour, other).rows
            and self.men[0] == cython.cast(ConnectFour, other).men[0]
            and self.men[1] == cython.cast(ConnectFour, other).men[1]
        )

    def _code(self) -> int:
        """A number of its own for each position: in each column the mover's men, plus all men.

        The highest bit of a column's sum is its height, and no column's sum reaches into the next.
        """
        return self.men[self.count & 1] + (self.men[0] | self.men[1])

    def key(self) -> int:
        mixed = u64(self._code() * u64(0x9E3779B97F4A7C15))
        return mixed ^ (mixed >> 32)

    def estimate_of(self, player: int) -> float:
        mine, theirs = self._possible_fours(self.men[1 - player]), self._possible_fours(self.men[player])
        return float(mine - theirs) / float(self.fours + 1)

    def _possible_fours(self, men: int) -> int:
        fitting = self.board & ~men
        return (
            popcount(fours(fitting, 1))
            + popcount(fours(fitting, self.apart))
            + popcount(fours(fitting, self.apart - 1))
            + popcount(fours(fitting, self.apart + 1))
        )

    def random_move(self, random: Random, _moves: Moves) -> int:
        """Any column until one is not full: most are not for most of a game."""
        while True:
            column = random.below(self.columns)
            if self.landings() >> (column * self.apart) & self.column:
                return column

    def fill_planes(self, planes: memoryview[float], first: int) -> None:
        """Ones, own men, theirs, where men can land, every other row, and whether the beginner is to move."""
        one, beginner = 1.0, float(1 - self.player)
        own, theirs, landings = self.men[self.player], self.men[1 - self.player], self.landings()
        at = first
        for row in range(self.rows):
            for column in range(self.columns):
                square = column * self.apart + row
                planes[at] = one
                planes[at + 1] = own >> square & 1
                planes[at + 2] = theirs >> square & 1
                planes[at + 3] = landings >> square & 1
                planes[at + 4] = row & 1
                planes[at + 5] = beginner
                at += PLANES

    def policy_index(self, move: int) -> int:
        """That of the square where the man comes to lie."""
        height = popcount((self.men[0] | self.men[1]) >> (move * self.apart) & self.column)
        return height * self.columns + move

    # Inside, for the solver: see engine.games.fast.solver

    def canonical(self) -> int:
        """A number below 2**(columns·(rows + 1)), which only this position and its mirror image have."""
        code = self._code()
        mirrored = self._mirror(code)
        return min(code, mirrored)

    def _mirror(self, code: int) -> int:
        mirrored = u64(0)
        whole = bit(self.apart) - 1
        for _ in range(self.columns):
            mirrored = (mirrored << self.apart) | (code & whole)
            code >>= self.apart
        return mirrored

    def score_of(self, player: int) -> int:
        """At OVER."""
        if self.winner < 0:
            return 0
        score = (self.squares - self.count) // 2 + 1
        return score if self.winner == player else -score

    def foresee(self) -> int:
        """The score of the player to move if it is certain without search, else UNSEEN.

        By the next two plies, and the last two of the game. It finds the moves that do not lose, which the
        methods that follow use.
        """
        free = self.landings()
        empty = self.board & ~(self.men[0] | self.men[1])
        if completions(self.men[self.player], self.apart) & free:
            return (self.squares - self.count - 1) // 2 + 1
        threats = completions(self.men[1 - self.player], self.apart) & empty
        forced = threats & free
        if forced:
            free = forced if forced & (forced - 1) == 0 else u64(0)
        self.safe = free & ~(threats >> 1)
        if not self.safe:
            return -((self.squares - self.count - 2) // 2 + 1)
        return 0 if self.count >= self.squares - 2 else UNSEEN

    def highest(self) -> int:
        """An upper bound if no score is foreseen: as if the mover won at the next turn but one."""
        return (self.squares - self.count - 1) // 2

    def lowest(self) -> int:
        """A lower bound if no score is foreseen: as if the opponent won at the next turn but one."""
        return -((self.squares - self.count - 2) // 2)

    def near_end(self) -> bool:
        """Whether a search from here is faster than a look at a large table."""
        return self.squares - self.count < _NEAR_END

    def candidates(self, moves: Moves) -> int:
        """The moves that do not lose at once, those first that make most threats; the centre first of all."""
        n = 0
        for i in range(self.columns):
            column = self.columns // 2 + ((i + 1) // 2 if i & 1 == self.columns & 1 else -((i + 1) // 2))
            square = self.safe & (self.column << (column * self.apart))
            if square:
                threats = completions(self.men[self.player] | square, self.apart)
                worth = popcount(threats & self.board & ~(self.men[0] | self.men[1]))
                at = n
                while at > 0 and moves.by[at - 1] < worth:
                    moves.by[at], moves.at[at] = moves.by[at - 1], moves.at[at - 1]
                    at -= 1
                moves.by[at], moves.at[at] = worth, column
                n += 1
        return n


def has_four(men: int, apart: int) -> bool:
    """Whether four of a set stand in a row; neighbours sideways differ by `apart`."""
    return bool(
        _four_in_row(men, 1)
        or _four_in_row(men, apart)
        or _four_in_row(men, apart - 1)
        or _four_in_row(men, apart + 1)
    )


def _four_in_row(men: int, step: int) -> bool:
    pairs = men & (men >> step)
    return bool(pairs & (pairs >> (2 * step)))


def fours(men: int, step: int) -> int:
    """The lowest squares of all fours in one direction."""
    return men & (men >> step) & (men >> (2 * step)) & (men >> (3 * step))


def completions(men: int, apart: int) -> int:
    """The squares that would make a four with three of a set; also some that are taken or off the board."""
    return (
        (men << 1) & (men << 2) & (men << 3)
        | _fourths(men, apart)
        | _fourths(men, apart - 1)
        | _fourths(men, apart + 1)
    )


def _fourths(men: int, step: int) -> int:
    pairs = (men << step) & (men << (2 * step))
    found = pairs & (men << (3 * step)) | pairs & (men >> step)
    pairs = (men >> step) & (men >> (2 * step))
    return found | pairs & (men << step) | pairs & (men >> (3 * step))


class ConnectFourGame(Game[ConnectFour]):
    """Connect Four on a board of 7 by 6, or another of at most 64 squares, those on top included."""

    name = "connectfour"
    title = "Connect Four"

    def __init__(self, players: int = 2, columns: int = 7, rows: int = 6) -> None:
        super().__init__(players)
        if not {columns, rows} <= set(range(4, 16)) or columns * (rows + 1) > 64:
            given = f"{str(columns)[:40]} columns and {str(rows)[:40]} rows"
            raise SizeError(
                f"columns and rows must be at least 4, and columns * (rows + 1) at most 64, not {given}"
            )
        self.columns, self.rows = int(columns), int(rows)
        self.sizes = (self.columns,)

    def start(self, size: int | None = None) -> ConnectFour:
        return ConnectFour(self.checked_size(size), self.rows)

    def noisy(self, state: ConnectFour) -> Sequence[int]:
        """The moves that make a four or stop one."""
        return [move for move in state.moves() if _ends_or_saves(state, move)]

    def text(self, state: ConnectFour, move: int) -> str:
        stacks = state.discs(0) | state.discs(1)
        height = (stacks >> move * (self.rows + 1) & (1 << self.rows) - 1).bit_count()
        return vertex(move, height)

    def parse(self, state: ConnectFour, text: str) -> int:
        """The square, or just its column: a letter, or a number from 1."""
        wanted = text.strip().upper()
        for move in state.moves():
            if wanted in {self.text(state, move), LETTERS[move], str(move + 1)}:
                return move
        raise IllegalMoveError(f"{text.strip()[:40]!r} is not a legal move")

    def show(self, state: ConnectFour) -> str:
        men, apart = (state.discs(0), state.discs(1)), self.rows + 1
        return grid(self.columns, self.rows, lambda column, row: disc(*men, column * apart + row))


def _ends_or_saves(state: ConnectFour, move: int) -> bool:
    stacks = state.discs(0) | state.discs(1)
    square = (stacks + (1 << move * (state.rows + 1))) & ~stacks
    return any(has_four(state.discs(player) | square, state.rows + 1) for player in range(2))
