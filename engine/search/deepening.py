"""Iterative deepening over the root moves: one depth after another, the best line first."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.search.alphabeta import Searcher
from engine.search.constants import MAX_PLY
from engine.search.report import Progress, Variation
from engine.search.root_search import RootSearch

MAX_DEPTH = MAX_PLY - 1


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


class Deepening:
    """One thread's search from the root, depth by depth, telling what it finds."""

    def __init__(
        self, searcher: Searcher, moves: Sequence[int], lines: int = 1, verbose_from: int = 0
    ) -> None:
        """Search for the best `lines` of the root moves; the searcher has begun (`Searcher.begin`).

        `verbose_from`: when, in nanoseconds of `clock.now`, moves and bounds begin to be yielded; 0: never.
        """
        self.searcher = searcher
        self.root = RootSearch(searcher)
        self.root.begin(moves, lines)
        self._verbose_from = verbose_from

    def run(self, max_depth: int = MAX_DEPTH) -> Iterator[Finding]:
        """Search depths 1 … `max_depth`, each of which ends in one Iteration.

        The last one may be cut short. From `verbose_from` on there is also a Progress before each root move
        and, if only one line is wanted, a Variation for each score outside its window.
        """
        stable_depths = 0
        for depth in range(1, max_depth + 1):
            before = self.root.variation(0)
            for line in range(self.root.lines):
                yield from self._search_line(depth, line)
                if self.searcher.unwinding:
                    self.root.settle()
                    break
                self.root.rank_lines(line + 1)
            lines = tuple(self.root.variation(line) for line in range(self.root.lines))
            best, same = lines[0], lines[0].move == before.move
            if self.searcher.unwinding:
                changed = not same or best.score != before.score
                yield Iteration(depth if changed else depth - 1, finished=False, lines=lines)
                return
            stable_depths = stable_depths + 1 if same else 0
            fall = before.score - best.score if depth > 1 else 0
            yield Iteration(depth, True, lines, stable_depths, fall, self.root.share())

    def _search_line(self, depth: int, line: int) -> Iterator[Finding]:
        """Find the best of the moves from `line` on."""
        self.root.begin_line(depth, line)
        while self.root.search(self._verbose_from):
            yield self.root.progress() if self.root.announced else self.root.variation(line)
