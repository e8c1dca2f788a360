"""Chinese Checkers: ten men each, by steps and hops into the corner opposite, on a star of 121 cells.

The rules are those of OpenSpiel's `chinese_checkers`; a move here is a whole turn there:

- A man steps to one of the six neighbouring cells if it is empty, or hops over one neighbouring man, of
  whatever colour, onto the empty cell behind it, and on from there as often as it likes, but not back to
  where it started. Men may enter and leave every corner. Different ways to the same cell are one move.
- A player without a move passes; nobody else may.
- The first player to fill the corner opposite with ten men has won. So an opponent who leaves a man behind
  there blocks them; `blocking=False` is a rule against that, which OpenSpiel does not have: if the corner
  opposite is full after a player's move, a single man of theirs in it is enough.
- After `cap` plies the game is drawn, 0 for everybody.
- Two players start in opposite corners, top and bottom; three in every other corner; four in all but those
  on the right below and on the left above; clockwise from the top.

A cell is named by its column and row, such that a diagonal step changes both by one, and a step to the side
the column by two: the star's tips are N17, Z13, Z5, N1, A5 and A13. A move is written `M14-L13`, or `pass`.
"""

from __future__ import annotations

from collections.abc import Sequence

import cython

from engine.games.rules.compiled_state import CompiledState, Moves, Random
from engine.games.rules.game import LETTERS, Game, SizeError, vertex

if not cython.compiled:
    from engine.games.rules.game import OVER
    from engine.system.bits import bit, lsb, u64

    CELLS, WALL, PASS, FARTHEST, CANDIDATES = 121, 127, 0, 140, 6

USUAL_CAP, MOST_CAP = 1000, 1_000_000
WIDTHS = (1, 2, 3, 4, 13, 12, 11, 10, 9, 10, 11, 12, 13, 4, 3, 2, 1)
"""How many cells there are in each row, from the top."""
DIRECTIONS = ((-1, -1), (-1, 1), (0, -2), (0, 2), (1, -1), (1, 1))
"""Rows down and columns to the right."""
TIPS = ((0, 12), (4, 24), (12, 24), (16, 12), (12, 0), (4, 0))
"""Row and column of the tip of each corner, clockwise."""
STARTS = {2: (0, 3), 3: (0, 2, 4), 4: (0, 1, 3, 4), 6: (0, 1, 2, 3, 4, 5)}
"""By the number of players: where each one starts."""

_NEAR = [0] * 242
_BEHIND = [0] * 15488
_AWAY = [0] * 768
_CORNER = [0] * 42
_GOAL = [0] * 12
_KEYS = [0] * 768

_PLACES = [(row, 13 - width + 2 * i) for row, width in enumerate(WIDTHS) for i in range(width)]
"""By cell: row and column, both counted from the left above."""


