"""Othello: a disc turns all discs that it encloses in straight lines; more discs win.

Square `row * 8 + column` on boards of every size, so that smaller ones lie in a corner of the usual one;
a move is a square, or PASS. Row 0 is drawn on top, and player 0 is Black, who begins.
"""

from __future__ import annotations

from collections.abc import Sequence

import cython

from engine.games.rules.compiled_state import CompiledState, Moves
from engine.games.rules.game import Game, disc, grid, vertex

if not cython.compiled:
    from engine.games.rules.compiled_state import Random
    from engine.games.rules.game import OVER
    from engine.games.rules.othello_lines import captures, legal_moves
    from engine.system.bits import bit, lsb, popcount, u64

PASS = 64
_ALL = 0xFFFFFFFFFFFFFFFF
_LEFT, _RIGHT = 0x7F7F7F7F7F7F7F7F, 0xFEFEFEFEFEFEFEFE  # all columns but the last, all but the first
_SIDES, _ENDS = 0x8181818181818181, 0xFF000000000000FF  # the first and the last column, and row
PLANES = 5  # ones, own discs, theirs, where the player to move may place one, ones if an odd number is left

# The weights of the estimate, chosen by hand: a corner is for ever, mobility leads to corners, and discs
# count for what they are worth at the end.
_CORNER, _MOBILITY, _DISCS = 0.5, 0.8, 0.5


class Othello(CompiledState):
    """Each player's discs as a set, and the squares where the player to move may place one."""

    def __init__(self, size: int = 8) -> None:
        super().__init__(2)
        self.turns_given = True
        self.size = size
        self.plane_count, self.plane_rows, self.plane_columns = PLANES, size, size
        self.symmetries = 8
        last, middle = size - 1, size // 2
        self.board = _square(size)
        self.corners = bit(0) | bit(last) | bit(last * 8) | bit(last * 9)
        white = bit((middle - 1) * 9) | bit(middle * 9)
        black = bit((middle - 1) * 9 + 1) | bit(middle * 9 - 1)
        self.men = [black, white]
        self.legal = legal_moves(black, white, self.board)

    def blank(self) -> Othello:
        return Othello(self.size)

    def place(self, black: int, white: int, player: int) -> None:
        """Set up a position with `player` to move; OVER if neither can."""
        self.men[0] = black
        self.men[1] = white
        self._hand_over(player)

    def discs(self, player: int) -> int:
        return self.men[player]

    def empty(self) -> int:
        return self.board & ~(self.men[0] | self.men[1])

    def generate(self, moves: Moves) -> int:
        if self.player < 0:
            return 0
        if not self.legal:
            moves.at[0] = PASS
            return 1
        n = 0
        left = self.legal
        while left:
            moves.at[n] = lsb(left)
            n += 1
            left &= left - 1
        return n

    def advance(self, move: int) -> None:
        if move != PASS:
            turned = captures(bit(move), self.men[self.player], self.men[1 - self.player])
            self.men[self.player] |= turned | bit(move)
            self.men[1 - self.player] ^= turned
        self._hand_over(1 - self.player)

    def _hand_over(self, player: int) -> None:
        """Give the turn to `player`, who may have to pass; the game is over if neither can move."""
        self.player = player
        self.legal = legal_moves(self.men[player], self.men[1 - player], self.board)
        if not self.legal and not legal_moves(self.men[1 - player], self.men[player], self.board):
            self.player = OVER

    def give_turn(self, player: int) -> None:
        self._hand_over(player)

    def assign(self, other: CompiledState) -> None:
        self.player = other.player
        self.legal = cython.cast(Othello, other).legal
        self.men[0] = cython.cast(Othello, other).men[0]
        self.men[1] = cython.cast(Othello, other).men[1]

    def same(self, other: CompiledState) -> bool:
        return bool(
            self.size == cython.cast(Othello, other).size
            and self.men[0] == cython.cast(Othello, other).men[0]
            and self.men[1] == cython.cast(Othello, other).men[1]
        )

    def key(self) -> int:
        mixed = u64(self.men[0] * u64(0x9E3779B97F4A7C15))
        mixed = u64((mixed ^ (mixed >> 32) ^ self.men[1]) * u64(0xBF58476D1CE4E5B9))
        return mixed ^ (mixed >> 29) ^ u64(u64(self.player + 2) * u64(0x94D049BB133111EB))

    def payoff_of(self, player: int) -> float:
        own, others = popcount(self.men[player]), popcount(self.men[1 - player])
        if own == others:
            return 0.0
        return 1.0 if own > others else -1.0

    def estimate_of(self, player: int) -> float:
        own, others = self.men[player], self.men[1 - player]
        discs, their_discs = popcount(own), popcount(others)
        mobility = popcount(legal_moves(own, others, self.board))
        their_mobility = popcount(legal_moves(others, own, self.board))
        corners = popcount(own & self.corners) - popcount(others & self.corners)
        full = float(discs + their_discs) / float(self.size * self.size)
        ahead = _CORNER * corners + _MOBILITY * _balance(mobility, their_mobility)
        ahead += _DISCS * full * full * _balance(discs, their_discs)
        return ahead / (1.0 + ahead) if ahead > 0.0 else ahead / (1.0 - ahead)

    def fill_planes(self, planes: memoryview[float], first: int) -> None:
        """Ones, own discs, theirs, legal moves, and whether an odd number of squares is left."""
        one = 1.0
        own, theirs = self.men[self.player], self.men[1 - self.player]
        odd = popcount(self.board & ~(own | theirs)) & 1
        at = first
        for row in range(self.size):
            for column in range(self.size):
                square = row * 8 + column
                planes[at] = one
                planes[at + 1] = own >> square & 1
                planes[at + 2] = theirs >> square & 1
                planes[at + 3] = self.legal >> square & 1
                planes[at + 4] = odd
                at += PLANES

    def policy_index(self, move: int) -> int:
        if move == PASS:
            return self.size * self.size
        return (move >> 3) * self.size + (move & 7)

    def random_move(self, random: Random, _moves: Moves) -> int:
        if not self.legal:
            return PASS
        return _nth(self.legal, random.below(popcount(self.legal)))


