"""Plays the games that a network learns from, with PyTorch as evaluator, in a process of its own.

Beside the threads that play, a thread of the same process that learns would hardly get Python's lock.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from scripts.laboratory.policy.float_network import parameters_of
from scripts.laboratory.policy.learnable_games import first_state
from scripts.laboratory.policy.playing_threads import PlayingThreads
from scripts.laboratory.policy.playing_workers import PlayedPortion
from scripts.laboratory.policy.torch_network import TorchEvaluator

if TYPE_CHECKING:
    from scripts.laboratory.policy.playing_workers import PlayingJob, PlayingTerms

_SECONDS = 0.5  # of a job
_SWITCH = 0.0005  # seconds after which a thread may take Python's lock
_MOST = 10_000  # games of a job


@dataclass(frozen=True, slots=True)
class TorchThreads:
    """Where PyTorch evaluates, "cuda" or "cpu", and how many threads play."""

    device: str
    threads: int


class TorchPlayer:
    """Plays in threads that go on while a job's games are on their way, too."""

    def __init__(self, terms: PlayingTerms, threads: TorchThreads) -> None:
        """The games begin with the first job."""
        self._terms, self._threads = terms, threads
        self._first = first_state(terms.game, terms.size)
        self._playing: PlayingThreads | None = None
        self._evaluated = 0
        self._processor = time.process_time()

    def work(self, job: PlayingJob) -> PlayedPortion:
        """Go on with the network and the playouts of a job; the games that have ended since the last one."""
        playing = self._prepared(job)
        time.sleep(_SECONDS)
        records = [game.to_bytes() for game in playing.take_records(_MOST)]
        before, self._evaluated = self._evaluated, playing.evaluated
        began, self._processor = self._processor, time.process_time()
        return PlayedPortion(records, self._evaluated - before, self._processor - began)

    def close(self) -> None:
        """Let the threads end."""
        if self._playing is not None:
            self._playing.stop()

    def _prepared(self, job: PlayingJob) -> PlayingThreads:
        shape = self._terms.shape
        weights = parameters_of(shape, memoryview(job.network).cast("f"))
        if self._playing is None:
            sys.setswitchinterval(_SWITCH)
            board = self._first.plane_rows, self._first.plane_columns
            evaluators = [
                TorchEvaluator(shape, weights, board, self._terms.rows, self._threads.device)
                for _ in range(self._threads.threads)
            ]
            plan = self._terms.plan
            plan = replace(plan, play=replace(plan.play, full=job.full, fast=job.fast))
            self._playing = PlayingThreads(self._first, plan, job.seed, evaluators)
            self._playing.start()
        else:
            self._playing.use(weights)
            self._playing.set_playouts(job.full, job.fast)
        return self._playing