class ChineseCheckers(CompiledState):
    """Men by cell, rows from the top. A move is `128 * from + to`; to pass is PASS."""

    def __init__(self, players: int, cap: int, blocking: bool) -> None:
        super().__init__(players)
        self.turns_given = True
        self.own = [0] * 12
        self.all = [0, 0]
        self.seen = [0, 0]
        self.over = [0, 0]
        self.away = [0] * 6
        self.board_key = 0
        self.plies = 0
        self.cap = cap
        self.blocking = blocking

    def blank(self) -> ChineseCheckers:
        return ChineseCheckers(self.players, self.cap, self.blocking)

    def owner(self, cell: int) -> int:
        for player in range(self.players):
            if self.own[2 * player + (cell >> 6)] & bit(cell & 63):
                return player
        return -1

    def steps(self, player: int) -> int:
        return self.away[player]

    def generate(self, moves: Moves) -> int:
        n = 0
        if self.player < 0:
            return n
        for word in range(2):
            men = self.own[2 * self.player + word]
            while men:
                n = self.step_or_hop(64 * word + lsb(men), moves, n)
                men &= men - 1
        if n == 0:
            moves.at[n] = PASS
            n += 1
        return n

    def step_or_hop(self, cell: int, moves: Moves, n: int) -> int:
        """Add the moves of one man to the first `n`; return how many there are then."""
        for word in range(2):
            near = _NEAR[2 * cell + word] & ~self.all[word]
            while near:
                moves.at[n] = 128 * cell + 64 * word + lsb(near)
                n += 1
                near &= near - 1
        self.seen[0] = self.all[0]
        self.seen[1] = self.all[1] | bit(WALL - 64)
        self.over[0], self.over[1] = self.all[0], self.all[1]
        self.over[cell >> 6] &= ~bit(cell & 63)
        here, following = cell, n
        while True:
            for word in range(2):
                near = _NEAR[2 * here + word] & self.over[word]
                while near:
                    to = _BEHIND[128 * here + 64 * word + lsb(near)]
                    near &= near - 1
                    if not self.seen[to >> 6] & bit(to & 63):
                        self.seen[to >> 6] |= bit(to & 63)
                        moves.at[n] = 128 * cell + to
                        n += 1
            if following == n:
                return n
            here = moves.at[following] & 127
            following += 1

    def advance(self, move: int) -> None:
        if move != PASS:
            self.flip(move >> 7, self.player, -1)
            self.flip(move & 127, self.player, 1)
        self.plies += 1
        if self.arrived(self.player):
            self.winner = self.player
            self.player = OVER
        elif self.plies >= self.cap:
            self.player = OVER
        else:
            self.player = self.player + 1 if self.player + 1 < self.players else 0

    def random_move(self, random: Random, moves: Moves) -> int:
        """The one of CANDIDATES random moves that goes farthest: men that move at random never arrive."""
        count = self.generate(moves)
        best = moves.at[random.below(count)]
        farthest = self.progress(best)
        for _ in range(CANDIDATES - 1):
            move = moves.at[random.below(count)]
            steps = self.progress(move)
            if steps > farthest:
                best, farthest = move, steps
        return best

    def progress(self, move: int) -> int:
        """How many steps nearer to the tip of the goal a man of the player to move comes."""
        goal = 128 * _goal(self.players, self.player)
        return _AWAY[goal + (move >> 7)] - _AWAY[goal + (move & 127)]

    def flip(self, cell: int, player: int, more: int) -> None:
        """Set a man of a player on an empty cell (`more` is 1), or take one away (-1)."""
        self.own[2 * player + (cell >> 6)] ^= bit(cell & 63)
        self.all[cell >> 6] ^= bit(cell & 63)
        self.away[player] += more * _AWAY[128 * _goal(self.players, player) + cell]
        self.board_key ^= _KEYS[128 * player + cell]

    def arrived(self, player: int) -> bool:
        """Whether a player has won."""
        goal = 2 * _goal(self.players, player)
        low = self.own[2 * player] & _GOAL[goal]
        high = self.own[2 * player + 1] & _GOAL[goal + 1]
        if low == _GOAL[goal] and high == _GOAL[goal + 1]:
            return True
        if self.blocking or (low | high) == 0:
            return False
        return (_GOAL[goal] & ~self.all[0]) == 0 and (_GOAL[goal + 1] & ~self.all[1]) == 0

    def assign(self, other: CompiledState) -> None:
        self.player = other.player
        self.plies = cython.cast(ChineseCheckers, other).plies
        self.winner = other.winner
        self.board_key = cython.cast(ChineseCheckers, other).board_key
        self.all[0] = cython.cast(ChineseCheckers, other).all[0]
        self.all[1] = cython.cast(ChineseCheckers, other).all[1]
        for player in range(self.players):
            self.own[2 * player] = cython.cast(ChineseCheckers, other).own[2 * player]
            self.own[2 * player + 1] = cython.cast(ChineseCheckers, other).own[2 * player + 1]
            self.away[player] = cython.cast(ChineseCheckers, other).away[player]

    def same(self, other: CompiledState) -> bool:
        differing = u64(self.plies ^ cython.cast(ChineseCheckers, other).plies)
        differing |= u64(self.players ^ other.players)
        differing |= u64(self.cap ^ cython.cast(ChineseCheckers, other).cap)
        differing |= u64(self.blocking ^ cython.cast(ChineseCheckers, other).blocking)
        for i in range(2 * self.players):
            differing |= self.own[i] ^ cython.cast(ChineseCheckers, other).own[i]
        return differing == 0

    def key(self) -> int:
        rest = u64(u64(self.plies * 8 + self.player + 3) * u64(0x9E3779B97F4A7C15))
        return self.board_key ^ u64((rest ^ (rest >> 32)) * u64(0xBF58476D1CE4E5B9))

    def estimate_of(self, player: int) -> float:
        """How many steps fewer than the others on average a player's men are from the tip of their goal."""
        total = 0
        for other in range(self.players):
            total += self.away[other]
        mean = (total - self.away[player]) / (self.players - 1.0)
        return (mean - self.away[player]) / (FARTHEST * (self.players - 1.0) + 1.0)


