"""What a point of Go promises at a glance: eyes, atari, the shape around it, distances.

The shapes that are worth a reply in a playout are those of Gelly, Wang, Munos and Teytaud, Modification of
UCT with Patterns in Monte-Carlo Go (INRIA RR-6062, 2006), with a few of the same kind at the edge.
"""

from __future__ import annotations

from itertools import product

import cython

from engine.games.rules.compiled_state import Moves
from engine.games.rules.go.board import GoBoard

if not cython.compiled:
    from engine.games.rules.go.board import EDGE, EMPTY, PASS

# Of own stones, that no playout puts into atari at once.
SEVERAL = 3
SHAPES = [0] * 65536

_PATTERNS = (
    # The point in the middle is empty. X and O are the two colours, either way round; a dot is empty,
    # a bar the edge, x anything but X, o anything but O, a question mark anything.
    ("XOX", "...", "???"),  # hane that encloses
    ("XO.", "...", "?.?"),  # hane that does not cut
    ("XO?", "X..", "x.?"),  # magari
    (".O.", "X..", "..."),  # katatsuke
    ("XO?", "O.o", "?o?"),  # a cut that nothing protects
    ("XO?", "O.X", "???"),  # a cut that has been peeped at
    ("?X?", "O.O", "ooo"),  # a push between two
    ("OX?", "o.O", "???"),  # a cut at the knight's move
    ("X.?", "O.?", "|||"),  # chase along the edge
    ("OX?", "X.O", "|||"),  # block a cut at the edge
    ("?X?", "x.O", "|||"),  # block a connection at the edge
    ("?XO", "x.x", "|||"),  # descent to the edge
    ("?OX", "X.O", "|||"),  # cut at the edge
)
_MEANS = {".": "0", "X": "1", "O": "2", "|": "3", "x": "023", "o": "013", "?": "0123"}
_SWAPPED = (0, 2, 1, 3)


