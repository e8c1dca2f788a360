"""Searching one position by one set of techniques: how many nodes and how long to each depth.

This is the search alone, as one thread goes through it: no clock is managed, and nothing is left from the
search before, so the nodes are the same each time. Time is the processor's, whatever else it has to do.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import thread_time_ns
from typing import TYPE_CHECKING

from engine.board.fen import parse_fen
from engine.board.movegen import legal_moves
from engine.board.notation import move_text
from engine.control import Control, deadline_after
from engine.search.alphabeta import Searcher
from engine.search.deepening import Deepening
from engine.search.parameters import Parameters
from engine.search.report import Score
from engine.search.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from eval.evaluator import Evaluator
    from protocol.cli.ablation.variants import Variant


@dataclass(frozen=True, slots=True)
class ExperimentLimits:
    """How far to go in a position: to this depth, unless so many nodes or seconds are spent before."""

    depth: int
    nodes: int | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class FinishedDepth:
    """A depth that was finished: what it took since the search began, and what came of it.

    `move` is in UCI's notation, `score` from the point of view of the side to move.
    """

    nodes: int
    nanoseconds: int
    move: str
    score: Score


class Laboratory:
    """One searcher. `stop` is for any thread, everything else for one."""

    def __init__(self, evaluator: Evaluator, megabytes: int) -> None:
        """Raises TableError where there is no memory for the table."""
        self._use = Parameters()
        self._control = Control()
        self._table = Table(megabytes)
        self._searcher = Searcher(self._table, self._control, evaluator, self._use)
        self._stopped = False

    @property
    def stopped(self) -> bool:
        """Whether `stop` has been called; what was measured last may then have been cut short."""
        return self._stopped

    def stop(self) -> None:
        """End the search under way; none is begun any more."""
        self._stopped = True
        self._control.stop()

    def measure(
        self,
        fen: str,
        variant: Variant,
        effort: ExperimentLimits,
        on_depth: Callable[[int], None],
        chess960: bool = False,
    ) -> list[FinishedDepth]:
        """The depths that were finished, from 1; `on_depth` hears of each."""
        self._use.reset(variant.changed)
        self._table.clear()
        self._searcher.forget_moves()
        self._searcher.forget_positions()
        self._control.begin()
        if self._stopped:
            return []
        position = parse_fen(fen)
        begun = thread_time_ns()
        self._control.set_deadline(deadline_after(effort.seconds))
        self._searcher.begin(position, effort.nodes)
        deepening = Deepening(self._searcher, position, legal_moves(position), self._use)
        finished: list[FinishedDepth] = []
        for depth in deepening.run(effort.depth):
            if deepening.finished:
                best = deepening.best
                move, score = move_text(best.move, chess960), Score(best.score)
                finished.append(FinishedDepth(self._searcher.nodes, thread_time_ns() - begun, move, score))
                on_depth(depth)
        return finished