def _goal(players: int, player: int) -> int:
    return (_CORNER[6 * players + player] + 3) % 6


class ChineseCheckersGame(Game[ChineseCheckers]):
    """Chinese Checkers for 2, 3, 4 or 6 players, with a `cap` in plies, with `blocking` allowed or not."""

    name = "chinesecheckers"
    title = "Chinese Checkers"
    possible_players = STARTS

    def __init__(self, players: int = 2, cap: int = USUAL_CAP, blocking: bool = True) -> None:
        super().__init__(players)
        if cap not in range(1, MOST_CAP + 1):
            raise SizeError(f"the cap must be 1 to {MOST_CAP} plies, not {str(cap)[:40]}")
        if blocking not in {True, False}:
            raise SizeError(f"blocking must be true or false, not {str(blocking)[:40]!r}")
        self.cap = int(cap)
        self.blocking = bool(blocking)

    def start(self, size: int | None = None) -> ChineseCheckers:
        self.checked_size(size)
        state = ChineseCheckers(self.players, self.cap, self.blocking)
        for player, corner in enumerate(STARTS[self.players]):
            for cell in _corner(corner):
                state.flip(cell, player, 1)
        return state

    def position(self, rows: Sequence[str], player: int = 0) -> ChineseCheckers:
        """A state from its 17 rows as `show` draws them, the top one first, without blanks."""
        state = ChineseCheckers(self.players, self.cap, self.blocking)
        for cell, mark in enumerate("".join(rows)):
            if mark != ".":
                state.flip(cell, int(mark) - 1, 1)
        state.player = player
        return state

    def text(self, _state: ChineseCheckers, move: int) -> str:
        return "pass" if move == PASS else f"{_name(move // 128)}-{_name(move % 128)}"

    def show(self, state: ChineseCheckers) -> str:
        lines = [f"   {LETTERS}"]
        for row in range(17):
            marks = [" "] * 25
            for cell, (at, column) in enumerate(_PLACES):
                if at == row:
                    marks[column] = "." if state.owner(cell) < 0 else str(state.owner(cell) + 1)
            lines.append(f"{17 - row:2} {''.join(marks)} {17 - row}")
        return "\n".join([*lines, lines[0]])


def _name(cell: int) -> str:
    row, column = _PLACES[cell]
    return vertex(column, 16 - row)


def _steps_apart(cell: int, other: tuple[int, int]) -> int:
    down, right = abs(_PLACES[cell][0] - other[0]), abs(_PLACES[cell][1] - other[1])
    return down + max(0, (right - down) // 2)


def _corner(corner: int) -> list[int]:
    return [cell for cell in range(CELLS) if _steps_apart(cell, TIPS[corner]) <= 3]


def _fill() -> None:
    random = Random(0)
    at = {place: cell for cell, place in enumerate(_PLACES)}
    for i in range(768):
        _KEYS[i] = random.bits()
    for cell, (row, column) in enumerate(_PLACES):
        for down, right in DIRECTIONS:
            near = at.get((row + down, column + right))
            if near is not None:
                _NEAR[2 * cell + (near >> 6)] |= bit(near & 63)
                _BEHIND[128 * cell + near] = at.get((row + 2 * down, column + 2 * right), WALL)
    for corner, tip in enumerate(TIPS):
        for cell in range(CELLS):
            _AWAY[128 * corner + cell] = _steps_apart(cell, tip)
        for cell in _corner(corner):
            _GOAL[2 * corner + (cell >> 6)] |= bit(cell & 63)
    for players, starts in STARTS.items():
        for player, corner in enumerate(starts):
            _CORNER[6 * players + player] = corner


_fill()