class GoTactics(GoBoard):
    """A position of Go, and what its policies ask of it."""

    def is_eye(self, p: int, colour: int) -> bool:
        """Whether an empty point is an eye of one point that cannot be made false."""
        if self.empties_beside(p):
            return False
        for i in range(4):
            if self.board[p + self.step[i]] == 3 - colour:
                return False
        enemies = border = 0
        for i in range(4, 8):
            mark = self.board[p + self.step[i]]
            if mark == 3 - colour:
                enemies += 1
            elif mark == EDGE:
                border = 1
        return enemies + border < 2

    def generate_sensible(self, moves: Moves) -> int:
        """All but moves into true own eyes."""
        n = 0
        for i in range(self.generate(moves)):
            if moves.at[i] == PASS or not self.is_true_eye(moves.at[i], self.player + 1):
                moves.at[n] = moves.at[i]
                n += 1
        return n

    def is_true_eye(self, p: int, colour: int) -> bool:
        """Whether a stone on an empty point could only harm its owner.

        It is an eye as above; or enemies at its corners are no danger, because a single string surrounds it,
        or because the strings around it are those around another such point, too: a two-headed dragon.
        """
        strings = self._strings_around(p, colour)
        if strings == 0:
            return False
        if strings == 1 or self.is_eye(p, colour):
            return True
        for i in range(self.vacant):
            q = self.empties[i]
            if q != p and self._strings_around(q, colour) == strings and self._all_reach(p, q):
                return True
        return False

    def _strings_around(self, p: int, colour: int) -> int:
        """How many strings surround an empty point; 0 if not only stones of a colour are beside it."""
        strings = 0
        for i in range(4):
            mark = self.board[p + self.step[i]]
            if mark == colour:
                strings += self._new(p, i)
            elif mark != EDGE:
                return 0
        return strings

    def _all_reach(self, p: int, q: int) -> bool:
        for i in range(4):
            r = p + self.step[i]
            if self.board[r] != EDGE:
                found = False
                for j in range(4):
                    s = q + self.step[j]
                    if self.board[s] != EDGE and self.head[s] == self.head[r]:
                        found = True
                if not found:
                    return False
        return True

    def liberties_after(self, p: int, colour: int) -> int:
        """How many liberties a stone on an empty point that it fits would have: 1, or 2 for more.

        A neighbour that it captures counts as one. What its neighbours' captures open up does not count.
        """
        beside = self.empties_beside(p)
        if beside & beside - 1:
            return 2
        first = 0
        for i in range(4):
            q = p + self.step[i]
            mark = self.board[q]
            found = 0
            if mark == EMPTY:
                found = q
            elif mark == 3 - colour:
                if self.in_atari(self.head[q]):
                    if self.stones[self.head[q]] > 1:
                        return 2
                    found = q
            elif mark == colour:
                found = self._other_liberty(p, self.head[q])
                if found < 0:
                    return 2
            if found and first and first != found:
                return 2
            first = max(first, found)
        return 1

    def throws_away(self, p: int, colour: int) -> bool:
        """Whether a stone on an empty point puts several own ones into atari."""
        beside = self.empties_beside(p)
        if beside & beside - 1:
            return False
        stones = 0
        for i in range(4):
            q = p + self.step[i]
            if self.board[q] == colour and self._new(p, i):
                stones += self.stones[self.head[q]]
        return stones >= SEVERAL and self.liberties_after(p, colour) == 1

    def _other_liberty(self, p: int, head: int) -> int:
        """The only liberty of a string besides `p`; 0 for none, -1 for several."""
        edges = self.edges[head]
        sums = self.sums[head]
        squares = self.squares[head]
        for i in range(4):
            q = p + self.step[i]
            if self.board[q] == self.board[head] and self.head[q] == head:
                edges -= 1
                sums -= p
                squares -= p * p
        if edges == 0:
            return 0
        if edges <= 4 and edges * squares == sums * sums:
            return sums // edges
        return -1

    def stones_in_atari(self, p: int, colour: int) -> int:
        """How many stones of a colour have no liberty but this empty point."""
        stones = 0
        for i in range(4):
            q = p + self.step[i]
            if self.board[q] == colour and self.in_atari(self.head[q]) and self._new(p, i):
                stones += self.stones[self.head[q]]
        return stones

    def distance(self, p: int, q: int) -> int:
        """Columns and rows, and the greater of them again, so that diagonals count 1½."""
        rows = p // self.stride - q // self.stride
        columns = p % self.stride - q % self.stride
        rows = rows if rows > 0 else -rows
        columns = columns if columns > 0 else -columns
        return rows + columns + max(columns, rows)

    def height(self, p: int) -> int:
        row, column = p // self.stride, p % self.stride
        other_row, other_column = self.size + 1 - row, self.size + 1 - column
        return min(row, other_row, column, other_column)

    def is_deserted(self, p: int) -> bool:
        """Whether all points up to two rows and columns away are empty."""
        row, column = p // self.stride, p % self.stride
        for y in range(max(row - 2, 1), min(row + 2, self.size) + 1):
            for x in range(max(column - 2, 1), min(column + 2, self.size) + 1):
                if self.board[y * self.stride + x] != EMPTY:
                    return False
        return True


def _expanded(pattern: tuple[str, str, str]) -> set[tuple[int, ...]]:
    top, middle, bottom = pattern
    around = (*top, middle[2], *reversed(bottom), middle[0])
    return {tuple(map(int, ring)) for ring in product(*[_MEANS[mark] for mark in around])}


def _fill_shapes() -> None:
    """Enter every pattern, turned, mirrored and with its colours changed."""
    for pattern in _PATTERNS:
        for one in _expanded(pattern):
            for ring in (one, one[::-1]):
                for turned in (ring, ring[2:] + ring[:2], ring[4:] + ring[:4], ring[6:] + ring[:6]):
                    code = other = 0
                    for place, mark in enumerate(turned):
                        code += mark << (2 * place)
                        other += _SWAPPED[mark] << (2 * place)
                    SHAPES[code] = SHAPES[other] = 1


_fill_shapes()
