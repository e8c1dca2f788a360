"""The games that a network learns from, played by threads of this process."""

from __future__ import annotations

import queue
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

from scripts.laboratory.policy.examples import examples_of
from scripts.laboratory.policy.side_by_side import GamesSideBySide

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Future

    from engine.games.rules.compiled_state import CompiledState
    from scripts.laboratory.policy.float_network import Parameters
    from scripts.laboratory.policy.game_records import PolicyGame
    from scripts.laboratory.policy.learning_loop import FoundGame, LoopPlan, PolicyLearner
    from scripts.laboratory.policy.lockstep import LeafEvaluator

SWITCH = 0.0005
"""Seconds after which a thread should let another have Python's lock, where threads play."""
_PATIENCE = 0.002  # seconds between looks whether to go on


class ThreadGames:
    """The games of one thread, until `ended`, and not while it `waits`."""

    def __init__(
        self,
        first: CompiledState,
        plan: LoopPlan,
        seed: int,
        evaluator: LeafEvaluator,
        records: queue.SimpleQueue[PolicyGame],
    ) -> None:
        self._records = records
        self.ended = self.waits = False
        self.games = GamesSideBySide(first, plan.search, plan.play, seed, evaluator)

    def play(self) -> None:
        """Play, and put the games that have ended into the queue."""
        while not self.ended:
            if self.waits:
                time.sleep(_PATIENCE)
                continue
            for record in self.games.step():
                self._records.put(record)


class PlayingThreads:
    """See SelfPlaySource: a thread for each evaluator, with as many games as that has rows."""

    processor = 0.0  # seconds: this process counts its own

    def __init__(
        self, first: CompiledState, plan: LoopPlan, seed: int, evaluators: Sequence[LeafEvaluator]
    ) -> None:
        self._first, self._plan, self._seed = first, plan, seed
        self._evaluators = evaluators
        self._records: queue.SimpleQueue[PolicyGame] = queue.SimpleQueue()
        self._threads: list[ThreadGames] = []
        self._pool = ThreadPoolExecutor(len(evaluators))
        self._playing: list[Future[None]] = []

    @property
    def evaluated(self) -> int:
        """See SelfPlaySource."""
        return sum(thread.games.evaluated for thread in self._threads)

    def start(self) -> None:
        """See SelfPlaySource."""
        for i, evaluator in enumerate(self._evaluators):
            seed = self._seed * 1000 + i
            self._threads.append(ThreadGames(self._first, self._plan, seed, evaluator, self._records))
        self._playing = [self._pool.submit(thread.play) for thread in self._threads]

    def stop(self) -> None:
        """See SelfPlaySource."""
        for thread in self._threads:
            thread.ended = True
        self._pool.shutdown()
        self._playing = []

    def take(self, most: int) -> list[FoundGame]:
        """See SelfPlaySource. Raises what a thread has raised."""
        searched = self._plan.searched
        return [(record, examples_of(record, self._first, searched)) for record in self.take_records(most)]

    def take_records(self, most: int) -> list[PolicyGame]:
        """As `take`, without what there is to learn from them."""
        for playing in self._playing:
            if playing.done():
                playing.result()
        return [self._records.get() for _ in range(min(most, self._records.qsize()))]

    def pass_on(self, learner: PolicyLearner) -> None:
        """See SelfPlaySource."""
        self.use(learner.parameters())

    def use(self, weights: Parameters) -> None:
        """Go on with these weights."""
        for evaluator in self._evaluators:
            evaluator.replace(weights)

    def set_playouts(self, full: int, fast: int) -> None:
        """See SelfPlaySource."""
        self._plan = replace(self._plan, play=replace(self._plan.play, full=full, fast=fast))
        for thread in self._threads:
            thread.games.set_playouts(full, fast)

    def hold_back(self, behind: bool) -> None:
        """Let every second thread wait: all would leave learning too little time."""
        for thread in self._threads[1::2]:
            thread.waits = behind
