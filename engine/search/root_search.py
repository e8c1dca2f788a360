"""The root moves of one thread: iterative deepening, MultiPV, aspiration windows, principal variation search.

The first thread goes from depth to depth with `deepen`, which yields what it finds. Helper threads and
self-play go through all their depths without the interpreter lock: threads that took it for each root move
would wait for one another.
"""

from collections.abc import Iterator, Sequence

import cython

from engine.board.movegen import MoveStack
from engine.board.position import Position
from engine.search.alphabeta import Searcher
from engine.search.report import Bound, Finding, Iteration, Progress, Variation

if not cython.compiled:
    from engine.search.constants import (
        EXACT,
        FIRST_WINDOW_DEPTH,
        INFINITE,
        LOWER,
        MATE_BOUND,
        MAX_DEPTH,
        MAX_PLY,
        PLIES,
        TABLEBASE_BOUND,
        UPPER,
        WIDEST_WINDOW,
    )
    from engine.search.ordering import preference
    from engine.system.control import now as read_clock

    PAIRS = 4

BLOCKS = [2, 3, 4, 1]
"""Helpers 1 and 2 search 2 depths and skip 2, by turns; helpers 3 and 4 do so with 3 depths, and so on; from
the ninth on it begins again. Of a pair each searches what the other skips. A helper that skips a depth is
soon ahead of the first thread, which then finds more of its work done in the table."""


