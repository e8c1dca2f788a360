"""Iterative deepening without the interpreter lock, for helper threads and for self-play.

It is the fast twin of `deepening`: the same windows and the same order of moves, for one line of play. A test
holds the two together. Only the first thread of a search, which reports what it finds, needs the other one:
where eight threads took turns at the lock for each root move, they found less than one thread alone.
"""

from collections.abc import Sequence

import cython

from engine.search.alphabeta import Searcher
from engine.search.deepening import Variation
from engine.search.report import Bound

if not cython.compiled:
    from engine.search.constants import (
        EXACT,
        FIRST_WINDOW_DEPTH,
        INFINITE,
        LOWER,
        MATE_BOUND,
        MAX_PLY,
        TABLEBASE_BOUND,
        UPPER,
        WIDEST_WINDOW,
    )
    from engine.search.preference import preference

BLOCKS = [2, 3, 4, 1]
"""Helpers search so many depths and skip as many, by turns: 1 and 2 the first number, 3 and 4 the next. In a
pair each searches what the other skips. A helper that skips a depth is soon ahead of the first thread, which
then finds more of its work done in the table."""


def skips(number: int, depth: int) -> bool:
    """Whether helper `number`, 1 and up, leaves out a depth."""
    pair = (number - 1) // 2
    second = (number - 1) % 2
    return (depth // BLOCKS[pair % 4] + second) % 2 == 1


class FastDeepening:
    """One thread's search from the root, depth by depth.

    The best line so far has `score` (centipawns, from the root side's point of view), `bound` and `depth`, as
    in a `Variation`.
    """

    def __init__(self, searcher: Searcher) -> None:
        self.searcher = searcher
        self.score = -INFINITE
        self.bound = EXACT
        self.depth = 0
        self.length = 0
        self.line = [0] * 256
        self.count = 0
        self.moves = [0] * 256
        self.preferences = [0] * 256
        self.nodes = [0] * 256
        self.ranking = [0] * 256
        self.candidates = [0] * 256

    def help(self, moves: Sequence[int], number: int) -> Variation:
        """Search depths until stopped, except those that helper `number` skips; return the best line.

        The searcher is ready (`Searcher.begin`). `moves` are root moves, at least one. At depth 0 nothing has
        been found.
        """
        self.count = len(moves)
        for i, move in enumerate(moves):
            self.moves[i] = move
        with cython.nogil:
            self._begin()
            self._run(number)
        return self._found()

    def _found(self) -> Variation:
        bound = Bound.EXACT if self.bound == EXACT else Bound.LOWER if self.bound == LOWER else Bound.UPPER
        return Variation(tuple(self.line[i] for i in range(self.length)), self.depth, self.score, bound)

    def _begin(self) -> None:
        """Put the `count` root moves in order, the preferred ones first."""
        for i in range(self.count):
            self.preferences[i] = preference(self.searcher.pos, self.moves[i], self.searcher.ms)
            self.nodes[i] = 0
            self._insert(self.ranking, i, self.preferences, 0, i)
        self.line[0] = self.moves[self.ranking[0]]
        self.length = 1
        self.score = -INFINITE
        self.bound = EXACT
        self.depth = 0

    def _run(self, number: int) -> None:
        for depth in range(1, MAX_PLY):
            if not skips(number, depth):
                self._search_depth(depth)
                if self.searcher.unwinding:
                    self._doubt(depth)
                    return

    def _doubt(self, depth: int) -> None:
        """In a depth that was cut short, a move that is lost is the best only of those searched."""
        if self.depth == depth and self.score < -TABLEBASE_BOUND and self.bound == EXACT:
            self.bound = LOWER

    def _search_depth(self, depth: int) -> None:
        """Search all moves, the window being widened until it holds the score."""
        self.searcher.seldepth = 0
        self.searcher._root_depth = depth
        alpha = -INFINITE
        beta = INFINITE
        width = self.searcher.parameters.aspiration_window
        windows = self.searcher.parameters.aspiration and depth >= FIRST_WINDOW_DEPTH
        if windows and abs(self.score) < MATE_BOUND:
            alpha = self.score - width
            beta = self.score + width
        while True:
            best = self._search_moves(depth, alpha, beta)
            if self.searcher.unwinding:
                return
            width *= 4
            if best <= alpha:
                self.score = best
                if beta < INFINITE:
                    beta = (alpha + beta) // 2
                alpha = best - width if width < WIDEST_WINDOW else -INFINITE
            elif best >= beta:
                beta = best + width if width < WIDEST_WINDOW else INFINITE
            else:
                return

    def _search_moves(self, depth: int, alpha: int, beta: int) -> int:
        """Principal variation search over the root moves; fail-soft. Each new best one goes to the front."""
        self.candidates[0] = self.ranking[0]
        for number in range(1, self.count):
            self._insert(self.candidates, number, self.nodes, 1, self.ranking[number])
        best = -INFINITE
        leader = -1
        for number in range(self.count):
            i = self.candidates[number]
            before = self.searcher._nodes
            ties = leader >= 0 and best > alpha and self.preferences[i] > self.preferences[leader]
            floor = max(alpha, best) - ties
            score = self.searcher._examine(self.moves[i], floor, beta, depth, number)
            self.nodes[i] = self.searcher._nodes - before
            if self.searcher.unwinding:
                return best
            if score > best or (ties and score == best):
                leader = i
                best = score
                if score > alpha or self.count == 1:
                    self._promote(i)
                    self.bound = UPPER if score <= alpha else LOWER if score >= beta else EXACT
                    self.depth = depth
                    self.score = score
                elif number == 0:
                    self.bound = UPPER
                    self.depth = depth
                    self.score = score
            if score >= beta:
                break
        return best

    def _insert(self, order: list[int], place: int, worths: list[int], first: int, i: int) -> None:
        """Put i among `order[first]` … `order[place - 1]`, which fall by `worths`, behind its equals."""
        while place > first and worths[order[place - 1]] < worths[i]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = i

    def _promote(self, i: int) -> None:
        """Make root move i the best, with the line that the searcher has found after it."""
        place = 0
        while self.ranking[place] != i:
            place += 1
        while place > 0:
            self.ranking[place] = self.ranking[place - 1]
            place -= 1
        self.ranking[0] = i
        self.line[0] = self.moves[i]
        self.length = max(self.searcher.pv_length[1], 1)
        for ply in range(1, self.length):
            self.line[ply] = self.searcher.pv[256 + ply]
