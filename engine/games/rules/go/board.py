"""The rules of Go, compiled: area scoring, positional superko, no suicide; two passes end the game.

A move is 0 for a pass, or a point: `(row + 1) * (size + 1) + column + 1`, rows and columns from 0, so that
edges surround the board and its neighbours are always at the same four steps. Strings know the number of
their edges to empty points, the sum of those points and of their squares: one liberty is left if and only
if all are the same point, that is, if edges · squares = sum² (Cauchy and Schwarz).
"""

from __future__ import annotations

import cython

from engine.games.rules.compiled_state import CompiledState, Moves

if not cython.compiled:
    from engine.games.rules.compiled_state import mixed
    from engine.games.rules.game import OVER
    from engine.system.bits import u64

    PASS, EMPTY, BLACK, WHITE, EDGE = 0, 0, 1, 2, 3
    MOST_MOVES = 1500

# How much of a random game's reward is for the score, so that of moves that win equally often the one with
# more points is played. It is at most as much as 2.5% more games won.
POINTS = 0.05
STONE_KEYS = [0] * 1323
SEEN_FROM = [0] * 8


class GoBoard(CompiledState):
    """A position with its past. Player 0 is Black.

    Two of them are equal if size, komi, stones, passes in a row and the set of earlier positions are: these
    decide what superko forbids. By how many moves they were reached does not count, although the game also
    ends, and is counted as it stands, after MOST_MOVES.
    """

    def __init__(self, size: int, komi: float, handicap: int) -> None:
        """An empty board; `handicap` points go to White when the areas are counted."""
        super().__init__(2)
        self.turns_given = True
        self.size, self.stride = size, size + 1
        self.cells = (size + 2) * self.stride + 1
        self.komi, self.handicap = komi, handicap
        self.made = self.passes = self.last = self.before = self.ko = 0
        self.step = [0] * 8
        self.board = [0] * 441
        self.ring = [0] * 441
        self.trodden = [0] * 441
        self.empties = [0] * 441
        self.place = [0] * 441
        self.vacant = 0
        self.head = [0] * 441
        self.link = [0] * 441
        self.stones = [0] * 441
        self.edges = [0] * 441
        self.sums = [0] * 441
        self.squares = [0] * 441
        self.strings = [0] * 441
        self.men = [0] * 3
        self.taken = [0] * 3
        self.stones_key = self.past = 0
        self.history = [0] * 1504
        self.positions = 0
        self.margin = 0.0
        self.mark = [0] * 441
        self.stack = [0] * 441
        self._lay_out()

    def _lay_out(self) -> None:
        self.step[0], self.step[1], self.step[2], self.step[3] = self.stride, 1, -self.stride, -1
        for i in range(4):  # the diagonals: each between two neighbours that follow upon one another
            self.step[4 + i] = self.step[i] + self.step[(i + 1) & 3]
        for p in range(self.cells):
            self.board[p] = EDGE
        for row in range(self.size):
            for column in range(self.size):
                p = (row + 1) * self.stride + column + 1
                self.board[p] = EMPTY
                self.place[p] = self.vacant
                self.empties[self.vacant] = p
                self.vacant += 1
        for i in range(self.vacant):
            p = self.empties[i]
            for j in range(8):
                if self.board[p + self.step[j]] == EDGE:
                    self.ring[p] |= EDGE << SEEN_FROM[j ^ 2]
        self._remember()

    # Inside: see CompiledState

    def generate(self, moves: Moves) -> int:
        n = 0
        if self.player >= 0:
            for p in range(self.stride + 1, self.cells - self.stride):
                if self.board[p] == EMPTY and self.permits(p):
                    moves.at[n] = p
                    n += 1
            moves.at[n] = PASS
            n += 1
        return n

    def advance(self, move: int) -> None:
        if move == PASS:
            self.passes += 1
            self.ko = 0
        else:
            self.put(move, self.player + 1)
            self.trodden[move] = 1
            self.passes = 0
            self._remember()
        self.before = self.last
        self.last = move
        self.made += 1
        self.player = 1 - self.player
        if self.passes == 2 or self.made >= MOST_MOVES:
            self.player = OVER
            self.margin = self.lead()

    def assign(self, other: CompiledState) -> None:
        self.player = other.player
        self.komi = cython.cast(GoBoard, other).komi
        self.handicap = cython.cast(GoBoard, other).handicap
        self.made = cython.cast(GoBoard, other).made
        self.passes = cython.cast(GoBoard, other).passes
        self.last = cython.cast(GoBoard, other).last
        self.before = cython.cast(GoBoard, other).before
        self.ko = cython.cast(GoBoard, other).ko
        self.vacant = cython.cast(GoBoard, other).vacant
        self.stones_key = cython.cast(GoBoard, other).stones_key
        self.past = cython.cast(GoBoard, other).past
        self.positions = cython.cast(GoBoard, other).positions
        self.margin = cython.cast(GoBoard, other).margin
        for i in range(3):
            self.men[i] = cython.cast(GoBoard, other).men[i]
            self.taken[i] = cython.cast(GoBoard, other).taken[i]
        for i in range(self.vacant):
            self.empties[i] = cython.cast(GoBoard, other).empties[i]
        for i in range(self.positions):
            self.history[i] = cython.cast(GoBoard, other).history[i]
        for p in range(self.cells):
            self.board[p] = cython.cast(GoBoard, other).board[p]
            self.ring[p] = cython.cast(GoBoard, other).ring[p]
            self.trodden[p] = cython.cast(GoBoard, other).trodden[p]
            self.place[p] = cython.cast(GoBoard, other).place[p]
            self.head[p] = cython.cast(GoBoard, other).head[p]
            self.link[p] = cython.cast(GoBoard, other).link[p]
            self.stones[p] = cython.cast(GoBoard, other).stones[p]
            self.edges[p] = cython.cast(GoBoard, other).edges[p]
            self.sums[p] = cython.cast(GoBoard, other).sums[p]
            self.squares[p] = cython.cast(GoBoard, other).squares[p]
            self.strings[p] = cython.cast(GoBoard, other).strings[p]

    def same(self, other: CompiledState) -> bool:
        if (
            self.size != cython.cast(GoBoard, other).size
            or self.komi != cython.cast(GoBoard, other).komi
            or self.handicap != cython.cast(GoBoard, other).handicap
            or self.passes != cython.cast(GoBoard, other).passes
            or self.positions != cython.cast(GoBoard, other).positions
            or self.past != cython.cast(GoBoard, other).past
        ):
            return False
        for p in range(self.cells):  # noqa: SIM110 - `all` would need the interpreter's lock
            if self.board[p] != cython.cast(GoBoard, other).board[p]:
                return False
        return True

    def key(self) -> int:
        return self.stones_key ^ mixed(self.past) ^ mixed(self.passes * 4 + self.player + 2)

    def payoff_of(self, player: int) -> float:
        if self.margin == 0.0:
            return 0.0
        return 1.0 if (self.margin > 0.0) == (player == 0) else -1.0

    def reward_of(self, player: int) -> float:
        """A little of it is for the score: see POINTS."""
        return (1.0 - POINTS) * self.payoff_of(player) + POINTS * self._squashed(self.margin, player)

    def estimate_of(self, player: int) -> float:
        return self._squashed(self.lead(), player)

    def _squashed(self, lead: float, player: int) -> float:
        """A lead of Black as a number from -1 to 1, from the view of a player."""
        wide = lead if lead > 0.0 else -lead
        value = lead / (wide + self.size)
        return value if player == 0 else -value

    def give_turn(self, player: int) -> None:
        """Passes no longer count: after two of them the game goes on so, but never after MOST_MOVES."""
        self.player = player if self.made < MOST_MOVES else OVER
        self.passes = self.ko = 0

    # Strings

    def empties_beside(self, p: int) -> int:
        """A bit for each of the four neighbours that is empty, none if there is none."""
        return ~(self.ring[p] | self.ring[p] >> 1) & 0x4444

    def in_atari(self, head: int) -> bool:
        """Whether a string has just one liberty; at most four edges can lead there."""
        return bool(
            self.edges[head] <= 4
            and self.edges[head] * self.squares[head] == self.sums[head] * self.sums[head]
        )

    def liberty(self, head: int) -> int:
        """The last liberty of a string in atari."""
        return self.sums[head] // self.edges[head]

    def fits(self, p: int, colour: int) -> bool:
        """Whether a stone on an empty point would have a liberty, and does not retake a ko at once."""
        if p == self.ko:
            return False
        if self.empties_beside(p):
            return True
        for i in range(4):
            mark = self.board[p + self.step[i]]
            if mark != EDGE and (mark == colour) != self.in_atari(self.head[p + self.step[i]]):
                return True
        return False

    def repeats(self, p: int, colour: int) -> bool:
        """Whether a stone on a point where there was one before would bring an earlier position back."""
        key = self.stones_key ^ STONE_KEYS[colour * 441 + p]
        for i in range(4):
            q = p + self.step[i]
            if self.board[q] == 3 - colour and self.in_atari(self.head[q]) and self._new(p, i):
                key ^= self.strings[self.head[q]]
        for i in range(self.positions):  # noqa: SIM110 - `any` would need the interpreter's lock
            if self.history[i] == key:
                return True
        return False

    def _new(self, p: int, i: int) -> bool:
        """Whether the string at the i-th neighbour is not at one of those before it, too."""
        for j in range(i):
            q = p + self.step[j]
            if (self.board[q] == BLACK or self.board[q] == WHITE) and (
                self.head[q] == self.head[p + self.step[i]]
            ):
                return False
        return True

    def permits(self, p: int) -> bool:
        """Whether the player to move may play on an empty point."""
        if not self.fits(p, self.player + 1):
            return False
        return not (self.trodden[p] and self.repeats(p, self.player + 1))

    def put(self, p: int, colour: int) -> None:
        """Place a stone that fits, and take what it captures."""
        self._enter(p, colour)
        captures = 0
        alone = True
        for i in range(4):
            q = p + self.step[i]
            mark = self.board[q]
            if mark == colour:
                alone = False
                if self.head[q] != self.head[p]:
                    self._join(self.head[p], self.head[q])
            elif mark == 3 - colour and self.edges[self.head[q]] == 0:
                captures += self.stones[self.head[q]]
                self._capture(self.head[q])
        self.ko = 0
        if captures == 1 and alone and self.edges[p] == 1:
            self.ko = self.sums[p]

    def _enter(self, p: int, colour: int) -> None:
        self.board[p] = colour
        for i in range(8):
            self.ring[p + self.step[i]] ^= colour << SEEN_FROM[i]
        self.men[colour] += 1
        self.stones_key ^= STONE_KEYS[colour * 441 + p]
        self.vacant -= 1
        moved = self.empties[self.vacant]
        self.empties[self.place[p]] = moved
        self.place[moved] = self.place[p]
        self.head[p] = self.link[p] = p
        self.stones[p] = 1
        self.strings[p] = STONE_KEYS[colour * 441 + p]
        edges = sums = squares = 0
        for i in range(4):
            q = p + self.step[i]
            if self.board[q] == EMPTY:
                edges += 1
                sums += q
                squares += q * q
            elif self.board[q] != EDGE:
                h = self.head[q]
                self.edges[h] -= 1
                self.sums[h] -= p
                self.squares[h] -= p * p
        self.edges[p] = edges
        self.sums[p] = sums
        self.squares[p] = squares

    def _join(self, one: int, two: int) -> None:
        large = one if self.stones[one] >= self.stones[two] else two
        small = one + two - large
        self.stones[large] += self.stones[small]
        self.edges[large] += self.edges[small]
        self.sums[large] += self.sums[small]
        self.squares[large] += self.squares[small]
        self.strings[large] ^= self.strings[small]
        p = small
        while True:
            self.head[p] = large
            p = self.link[p]
            if p == small:
                break
        after = self.link[large]
        self.link[large] = self.link[small]
        self.link[small] = after

    def _capture(self, head: int) -> None:
        colour = self.board[head]
        self.men[colour] -= self.stones[head]
        self.taken[colour] += self.stones[head]
        self.stones_key ^= self.strings[head]
        p = head
        while True:
            self.board[p] = EMPTY
            for i in range(8):
                self.ring[p + self.step[i]] ^= colour << SEEN_FROM[i]
            self.place[p] = self.vacant
            self.empties[self.vacant] = p
            self.vacant += 1
            for i in range(4):
                q = p + self.step[i]
                if self.board[q] != EMPTY and self.board[q] != EDGE:
                    h = self.head[q]
                    self.edges[h] += 1
                    self.sums[h] += p
                    self.squares[h] += p * p
            p = self.link[p]
            if p == head:
                break

    def _remember(self) -> None:
        """Enter the position into the past: its key, and a sum that does not depend on the order."""
        self.history[self.positions] = self.stones_key
        self.positions += 1
        self.past = u64(self.past + mixed(self.stones_key))

    # Counting

    def _region(self, p: int, mark: int) -> int:
        """Mark all empty points connected with one; return the colours around: 1, 2, both 3, none 0."""
        colours = 0
        self.mark[p] = mark
        self.stack[0] = p
        n = 1
        while n:
            n -= 1
            p = self.stack[n]
            for i in range(4):
                q = p + self.step[i]
                if self.board[q] == EMPTY:
                    if self.mark[q] != mark:
                        self.mark[q] = mark
                        self.stack[n] = q
                        n += 1
                elif self.board[q] != EDGE:
                    colours |= self.board[q]
        return colours

    def area(self) -> int:
        """How much more of the board is Black's than White's: stones, and points that one alone surrounds.

        It sets the `mark` of each empty point to the colours around it, as `_region` returns them.
        """
        for i in range(self.vacant):
            self.mark[self.empties[i]] = -1
        for i in range(self.vacant):
            p = self.empties[i]
            if self.mark[p] == -1:
                colours = self._region(p, 4)
                self._region(p, colours)
        balance = self.men[BLACK] - self.men[WHITE]
        for i in range(self.vacant):
            colours = self.mark[self.empties[i]]
            balance += 1 if colours == BLACK else -1 if colours == WHITE else 0
        return balance

    def lead(self) -> float:
        """The points by which Black leads if all stones on the board are alive."""
        return self.area() - self.komi - self.handicap

    # Outside, for notation and for setting up positions

    def legal(self, p: int) -> bool:
        """Whether the player to move may play on a point; ask of points only, not of a pass."""
        return bool(self.board[p] == EMPTY and self.permits(p))

    def score(self) -> float:
        """The points by which Black leads, komi and handicap off, if all stones on the board are alive."""
        return self.lead()

    def place_stone(self, p: int, colour: int) -> None:
        """Set up a stone that fits before the game begins: what stood there until now is not its past."""
        self.put(p, colour)
        self.trodden[p] = 1
        self.ko = self.positions = 0
        self.past = 0
        self._remember()

    def at(self, p: int) -> int:
        """The content of a point: 0 empty, 1 Black, 2 White, 3 edge."""
        return self.board[p]

    def captured(self, colour: int) -> int:
        """How many stones of a colour were taken off the board."""
        return self.taken[colour]

    def owners(self) -> tuple[int, ...]:
        """By empty point: the colours around its region, 1 and 2 added up. Undefined at other points."""
        self.area()
        return tuple([self.mark[p] for p in range(self.cells)])

    def string_at(self, p: int) -> tuple[int, ...]:
        """The points of the string that a stone belongs to, itself first."""
        points = [p]
        after = self.link[p]
        while after != p:
            points.append(after)
            after = self.link[after]
        return tuple(points)


def _fill_keys() -> None:
    for i in range(1323):
        STONE_KEYS[i] = mixed(i)


def _fill_places() -> None:
    for i, place in enumerate((10, 14, 2, 6, 12, 0, 4, 8)):
        SEEN_FROM[i] = place


_fill_keys()
_fill_places()
