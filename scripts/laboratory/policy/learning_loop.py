"""Learning while many games go on side by side: others play, this thread learns.

What learns and who plays are given: NumPy and the processor, or PyTorch and a GPU; threads, a process of its
own, or a cluster.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from math import cos, pi
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from engine.games.compiled.puct import PuctOptions
from engine.games.compiled.puct_games import PuctGamesOptions
from scripts.laboratory.policy.examples import PolicyExamples, joined
from scripts.laboratory.policy.game_records import PolicyGame

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scripts.laboratory.policy.float_network import Parameters
    from scripts.laboratory.policy.learner_state import LearnerState

FoundGame: TypeAlias = tuple[PolicyGame, PolicyExamples]
"""A game, and what there is to learn from it."""

_PATIENCE = 0.002  # seconds to wait for games where there is nothing to learn
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


class SelfPlaySource(Protocol):
    """Plays games with the network that learns."""

    @property
    def evaluated(self) -> int:
        """Positions so far."""

    @property
    def processor(self) -> float:
        """Seconds of processor time so far, outside of this process."""

    def start(self) -> None:
        """Begin to play."""

    def stop(self) -> None:
        """End; what was found can still be taken."""

    def take(self, most: int) -> list[FoundGame]:
        """Up to `most` of the games that were found. Before `stop`, raises what has ended the playing."""

    def pass_on(self, learner: PolicyLearner) -> None:
        """Go on with the learner's weights."""

    def set_playouts(self, full: int, fast: int) -> None:
        """Those of the moves that follow; see PuctGamesOptions."""

    def hold_back(self, behind: bool) -> None:
        """Leave learning more time while it is behind, where it shares its processors with the games."""


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


class LearningLoop:
    """Games that others play, and a network that learns from them meanwhile."""

    def __init__(self, plan: LoopPlan, learner: PolicyLearner, source: SelfPlaySource) -> None:
        self.learner = learner
        self.games = self.plies = self.steps = 0
        self.seconds = 0.0
        self._plan = plan
        self._source = source
        self._losses: list[Any] = []

    def run(
        self,
        report: Callable[[dict[str, Any]], None],
        record: Callable[[PolicyGame], None],
        spent: float = 0.0,
    ) -> None:
        """Play and learn for the time of the plan, less what was `spent` of it before.

        Every now and then `report` is told how it goes. Exceptions, KeyboardInterrupt too, end the playing;
        games that were found by then are recorded.
        """
        self._source.set_playouts(*playouts_at(self._plan, spent / self._plan.seconds))
        self._source.start()
        try:
            self._run(report, record, spent)
        finally:
            self._source.stop()
            while self._add_found(record):
                pass

    def go_on(self, games: int, plies: int, steps: int) -> None:
        """Count on from what there was before; the learner has the examples of these games already."""
        self.games, self.plies, self.steps = games, plies, steps

    def _run(
        self, report: Callable[[dict[str, Any]], None], record: Callable[[PolicyGame], None], spent: float
    ) -> None:
        plan = self._plan
        reported = self._now()
        began = reported - spent
        before = self._counts()
        while (now := self._now()) - began < plan.seconds:
            self.seconds = now - began
            done = self.seconds / plan.seconds
            self._source.set_playouts(*playouts_at(plan, done))
            self._add_found(record)
            ready = self.learner.added >= plan.least
            behind = plan.uses * self.learner.added - self.steps * plan.batch
            self._source.hold_back(ready and behind >= _BEHIND * plan.batch)
            if ready and behind > 0:
                self._learn(rate_at(plan, done))
            else:
                time.sleep(_PATIENCE)
            if now - reported > plan.report_every:
                found = {"seconds": round(self.seconds, 1), "rate": rate_at(plan, done)}
                report(found | self._news(before, now - reported))
                reported, before = self._now(), self._counts()
        self.seconds = now - began

    def _now(self) -> float:
        """By the plan's clock, in seconds."""
        return time.process_time() + self._source.processor if self._plan.processor else time.monotonic()

    def _add_found(self, record: Callable[[PolicyGame], None]) -> int:
        """Take games that were found since the last time; how many."""
        found = self._source.take(_PARTS)
        for game, _ in found:
            record(game)
            self.games += 1
            self.plies += len(game.moves)
        if parts := [examples for _, examples in found if len(examples)]:
            self.learner.add(joined(parts))
        return len(found)

    def _learn(self, rate: float) -> None:
        """A step; now and then those who play get the new weights."""
        plan = self._plan
        latest = max(plan.least, self.learner.added // 2)
        self._losses.append(self.learner.learn(plan.batch, latest, rate))
        self.steps += 1
        if self.steps % _STEPS == 0:
            self._source.pass_on(self.learner)

    def _counts(self) -> tuple[int, int]:
        """Games, and positions evaluated."""
        return self.games, self._source.evaluated

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


def playouts_at(plan: LoopPlan, done: float) -> tuple[int, int]:
    """Those of moves in full, and of others: few in the first games, since the network knows nothing."""
    if done > plan.early:
        return plan.play.full, plan.play.fast
    full = min(plan.first_playouts, plan.play.full)
    return full, min(max(full // 4, 1), plan.play.fast)
