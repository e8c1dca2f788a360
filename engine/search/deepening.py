"""Iterative deepening over the root moves: one depth after another, the best line first."""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf

from engine.board.movegen import MoveStack
from engine.board.position import Position
from engine.clock import now
from engine.search.alphabeta import Searcher
from engine.search.constants import (
    FIRST_WINDOW_DEPTH,
    INFINITE,
    MATE_BOUND,
    MAX_PLY,
    TABLEBASE_BOUND,
    WIDEST_WINDOW,
)
from engine.search.parameters import Parameters
from engine.search.preference import preference
from engine.search.report import Bound, Progress

MAX_DEPTH = MAX_PLY - 1


@dataclass(frozen=True, slots=True)
class Variation:
    """A line of play, beginning with a root move, and its score in the deepest search that it was best in.

    `score` is in centipawns from the root side's point of view, and `bound` says how it is meant. Where that
    is UPPER, the score bounds those of all root moves, and `moves` come from an earlier depth unless there is
    only one root move. At `depth` 0 nothing was searched.
    """

    moves: tuple[int, ...]
    depth: int = 0
    score: int = -INFINITE
    bound: Bound = Bound.EXACT

    @property
    def move(self) -> int:
        """The root move."""
        return self.moves[0]


@dataclass(frozen=True, slots=True)
class Iteration:
    """What is known when a depth is finished, or was cut short: the best `lines`, best first.

    A depth that was cut short is not `finished`: only the moves searched so far have counted, and if they did
    not change the best line, `depth` is still the one before. For a finished one `stable_depths` counts the
    depths before it that had the same best move without a break, `fall` is by how many centipawns the score
    is lower than in the depth before, and `share` is the best move's share of this depth's nodes.
    """

    depth: int
    finished: bool
    lines: tuple[Variation, ...]
    stable_depths: int = 0
    fall: int = 0
    share: float = 0.0

    @property
    def best(self) -> Variation:
        """The line to play if the search ended here."""
        return self.lines[0]


Finding = Iteration | Variation | Progress
"""A depth; the best line whose score lies outside its window; the root move about to be searched."""


class RootMove:
    """A move at the root with its latest `variation`; `nodes` were spent on it in the last depth."""

    __slots__ = ("move", "nodes", "preference", "variation")

    def __init__(self, move: int, preferred_by: int) -> None:
        self.move = move
        self.preference = preferred_by
        self.variation = Variation((move,))
        self.nodes = 0


