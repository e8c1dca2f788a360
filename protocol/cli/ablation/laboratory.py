"""Searching positions with one set of techniques after the other: nodes and time to each depth.

This is the search alone, in one thread: no clock is managed and nothing is remembered from the search
before, so the nodes are the same each time. Time is that of the processor, whatever else it has to do.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from queue import SimpleQueue
from statistics import geometric_mean
from threading import Thread
from time import thread_time_ns
from typing import TYPE_CHECKING

from engine.board.fen import parse_fen
from engine.board.movegen import legal_moves
from engine.board.notation import move_text
from engine.control import deadline_after
from engine.search.engine import Engine
from engine.search.report import Score
from protocol.cli.ablation.theory import branching
from protocol.cli.analysis.analyst import engine_fen

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from eval.evaluator import Evaluator
    from protocol.cli.ablation.experiment import ExperimentLimits, ExperimentPart, Variant
    from protocol.cli.suites.epd import SuitePosition

NANOSECONDS = 1_000_000_000
"""In a second."""


@dataclass(frozen=True, slots=True)
class FinishedDepth:
    """A finished depth: nodes and time since the search began, the best move and its score.

    `move` is in UCI's notation, `score` from the point of view of the side to move.
    """

    nodes: int
    nanoseconds: int
    move: str
    score: Score


class Laboratory:
    """A single-thread engine. `stop` may be called from any thread, everything else from one."""

    def __init__(self, evaluator: Evaluator, megabytes: int) -> None:
        """Raises TableError if there is no memory for the table."""
        self._engine = Engine.single(evaluator, megabytes)
        self._stopped = False

    @property
    def stopped(self) -> bool:
        """Whether `stop` was called; the last measurement may then be cut short."""
        return self._stopped

    def stop(self) -> None:
        """End the search under way, and begin no other."""
        self._stopped = True
        self._engine.control.stop()

    def measure(
        self,
        fen: str,
        variant: Variant,
        limits: ExperimentLimits,
        on_depth: Callable[[int], None],
        chess960: bool = False,
    ) -> list[FinishedDepth]:
        """The finished depths, from 1; `on_depth` is called with each."""
        engine = self._engine
        engine.parameters.reset(variant.changed)
        engine.new_game()
        engine.begin()
        if self._stopped:
            return []
        position = parse_fen(fen)
        begun = thread_time_ns()
        engine.control.set_deadline(deadline_after(limits.seconds))
        finished: list[FinishedDepth] = []
        for iteration in engine.iterations(
            position, legal_moves(position), limits.depth, node_limit=limits.nodes
        ):
            if iteration.finished:
                move, score = move_text(iteration.best.move, chess960), Score(iteration.best.score)
                finished.append(FinishedDepth(engine.nodes, thread_time_ns() - begun, move, score))
                on_depth(iteration.depth)
        return finished


class VariantResult:
    """The measurements of one search in all positions.

    Nodes and seconds are geometric means over the positions: so each position has the same weight, and the
    ratio of two means is the mean of the ratios.
    """

    def __init__(
        self,
        variant: Variant,
        positions: Sequence[SuitePosition],
        measured: Sequence[Sequence[FinishedDepth]],
    ) -> None:
        """`measured` has the finished depths of each position, from 1."""
        self.variant = variant
        self.positions = positions
        self.measured = measured
        self.depth = min(len(finished) for finished in measured)
        """The deepest depth finished in all positions; 0 if there is none."""

    def nodes(self, depth: int) -> float:
        """Nodes to that depth, including the depths before it."""
        return geometric_mean(finished[depth - 1].nodes for finished in self.measured)

    def seconds(self, depth: int) -> float:
        """Processor time to that depth, including the depths before it."""
        times = (max(finished[depth - 1].nanoseconds, 1) for finished in self.measured)
        return geometric_mean(times) / NANOSECONDS

    @property
    def branching(self) -> float | None:
        """The effective branching factor; None with fewer than two depths."""
        return branching([self.nodes(depth) for depth in range(1, self.depth + 1)])

    @property
    def found(self) -> int:
        """In how many positions the best move at `depth` is a solution."""
        if not self.depth:
            return 0
        return sum(
            position.is_answered_by(
                position.board.parse_uci(finished[self.depth - 1].move),
                finished[self.depth - 1].score.mate(),
            )
            for position, finished in zip(self.positions, self.measured, strict=True)
        )

    def ratios(self, other: VariantResult) -> tuple[float, float] | None:
        """Nodes and time relative to `other`, at the deepest depth of both; None if there is none."""
        depth = min(self.depth, other.depth)
        if not depth:
            return None
        return self.nodes(depth) / other.nodes(depth), self.seconds(depth) / other.seconds(depth)


@dataclass(frozen=True, slots=True)
class AblationProgress:
    """`number` positions of this part are done, and `depth` plies of the next one."""

    variant: Variant
    number: int
    depth: int


_Event = AblationProgress | VariantResult | BaseException | None


class Ablation:
    """Runs the parts of an experiment in a thread of its own, so that Ctrl-C is noticed."""

    def __init__(self, laboratory: Laboratory, positions: Sequence[SuitePosition]) -> None:
        self._laboratory = laboratory
        self._positions = positions
        self._fens = [engine_fen(position.board) for position in positions]

    def measure(self, part: ExperimentPart) -> Generator[AblationProgress | VariantResult, None, None]:
        """Progress and results, as they come. Ends early when the laboratory is stopped; closing stops it.

        Raises any error of a search.
        """
        events: SimpleQueue[_Event] = SimpleQueue()
        thread = Thread(target=self._work, args=(part, events), name="ablate", daemon=True)
        thread.start()
        ended = False
        try:
            while (event := events.get()) is not None:
                if isinstance(event, BaseException):
                    raise event
                yield event
            ended = True
        finally:
            if not ended:
                self._laboratory.stop()
            thread.join()

    def _work(self, part: ExperimentPart, events: SimpleQueue[_Event]) -> None:
        try:
            for row, variant in enumerate(part.variants):
                result = self._result(variant, part.limits, row * len(self._positions), events)
                if result is None:
                    break
                events.put(result)
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            events.put(error)
        finally:
            events.put(None)

    def _result(
        self, variant: Variant, limits: ExperimentLimits, done: int, events: SimpleQueue[_Event]
    ) -> VariantResult | None:
        """The results of one search; None after a stop."""
        measured = []
        for number, (position, fen) in enumerate(zip(self._positions, self._fens, strict=True), done):
            events.put(AblationProgress(variant, number, 0))
            on_depth = partial(_report, events, variant, number)
            measured.append(self._laboratory.measure(fen, variant, limits, on_depth, position.board.chess960))
            if self._laboratory.stopped:
                return None
        return VariantResult(variant, self._positions, measured)


def _report(events: SimpleQueue[_Event], variant: Variant, number: int, depth: int) -> None:
    events.put(AblationProgress(variant, number, depth))
