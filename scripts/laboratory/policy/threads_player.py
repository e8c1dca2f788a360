"""Plays the games that a network learns from in threads of a process of its own.

Beside many threads that play, one of the same process that learns hardly gets Python's lock.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from scripts.laboratory.policy.float_network import parameters_of
from scripts.laboratory.policy.learnable_games import first_state
from scripts.laboratory.policy.playing_threads import SWITCH, PlayingThreads
from scripts.laboratory.policy.playing_workers import PlayedPortion

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scripts.laboratory.policy.float_network import Parameters
    from scripts.laboratory.policy.lockstep import LeafEvaluator
    from scripts.laboratory.policy.playing_workers import PlayingJob, PlayingTerms

_SECONDS = 0.5  # of a job
_MOST = 10_000  # games of a job


class ThreadsPlayer:
    """Does the jobs of PlayingWorkers. The threads play between jobs, too."""

    def __init__(
        self, terms: PlayingTerms, make_evaluators: Callable[[Parameters], Sequence[LeafEvaluator]]
    ) -> None:
        """The games begin with the first job; each evaluator has a thread."""
        self._terms = terms
        self._make_evaluators = make_evaluators
        self._first = first_state(terms.game, terms.size)
        self._playing: PlayingThreads | None = None
        self._network = b""
        self._evaluated, self._processor = 0, 0.0

    def work(self, job: PlayingJob) -> PlayedPortion:
        """Go on with the network and the playouts of a job; the games that have ended since the last one.

        Raises what a thread has raised.
        """
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
        playing = self._playing
        if playing is None:
            sys.setswitchinterval(SWITCH)
            evaluators = self._make_evaluators(self._weights(job))
            playing = PlayingThreads(self._first, self._terms.plan, job.seed, evaluators)
        elif job.network != self._network:
            playing.use(self._weights(job))
        playing.set_playouts(job.full, job.fast)
        playing.hold_back(job.behind)
        if self._playing is None:
            playing.start()
        self._playing, self._network = playing, job.network
        return playing

    def _weights(self, job: PlayingJob) -> Parameters:
        return parameters_of(self._terms.shape, memoryview(job.network).cast("f"))
