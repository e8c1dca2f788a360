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
from engine.control import deadline_after
from engine.search.engine import Engine
from engine.search.report import Score

if TYPE_CHECKING:
    from collections.abc import Callable

    from eval.evaluator import Evaluator
    from protocol.cli.ablation.variants import Variant


@dataclass(frozen=True, slots=True)
class Effort:
    """How far to go in a position: to this depth, unless so many nodes or seconds are spent before."""

    depth: int
    nodes: int | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """A depth that was finished: what it took since the search began, and what came of it.

    `move` is in UCI's notation, `score` from the point of view of the side to move.
    """

    nodes: int
    nanoseconds: int
    move: str
    score: Score


class Laboratory:
    """A single-thread engine. `stop` may be called from any thread, everything else from one."""

    def __init__(self, evaluator: Evaluator, megabytes: int) -> None:
        """Raises TableError where there is no memory for the table."""
        self._engine = Engine.single(evaluator, megabytes)
        self._stopped = False

    @property
    def stopped(self) -> bool:
        """Whether `stop` has been called; what was measured last may then have been cut short."""
        return self._stopped

    def stop(self) -> None:
        """End the search under way; none is begun any more."""
        self._stopped = True
        self._engine.control.stop()

    def measure(
        self,
        fen: str,
        variant: Variant,
        effort: Effort,
        on_depth: Callable[[int], None],
        chess960: bool = False,
    ) -> list[Finished]:
        """The depths that were finished, from 1; `on_depth` hears of each."""
        engine = self._engine
        engine.parameters.reset(variant.changed)
        engine.new_game()
        engine.begin()
        if self._stopped:
            return []
        position = parse_fen(fen)
        begun = thread_time_ns()
        engine.control.set_deadline(deadline_after(effort.seconds))
        finished: list[Finished] = []
        for iteration in engine.iterations(
            position, legal_moves(position), effort.depth, node_limit=effort.nodes
        ):
            if iteration.finished:
                move, score = move_text(iteration.best.move, chess960), Score(iteration.best.score)
                finished.append(Finished(engine.nodes, thread_time_ns() - begun, move, score))
                on_depth(iteration.depth)
        return finished