class Deepening:
    """One thread's search from the root, depth by depth.

    `moves` are kept in order: the first `lines` are the best so far.
    """

    def __init__(
        self,
        searcher: Searcher,
        position: Position,
        moves: Sequence[int],
        parameters: Parameters,
        lines: int = 1,
        verbose_from: float = inf,
    ) -> None:
        """`verbose_from`: when, in nanoseconds of `clock.now`, moves and bounds begin to be yielded."""
        self.searcher = searcher
        position, stack = position.copy(), MoveStack()
        self.moves = [RootMove(move, preference(position, move, stack)) for move in moves]
        self.moves.sort(key=lambda root_move: -root_move.preference)
        self.lines = min(lines, len(self.moves))
        self._parameters = parameters
        self._verbose_from = verbose_from

    def run(self, max_depth: int = MAX_DEPTH) -> Iterator[Finding]:
        """Search depths 1 … `max_depth`, each of which ends in one Iteration.

        The last one may be cut short. From `verbose_from` on there is also a Progress before each root move
        and, if only one line is wanted, a Variation for each score outside its window.
        """
        stable_depths = 0
        for depth in range(1, max_depth + 1):
            before = self.moves[0].variation
            self.searcher.begin_depth(depth)
            for line in range(self.lines):
                yield from self._search_line(depth, line)
                if self.searcher.unwinding:
                    self._doubt(self.moves[line], depth)
                    break
                self._rank_lines(line + 1)
            lines = tuple(root_move.variation for root_move in self.moves[: self.lines])
            best, same = lines[0], lines[0].move == before.move
            if self.searcher.unwinding:
                changed = not same or best.score != before.score
                yield Iteration(depth if changed else depth - 1, finished=False, lines=lines)
                return
            stable_depths = stable_depths + 1 if same else 0
            fall = before.score - best.score if depth > 1 else 0
            share = self.moves[0].nodes / max(sum(each.nodes for each in self.moves), 1)
            yield Iteration(depth, True, lines, stable_depths, fall, share)

    def _doubt(self, cut_short: RootMove, depth: int) -> None:
        """A move that is lost is the best only of those searched: others may not be."""
        last = cut_short.variation
        if last.depth == depth and last.score < -TABLEBASE_BOUND and last.bound is Bound.EXACT:
            cut_short.variation = replace(last, bound=Bound.LOWER)

    def _rank_lines(self, count: int) -> None:
        """Put the first `count` lines, finished in this depth, in order, best first; equals keep theirs."""
        self.moves[:count] = sorted(self.moves[:count], key=lambda root_move: -root_move.variation.score)

    def _search_line(self, depth: int, line: int) -> Iterator[Finding]:
        """Aspiration windows: find the best of the moves from `line` on in a window around the last score.

        The window is widened until it holds the score. If that is below alpha, beta comes down, too: to prove
        that a score is low takes fewer nodes with a lower beta.
        """
        expected = self.moves[line].variation.score
        alpha, beta = -INFINITE, INFINITE
        width = self._parameters.aspiration_window
        if self._parameters.aspiration and depth >= FIRST_WINDOW_DEPTH and abs(expected) < MATE_BOUND:
            alpha, beta = expected - width, expected + width
        while True:
            score = yield from self._search_moves(depth, line, alpha, beta)
            if self.searcher.unwinding:
                return
            width *= 4
            best = self.moves[line]
            if score <= alpha:
                best.variation = replace(best.variation, score=score)  # a later move may be less bad
                if beta < INFINITE:
                    beta = (alpha + beta) // 2
                alpha = score - width if width < WIDEST_WINDOW else -INFINITE
            elif score >= beta:
                beta = score + width if width < WIDEST_WINDOW else INFINITE
            else:
                return
            if self.lines == 1 and now() > self._verbose_from:
                yield best.variation

    def _search_moves(self, depth: int, line: int, alpha: int, beta: int) -> Generator[Finding, None, int]:
        """Principal variation search over the root moves from `line` on; returns the score, fail-soft.

        A move that only equals the best takes its place if it is preferred: where the evaluation
        sees no difference, the more sensible move is played.
        """
        candidates = [self.moves[line], *sorted(self.moves[line + 1 :], key=lambda each: -each.nodes)]
        best: RootMove | None = None
        best_score = -INFINITE
        for number, each in enumerate(candidates):
            if now() > self._verbose_from:
                yield Progress(depth, each.move, number + 1)
            nodes = self.searcher.nodes
            ties = best is not None and best_score > alpha and each.preference > best.preference
            floor = max(alpha, best_score) - ties
            score = self.searcher.examine(each.move, floor, beta, depth, number)
            each.nodes = self.searcher.nodes - nodes
            if self.searcher.unwinding:
                return best_score
            if score > best_score or (ties and score == best_score):
                best, best_score = each, score
                if score > alpha or len(candidates) == 1:
                    self._promote(each, depth, line, score, alpha, beta)
                elif number == 0:
                    each.variation = Variation(each.variation.moves, depth, score, Bound.UPPER)
            if score >= beta:
                break
        return best_score

    def _promote(self, each: RootMove, depth: int, line: int, score: int, alpha: int, beta: int) -> None:
        """Make a move the best from `line` on."""
        bound = Bound.UPPER if score <= alpha else Bound.LOWER if score >= beta else Bound.EXACT
        each.variation = Variation((each.move, *self.searcher.line()), depth, score, bound)
        self.moves.remove(each)
        self.moves.insert(line, each)
