"""The pool of worker processes."""

from functools import partial
from multiprocessing import resource_tracker, spawn

import pytest

from scripts.laboratory.jobs import JobError, JobRunner


class Multiplier:
    def __init__(self, ballast: bytes) -> None:
        self.factor = len(ballast)

    def work(self, job: int) -> int:
        return self.factor * job

    def close(self) -> None:
        pass


MAKE = partial(Multiplier, bytes(2_000_000))


def test_jobs_are_done() -> None:
    assert sorted(JobRunner(2)(MAKE, range(5))) == [0, 2_000_000, 4_000_000, 6_000_000, 8_000_000]


def test_a_worker_that_dies_while_it_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    resource_tracker.ensure_running()  # as Python, before there is none
    monkeypatch.setattr(spawn, "_python_exe", b"/bin/false")
    with pytest.raises(JobError, match="a job was given up: 3 workers died of it, the last one with status"):
        list(JobRunner(2)(MAKE, range(5)))
