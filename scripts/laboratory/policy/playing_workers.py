"""The games that a network learns from, played by other processes: here, or the workers of a Dask cluster.

A job is a portion of time. The games of a worker go on from one job to the next, with the network that was
the newest when the job was handed out.
"""

from __future__ import annotations

import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from scripts.laboratory.jobs import JobError
from scripts.laboratory.policy.examples import examples_of
from scripts.laboratory.policy.float_network import numbers_of, parameters_of
from scripts.laboratory.policy.game_records import PolicyGame
from scripts.laboratory.policy.learnable_games import first_state
from scripts.laboratory.policy.numpy_loop import OwnEvaluator
from scripts.laboratory.policy.side_by_side import GamesSideBySide

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.games.compiled.network_shape import PolicyShape
    from scripts.laboratory.jobs import Jobs
    from scripts.laboratory.policy.learning_loop import FoundGame, LoopPlan, PolicyLearner

_SECONDS = 2.0  # of a job


@dataclass(frozen=True, slots=True)
class PlayingTerms:
    """What all jobs have in common: a game, its network, and how many games go on side by side."""

    game: str
    size: int
    shape: PolicyShape
    plan: LoopPlan
    rows: int


@dataclass(frozen=True, slots=True)
class PlayingJob:
    """To play for a while, with the weights of a network, float32, and so many playouts of moves.

    `behind`: learning is; see SelfPlaySource.hold_back.
    """

    seed: int
    network: bytes
    full: int
    fast: int
    behind: bool = False


@dataclass(frozen=True, slots=True)
class PlayedPortion:
    """What came of a job: records of games, positions evaluated, and seconds of processor time."""

    games: list[bytes]
    evaluated: int
    processor: float


class PolicyPlayer:
    """Plays games in a worker."""

    def __init__(self, terms: PlayingTerms) -> None:
        """The games begin with the first job."""
        self._terms = terms
        self._first = first_state(terms.game, terms.size)
        self._evaluator: OwnEvaluator | None = None

    def work(self, job: PlayingJob) -> PlayedPortion:
        """Go on with the games; those that have ended meanwhile."""
        began, until = time.thread_time(), time.monotonic() + _SECONDS
        games = self._prepared(job)
        before = games.evaluated
        played: list[PolicyGame] = []
        while time.monotonic() < until:
            played += games.step()
        records = [game.to_bytes() for game in played]
        return PlayedPortion(records, games.evaluated - before, time.thread_time() - began)

    def close(self) -> None:
        """Nothing to release."""

    def _prepared(self, job: PlayingJob) -> GamesSideBySide:
        """The games, with the network and the playouts of a job."""
        shape, plan = self._terms.shape, self._terms.plan
        weights = parameters_of(shape, memoryview(job.network).cast("f"))
        if self._evaluator is None:
            self._evaluator = OwnEvaluator(self._first, shape, weights, self._terms.rows)
            play = replace(plan.play, full=job.full, fast=job.fast)
            self._games = GamesSideBySide(self._first, plan.search, play, job.seed, self._evaluator)
        else:
            self._evaluator.replace(weights)
            self._games.set_playouts(job.full, job.fast)
        return self._games


class PlayingWorkers:
    """See SelfPlaySource. Those of a cluster may join and leave; with one that dies, its games are lost."""

    def __init__(
        self,
        terms: PlayingTerms,
        seed: int,
        open_jobs: Callable[[], Jobs[PlayingJob, PlayedPortion]],
        patience: float = 0.0,
    ) -> None:
        """`open_jobs`: what hands jobs to workers like PolicyPlayer. It may raise JobError.

        `patience`: seconds to wait at the end for the games of a job under way.
        """
        self.evaluated = 0
        self.processor = 0.0
        self._terms, self._seed = terms, seed
        self._open_jobs, self._patience = open_jobs, patience
        self._first = first_state(terms.game, terms.size)
        self._playouts = terms.plan.play.full, terms.plan.play.fast
        self._learner: PolicyLearner | None = None
        self._network = b""
        self._handed_out = 0
        self._found: deque[bytes] = deque()
        self._behind = False
        self._jobs: Jobs[PlayingJob, PlayedPortion] | None = None

    def start(self) -> None:
        """See SelfPlaySource. Raises JobError."""
        self._jobs = self._open_jobs()

    def stop(self) -> None:
        """See SelfPlaySource."""
        if self._jobs is not None:
            with suppress(JobError):  # whatever ends the run has been raised
                self._collect(self._jobs, self._patience)
            self._jobs.close()
            self._jobs = None

    def take(self, most: int) -> list[FoundGame]:
        """See SelfPlaySource. Raises JobError where a job fails, or nobody plays any more."""
        if self._jobs is not None:
            self._collect(self._jobs, 0)
            for _ in range(self._jobs.room()):
                self._jobs.hand_out(self._next_job())
        found: list[FoundGame] = []
        while len(found) < most and self._found:
            record = PolicyGame.from_bytes(self._found.popleft())
            found.append((record, examples_of(record, self._first, self._terms.plan.searched)))
        return found

    def pass_on(self, learner: PolicyLearner) -> None:
        """See SelfPlaySource."""
        self._learner, self._network = learner, b""

    def set_playouts(self, full: int, fast: int) -> None:
        """See SelfPlaySource."""
        self._playouts = full, fast

    def hold_back(self, behind: bool) -> None:
        """See SelfPlaySource. It holds from the next job on, for workers whose threads can wait."""
        self._behind = behind

    def _next_job(self) -> PlayingJob:
        if not self._network and self._learner is not None:
            self._network = numbers_of(self._terms.shape, self._learner.parameters()).tobytes()
        self._handed_out += 1
        seed = self._seed * 1000 + self._handed_out
        return PlayingJob(seed, self._network, *self._playouts, self._behind)

    def _collect(self, jobs: Jobs[PlayingJob, PlayedPortion], patience: float) -> None:
        """Take what has come from the workers, after up to `patience` seconds."""
        for portion in jobs.finished(patience):
            self._found += portion.games
            self.evaluated += portion.evaluated
            self.processor += portion.processor
