"""Learning while many games go on side by side: threads play, this thread learns.

What learns and what evaluates are given: NumPy and the processor, or PyTorch and a GPU.
"""

from __future__ import annotations

import queue
import threading
import time
from dataclasses import dataclass, field, replace
from math import cos, pi
from typing import TYPE_CHECKING, Any, Protocol

from engine.games.compiled.puct import PuctOptions
from engine.games.compiled.puct_games import PuctGames, PuctGamesOptions
from scripts.laboratory.policy.examples import examples_of, joined
from scripts.laboratory.policy.float_network import flat
from scripts.laboratory.policy.game_records import PolicyGame

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine.games.rules.compiled_state import CompiledState
    from scripts.laboratory.policy.examples import PolicyExamples
    from scripts.laboratory.policy.float_network import Parameters
    from scripts.laboratory.policy.learner_state import LearnerState
    from scripts.laboratory.policy.lockstep import LeafEvaluator

_PATIENCE = 0.002  # seconds to wait for games where there is nothing to learn
_LAST_WAIT = 30.0  # seconds for threads to end
_PARTS = 200  # games whose examples are taken at a time
_BEHIND = 20  # steps that are due, with which learning is behind
_STEPS = 20  # after which those who play get the new weights


class PolicyLearner(Protocol):
    """A network that learns, and the window of examples that it learns from."""

    @property
    def added(self) -> int:
        """Examples so far."""

    def add(self, examples: PolicyExamples) -> None:
        """Let examples take the places of the oldest."""

    def learn(self, count: int, latest: int, rate: float) -> Any:
        """A step on `count` examples among the `latest`, each turned or mirrored at random; the losses."""

    def mean(self, losses: Sequence[Any]) -> list[float]:
        """The means of what `learn` has returned: the losses of the policy and the value, and others."""

    def parameters(self) -> Parameters:
        """The weights as they play."""

    def state(self) -> LearnerState:
        """What it needs to go on later, the examples not counted."""

    def restore(self, state: LearnerState) -> None:
        """Go on from what `state` has returned."""

    def pass_on(self, evaluators: Sequence[Any]) -> None:
        """Let evaluators go on with these weights."""


@dataclass(frozen=True)
class LoopPlan:
    """How to learn.

    - `seconds`: of playing and learning; `processor`: of processor time, that of all threads, not of the
      clock on the wall
    - `batch`, `uses`: examples of a step, and how often an example is learned from on average
    - `window`, `least`: the latest examples to learn from, and how many there must be before the first step
    - `rate`, `last_rate`: of learning, and at the end of the second half
    - `searched`: the part of the search's value in what the value learns
    - `first_playouts`, `early`: playouts in full of the first part of the time, whatever `play` says
    """

    seconds: float
    processor: bool = False
    play: PuctGamesOptions = field(default_factory=PuctGamesOptions)
    search: PuctOptions = field(default_factory=lambda: PuctOptions(batch=1, megabytes=1))
    batch: int = 1024
    uses: float = 10.0
    window: int = 400_000
    least: int = 10_000
    rate: float = 2e-3
    last_rate: float = 1e-4
    searched: float = 0.25
    first_playouts: int = 32
    early: float = 0.08
    report_every: float = 15.0


class PlayingThread(threading.Thread):
    """Plays games and puts their records and examples into a queue."""

    def __init__(
        self,
        first: CompiledState,
        plan: LoopPlan,
        seed: int,
        evaluator: LeafEvaluator,
        games: queue.SimpleQueue[tuple[PolicyGame, PolicyExamples]],
    ) -> None:
        super().__init__(daemon=True)
        self._first = first
        self._plan = plan
        self._evaluator = evaluator
        self._queue = games
        self.ended = self.waits = False
        self.evaluated = 0
        self.error: BaseException | None = None
        self._games = PuctGames(first, len(evaluator.values), seed, plan.search, plan.play)

    def set_playouts(self, full: int, fast: int) -> None:
        """From the next move of each game on."""
        self._games.set_playouts(full, fast)

    def run(self) -> None:
        """Play until `ended`, and not while it `waits`."""
        try:
            self._run()
        except BaseException as error:  # noqa: BLE001 - the learning thread raises it
            self.error = error

    def _run(self) -> None:
        evaluator = self._evaluator
        planes, policy, values = flat((evaluator.planes, evaluator.policy, evaluator.values))
        while not self.ended:
            if self.waits:
                time.sleep(_PATIENCE)
                continue
            if count := self._games.gather(planes):
                evaluator.evaluate(count)
                self._games.absorb(policy, values)
                self.evaluated += count
            if self._games.finished:
                for played in self._games.take_games():
                    record = PolicyGame.of(played)
                    self._queue.put((record, examples_of(record, self._first, self._plan.searched)))