def skips(number: int, depth: int) -> bool:
    """Whether helper `number`, from 1, leaves out a depth."""
    pair = (number - 1) // 2
    second = (number - 1) % 2
    return (depth // BLOCKS[pair % PAIRS] + second) % 2 == 1


class RootSearch:
    """One thread's search of the root moves; those in the first places are the best so far, best first.

    What is known of each move is a `Variation`. After `begin`, either `deepen` or `help`.
    """

    def __init__(self, searcher: Searcher) -> None:
        self.searcher = searcher
        self.lines = 1
        self.count = 0
        self.moves = [0] * 256
        self.preferences = [0] * 256
        self.nodes = [0] * 256
        self.scores = [0] * 256
        self.bounds = [0] * 256
        self.depths = [0] * 256
        self.lengths = [0] * 256
        self.variations = [0] * 65536
        self.ranking = [0] * 256
        self.candidates = [0] * 256
        self.depth = 0
        self.place = 0
        self.alpha = 0
        self.beta = 0
        self.width = 0
        self.mean_score = 0
        self.ceiling = 0
        self.number = 0
        self.leader = 0
        self.best_score = 0
        self.announced = False

    def begin(
        self,
        position: Position,
        moves: Sequence[int],
        lines: int = 1,
        node_limit: int | None = None,
        threads: int = 1,
    ) -> None:
        """Get ready to search for the best `lines` of these moves; the limit as in `Searcher.begin`.

        They are legal and different, at least one. At first the ones that are preferred are in front.
        """
        self.searcher.begin(position, node_limit, threads)
        self.count = len(moves)
        self.lines = min(lines, self.count)
        for i, move in enumerate(moves):
            self.moves[i] = move
        self._order()

    def take(self, stack: MoveStack, count: int) -> None:
        """The first `count` moves of a stack, for one line; the searcher has begun."""
        self.count = count
        for i in range(count):
            self.moves[i] = stack.move[i]
        self._order()

    def _order(self) -> None:
        """Nothing is known of the moves but which are preferred."""
        self.mean_score = 0
        for i in range(self.count):
            self.preferences[i] = preference(self.searcher.pos, self.moves[i], self.searcher.ms)
            self.nodes[i] = 0
            self.scores[i] = -INFINITE
            self.bounds[i] = EXACT
            self.depths[i] = 0
            self.lengths[i] = 1
            self.variations[i * PLIES] = self.moves[i]
            self._insert(self.ranking, i, self.preferences, 0, i)

    def deepen(self, max_depth: int = MAX_DEPTH, verbose_from: int = 0) -> Iterator[Finding]:
        """Search depths 1 … `max_depth`, each of which ends in one Iteration; the last one may be cut short.

        From `verbose_from` on (nanoseconds of `control.now`; 0: never) there is also a Progress before each
        root move and, if only one line is wanted, a Variation for each score outside its window.
        """
        stable_depths = 0
        for depth in range(1, max_depth + 1):
            before = self.variation(0)
            for line in range(self.lines):
                self.start_line(depth, line)
                while self.search(verbose_from):
                    yield self.progress() if self.announced else self.variation(line)
                if self.searcher.stopped:
                    self.finish_cut_short()
                    break
                self.rank_lines(line + 1)
            lines = tuple([self.variation(line) for line in range(self.lines)])
            best, same = lines[0], lines[0].move == before.move
            if self.searcher.stopped:
                changed = not same or best.score != before.score
                yield Iteration(depth if changed else depth - 1, finished=False, lines=lines)
                return
            stable_depths = stable_depths + 1 if same else 0
            fall = before.score - best.score if depth > 1 else 0
            yield Iteration(depth, True, lines, stable_depths, fall, self.share())

    def help(self, number: int) -> None:
        """Search until stopped: all depths but those that helper `number` skips."""
        with cython.nogil:
            for depth in range(1, MAX_PLY):
                if not skips(number, depth):
                    self.start_line(depth, 0)
                    self._search(0)
                    if self.searcher.stopped:
                        self.finish_cut_short()
                        break

    # What is found

    def variation(self, place: int) -> Variation:
        """What is known of the move in a place, from 0; at depth 0 it has not been searched."""
        i = self.ranking[place]
        bound = Bound.EXACT
        if self.bounds[i] != EXACT:
            bound = Bound.LOWER if self.bounds[i] == LOWER else Bound.UPPER
        moves = tuple(self.variations[i * PLIES + ply] for ply in range(self.lengths[i]))
        return Variation(moves, self.depths[i], self.scores[i], bound)

    def progress(self) -> Progress:
        """The root move about to be searched."""
        return Progress(self.depth, self.moves[self.candidates[self.place + self.number]], self.number + 1)

    def share(self) -> float:
        """The best move's share of the nodes of the last depth."""
        total = 0.0  # a float: C truncates the quotient of integers
        for i in range(self.count):
            total += self.nodes[i]
        return self.nodes[self.ranking[0]] / max(total, 1.0)

    def finish_cut_short(self) -> None:
        """After a depth that was cut short: put all lines in order, best first.

        A line that it did not reach is at most as good as its `ceiling`, whatever the depth before found. A
        move that is lost is the best only of those searched in it.
        """
        for place in range(self.place, self.lines):
            i = self.ranking[place]
            if self.scores[i] > self.ceiling and (self.depths[i] < self.depth or self.bounds[i] == UPPER):
                self.depths[i] = self.depth
                self.scores[i] = self.ceiling
                self.bounds[i] = UPPER
            if self.depths[i] == self.depth and self.scores[i] < -TABLEBASE_BOUND and self.bounds[i] == EXACT:
                self.bounds[i] = LOWER
        self.rank_lines(self.lines)

    def rank_lines(self, count: int) -> None:
        """Put the first `count` lines in order, best first; equals keep theirs."""
        for place in range(1, count):
            self._insert(self.ranking, place, self.scores, 0, self.ranking[place])

    # One line of a depth: windows, and in each the root moves

    def start_line(self, depth: int, place: int) -> None:
        """Begin to search for the best of the moves from `place` on, in a window around the last score."""
        if place == 0:
            self.searcher.new_depth(depth)
        self.depth = depth
        self.place = place
        self.alpha = -INFINITE
        self.beta = INFINITE
        self.width = self.searcher.parameters.aspiration_window
        if self.searcher.parameters.window_square:
            mean = self.mean_score
            self.width += min(mean * mean // self.searcher.parameters.window_square, 100)
        self.ceiling = self.scores[self.ranking[place - 1]] if place else INFINITE
        expected = self.scores[self.ranking[place]]
        if self.searcher.parameters.aspiration and depth >= FIRST_WINDOW_DEPTH and abs(expected) < MATE_BOUND:
            self.alpha = expected - self.width
            self.beta = expected + self.width
        if place == 0:
            self.searcher.expect(max(min(self.mean_score, 1000), -1000) if depth > 1 else 0)
        self._open_window()

    def search(self, verbose_from: int) -> bool:
        """Go on with the line until there is something to tell.

        False if the line is finished or, if the searcher is `stopped`, cut short. From `verbose_from` on
        (nanoseconds of `control.now`; 0: never) True comes before each root move, with `announced` set (see
        `progress`), and, if only one line is wanted, after each score outside its window (see `variation`).
        """
        with cython.nogil:
            tells = self._search(verbose_from)
        return tells

    def _search(self, verbose_from: int) -> bool:
        while True:
            if verbose_from and not self.announced and read_clock() > verbose_from:
                self.announced = True
                return True
            self.announced = False
            if self._search_next():
                continue
            if self.searcher.stopped or not self._widen():
                return False
            if verbose_from and self.lines == 1 and read_clock() > verbose_from:
                return True

    def _open_window(self) -> None:
        """The best move comes first, then those that took most nodes."""
        self.candidates[self.place] = self.ranking[self.place]
        first = self.place + 1
        for place in range(first, self.count):
            self._insert(self.candidates, place, self.nodes, first, self.ranking[place])
        self.number = 0
        self.leader = 0
        self.best_score = -INFINITE
        self.announced = False

    def _search_next(self) -> bool:
        """Search the next root move, fail-soft; whether another one follows in this window.

        A move that only equals the best takes its place if it is preferred: where the evaluation
        sees no difference, the more sensible move is played.
        """
        i = self.candidates[self.place + self.number]
        before = self.searcher._nodes
        ties = self.best_score > self.alpha and self.preferences[i] > self.preferences[self.leader]
        floor = max(self.alpha, self.best_score) - ties
        score = self.searcher.search_root_move(self.moves[i], floor, self.beta, self.depth, self.number)
        self.nodes[i] = self.searcher._nodes - before
        if self.searcher.stopped:
            return False
        if score > self.best_score or (ties and score == self.best_score):
            self.leader = i
            self.best_score = score
            if score > self.alpha or self.count == self.place + 1:
                self._move_to_front(i)
            elif self.number == 0:
                self._set_score(i)
        self.number += 1
        return score < self.beta and self.place + self.number < self.count

    def _widen(self) -> bool:
        """If the score lies outside the window, begin another one; False if it does not.

        If it is below alpha, beta comes down, too: to prove that a score is low takes fewer nodes with a
        lower beta.
        """
        self.width *= 4
        if self.best_score <= self.alpha:
            self.ceiling = min(self.ceiling, self.best_score)
            # A later move may be less bad than the first.
            self.scores[self.ranking[self.place]] = self.best_score
            if self.beta < INFINITE:
                self.beta = (self.alpha + self.beta) >> 1  # "// 2" would truncate in C
            self.alpha = self.best_score - self.width if self.width < WIDEST_WINDOW else -INFINITE
        elif self.best_score >= self.beta:
            self.beta = self.best_score + self.width if self.width < WIDEST_WINDOW else INFINITE
        else:
            if self.place == 0:
                found = max(min(self.best_score, 2000), -2000)
                self.mean_score = found if self.depth == 1 else self.mean_score + (3 * (found - self.mean_score) >> 3)
            return False
        self._open_window()
        return True

    def _move_to_front(self, i: int) -> None:
        """Make root move i the best from `place` on, with the line that the searcher has found after it.

        Above the window it finds none: the line known before is kept.
        """
        place = self.place
        while self.ranking[place] != i:
            place += 1
        while place > self.place:
            self.ranking[place] = self.ranking[place - 1]
            place -= 1
        self.ranking[place] = i
        if self.best_score < self.beta or self.searcher.pv_length[1] > 1:
            self.lengths[i] = max(self.searcher.pv_length[1], 1)
            for ply in range(1, self.lengths[i]):
                self.variations[i * PLIES + ply] = self.searcher.pv[PLIES + ply]
        self._set_score(i)

    def _set_score(self, i: int) -> None:
        self.depths[i] = self.depth
        self.scores[i] = self.best_score
        self.bounds[i] = EXACT
        if self.best_score <= self.alpha:
            self.bounds[i] = UPPER
        elif self.best_score >= self.beta:
            self.bounds[i] = LOWER

    def _insert(self, order: list[int], place: int, values: list[int], first: int, i: int) -> None:
        """Put i among `order[first]` … `order[place - 1]`, which fall by `values`, behind its equals."""
        while place > first and values[order[place - 1]] < values[i]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = i