def _square(size: int) -> int:
    squares = u64(0)
    for row in range(size):
        squares |= (bit(size) - 1) << (row * 8)
    return squares


def stable_discs(own: int, others: int) -> int:
    """Own discs that nobody can ever turn, but not all of them; for the usual board.

    A disc is stable if in each of the four directions the line is full, or ends there, or a disc next to it
    is own and stable.
    """
    empty = ~(own | others)
    left, right = u64(_LEFT), u64(_RIGHT)
    rows = ~_spread(empty, 1, left, right) | u64(_SIDES)
    columns = ~_spread(empty, 8, u64(_ALL), u64(_ALL)) | u64(_ENDS)
    falling = ~_spread(empty, 9, left, right) | u64(_SIDES | _ENDS)
    rising = ~_spread(empty, 7, right, left) | u64(_SIDES | _ENDS)
    stable = u64(0)
    found = own & rows & columns & falling & rising
    while found != stable:
        stable = found
        to_left, to_right = stable & right, stable & left
        found = own & (
            (rows | to_right << 1 | to_left >> 1)
            & (columns | stable << 8 | stable >> 8)
            & (falling | to_right << 9 | to_left >> 9)
            & (rising | to_left << 7 | to_right >> 7)
        )
    return stable


def _spread(squares: int, step: int, up: int, down: int) -> int:
    """All squares of the lines in which some of the squares lie.

    `up` and `down` are the squares from which a step up, or down, stays on the board.
    """
    above = below = u64(squares)
    for _ in range(7):
        above |= u64((above & up) << step)
        below |= (below & down) >> step
    return above | below


def _nth(squares: int, n: int) -> int:
    for _ in range(n):
        squares &= squares - 1
    return lsb(squares)


def _balance(own: int, others: int) -> float:
    return float(own - others) / float(own + others + 1)


class OthelloGame(Game[Othello]):
    """Othello on boards of 8, 6 or 4 squares a side; Black begins."""

    name = "othello"
    title = "Othello"
    sizes = (8, 6, 4)

    def start(self, size: int | None = None) -> Othello:
        return Othello(self.checked_size(size))

    def margin(self, state: Othello) -> float:
        return float(state.discs(0).bit_count() - state.discs(1).bit_count())

    def noisy(self, state: Othello) -> Sequence[int]:
        """The moves into a corner."""
        last = state.size - 1
        corners = (0, last, last * 8, last * 9)
        return [move for move in state.moves() if move in corners]

    def text(self, _state: Othello, move: int) -> str:
        return "pass" if move == PASS else vertex(move % 8, move // 8)

    def show(self, state: Othello) -> str:
        discs, size = (state.discs(0), state.discs(1)), state.size
        board = grid(size, size, lambda column, row: disc(*discs, row * 8 + column), first_row_on_top=True)
        return f"{board}\nX {discs[0].bit_count()}, O {discs[1].bit_count()}"