class LearningLoop:
    """Games that go on in threads, and a network that learns from them meanwhile."""

    def __init__(
        self,
        first: CompiledState,
        plan: LoopPlan,
        seed: int,
        learner: PolicyLearner,
        evaluators: Sequence[LeafEvaluator],
    ) -> None:
        """One thread for each evaluator, with as many games as that has rows."""
        self.learner = learner
        self.games = self.plies = self.steps = 0
        self.seconds = 0.0
        self._plan = plan
        self._found: queue.SimpleQueue[tuple[PolicyGame, PolicyExamples]] = queue.SimpleQueue()
        self._evaluators = evaluators
        early = replace(plan, play=_sparing(plan))
        self._threads = [
            PlayingThread(first, early, seed * 1000 + i, evaluator, self._found)
            for i, evaluator in enumerate(evaluators)
        ]
        self._losses: list[Any] = []

    def run(
        self,
        report: Callable[[dict[str, Any]], None],
        record: Callable[[PolicyGame], None],
        spent: float = 0.0,
    ) -> None:
        """Play and learn for the time of the plan, less what was `spent` of it before.

        Every now and then `report` is told how it goes. Exceptions, KeyboardInterrupt too, end all threads.
        """
        for thread in self._threads:
            thread.start()
        try:
            self._run(report, record, spent)
        finally:
            for thread in self._threads:
                thread.ended = True
            for thread in self._threads:
                thread.join(_LAST_WAIT)
            while not self._found.empty():
                self._add_found(record)

    def go_on(self, games: int, plies: int, steps: int) -> None:
        """Count on from what there was before; the learner has the examples of these games already."""
        self.games, self.plies, self.steps = games, plies, steps

    def _run(
        self, report: Callable[[dict[str, Any]], None], record: Callable[[PolicyGame], None], spent: float
    ) -> None:
        plan, now_of = self._plan, time.process_time if self._plan.processor else time.monotonic
        reported = now_of()
        began = reported - spent
        before = self._counts()
        while (now := now_of()) - began < plan.seconds:
            self.seconds = now - began
            done = self.seconds / plan.seconds
            self._look_after_threads(done)
            self._add_found(record)
            ready = self.learner.added >= plan.least
            behind = plan.uses * self.learner.added - self.steps * plan.batch
            self._let_play(not ready or behind < _BEHIND * plan.batch)
            if ready and behind > 0:
                self._learn(rate_at(plan, done))
            else:
                time.sleep(_PATIENCE)
            if now - reported > plan.report_every:
                found = {"seconds": round(self.seconds, 1), "rate": rate_at(plan, done)}
                report(found | self._news(before, now - reported))
                reported, before = now_of(), self._counts()
        self.seconds = now - began

    def _let_play(self, all_of_them: bool) -> None:
        """Let every second thread wait while learning is behind: all would leave it too little time."""
        for thread in self._threads[1::2]:
            thread.waits = not all_of_them

    def _look_after_threads(self, done: float) -> None:
        """Raise what a thread has raised; after the first games, let all think longer."""
        for thread in self._threads:
            if thread.error:
                raise thread.error
            if done > self._plan.early:
                thread.set_playouts(self._plan.play.full, self._plan.play.fast)

    def _add_found(self, record: Callable[[PolicyGame], None]) -> None:
        """Take what the threads have found since the last time."""
        parts: list[PolicyExamples] = []
        while not self._found.empty() and len(parts) < _PARTS:
            game, examples = self._found.get()
            record(game)
            self.games += 1
            self.plies += len(game.moves)
            if len(examples):
                parts.append(examples)
        if parts:
            self.learner.add(joined(parts))

    def _learn(self, rate: float) -> None:
        """A step; now and then those who play get the new weights."""
        plan = self._plan
        latest = max(plan.least, self.learner.added // 2)
        self._losses.append(self.learner.learn(plan.batch, latest, rate))
        self.steps += 1
        if self.steps % _STEPS == 0:
            self.learner.pass_on(self._evaluators)

    def _counts(self) -> tuple[int, int]:
        """Games, and positions evaluated."""
        return self.games, sum(thread.evaluated for thread in self._threads)

    def _news(self, before: tuple[int, int], seconds: float) -> dict[str, Any]:
        """What has happened since the last report."""
        games, evaluated = self._counts()
        losses = self.learner.mean(self._losses) if self._losses else []
        self._losses = []
        return {
            "games": games,
            "games a second": round((games - before[0]) / seconds, 1),
            "plies a game": round(self.plies / max(games, 1), 1),
            "evaluated a second": round((evaluated - before[1]) / seconds),
            "examples": self.learner.added,
            "steps": self.steps,
            "losses": [round(loss, 4) for loss in losses],
        }


def rate_at(plan: LoopPlan, done: float) -> float:
    """The rate of learning when a part of the time has gone by: constant, then down half a cosine."""
    down = max(0.0, (done - 0.5) / 0.5)
    return plan.last_rate + (plan.rate - plan.last_rate) * (1 + cos(pi * min(down, 1.0))) / 2


def _sparing(plan: LoopPlan) -> PuctGamesOptions:
    """The options of the first games: few playouts, since the network knows nothing."""
    full = min(plan.first_playouts, plan.play.full)
    return replace(plan.play, full=full, fast=min(max(full // 4, 1), plan.play.fast))
