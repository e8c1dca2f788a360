"""A whole tournament, some games at a time."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from protocol.cli.tournaments.contest import play
from protocol.workers import LocalWorkers, Pipeline

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from protocol.cli.tournaments.contest import Contest, Played
    from protocol.cli.tournaments.schedule import Fixture

_GAMES_PER_WORKER = 4  # under way or waiting, so that a long game holds nobody up


class Tournament:
    """Has games played by processes of their own, and tells of them in their order."""

    def __init__(self, contest: Contest, jobs: int) -> None:
        self._contest = contest
        self._jobs = jobs
        self._pipeline: Pipeline[Fixture, Played] | None = None
        self._stopped = False

    def run(self, fixtures: Iterable[Fixture], ended: Callable[[Played], None]) -> bool:
        """Whether all were played; if not, it was stopped. Games that were under way then are lost.

        Raises WorkersError, WorkerDiedError, PlayerError, EntrantError.
        """
        with LocalWorkers(self._jobs) as workers:
            self._pipeline = Pipeline(
                workers, partial(play, self._contest), iter(fixtures), lambda: _GAMES_PER_WORKER * self._jobs
            )
            if self._stopped:
                return False
            for done in self._pipeline.results():
                if done is not None:
                    ended(done[1].result())
            return self._pipeline.finished

    def stop(self) -> None:
        """End soon; from any thread."""
        self._stopped = True
        if self._pipeline is not None:
            self._pipeline.stop()
