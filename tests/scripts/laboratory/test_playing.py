"""Games for learning a policy that others play: a worker in this process, processes, those of a cluster."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from multiprocessing import active_children
from pathlib import Path
from typing import Any

import pytest

from scripts.laboratory import learn_policy, policy
from scripts.laboratory.jobs import JobError, JobRunner
from scripts.laboratory.learn_policy import PolicyFolder
from scripts.laboratory.policy import (
    PlayingJob,
    PolicyGame,
    PolicyPlayer,
    SelfPlaySource,
    drawn,
    examples_of,
)
from tests.patience import PATIENCE, wait_until
from tests.scripts.laboratory.tiny_runs import (
    COMPILED,
    FIRST,
    PLAN,
    SHAPE,
    TERMS,
    NothingLearned,
    games,
    learn_by,
)

Portion = tuple[list[bytes], int, float]
pytestmark = pytest.mark.skipif(not COMPILED, reason="takes minutes in plain Python")


def network(seed: int) -> bytes:
    return drawn(SHAPE, seed).tobytes()


def test_games_go_on_from_job_to_job(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each legal, and with a result; with no time at all, none ends, and none is lost."""
    player = PolicyPlayer(TERMS)
    monkeypatch.setattr(policy, "_SECONDS", 0.0)
    assert player.work(PlayingJob(1, network(1), 2, 1))[0] == []
    monkeypatch.setattr(policy, "_SECONDS", 0.2)
    portions = [player.work(PlayingJob(seed, network(seed), 8, 4)) for seed in (2, 3)]
    for records, evaluated, processor in portions:
        played = [PolicyGame.from_bytes(data) for data in records]
        assert len(played) > 8
        assert any(len(examples_of(game, FIRST, 0.5)) for game in played)
        assert evaluated > len(played)
        assert 0 < processor < 10


class JobsHere:
    def __init__(self) -> None:
        self.handed_out: list[PlayingJob] = []

    def __call__(self, _: object, jobs: Iterator[PlayingJob]) -> Iterator[Portion]:
        worker = PolicyPlayer(TERMS)
        for job in jobs:
            self.handed_out.append(job)
            yield worker.work(job)


def source(runner: Any) -> SelfPlaySource:
    return SelfPlaySource(TERMS, 1, runner, network(0))


def test_each_job_has_the_newest_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And few playouts at first; nothing that was played is lost at the end."""
    monkeypatch.setattr(policy, "_SECONDS", 0.01)
    monkeypatch.setattr(learn_policy, "open_learner", NothingLearned)
    here = JobsHere()
    terms = replace(TERMS, plan=replace(PLAN, report_every=0.5))
    folder = learn_by(terms, tmp_path, here)
    jobs, reports = here.handed_out, lines(tmp_path)[1:]
    assert reports[-2]["steps"] >= 20
    assert reports[-2]["evaluated a second"] > reports[-2]["games a second"] > 0
    assert jobs[0].network == network(1)
    assert jobs[-1].network in {network(steps) for steps in range(20, 10_000, 20)}
    assert len({job.seed for job in jobs}) == len(jobs)
    assert {(job.full, job.fast) for job in jobs} == {(2, 1), (8, 4)}
    assert reports[-1]["games"] == len([*games(folder.path / "played.games")]) > 0


def test_the_last_games_of_processes_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policy, "_PATIENCE", PATIENCE)
    playing_there = source(JobRunner(2))
    playing_there.start()
    playing_there.behind = True
    wait_until(lambda: bool(active_children()))
    playing_there.stop()
    assert playing_there.take(1000)
    assert playing_there.evaluated > 0
    assert playing_there.processor > 0
    assert not active_children()


def test_the_failure_of_a_job_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Here: weights of another network."""
    monkeypatch.setattr(NothingLearned, "weights", lambda _: network(0)[:-4])
    monkeypatch.setattr(learn_policy, "open_learner", NothingLearned)
    monkeypatch.setattr(PolicyFolder, "keep_snapshot", lambda *_: None)
    monkeypatch.setattr(PolicyFolder, "keep", lambda *_: None)
    with pytest.raises(JobError, match=r"ValueError: .* weights instead of"):
        learn_by(replace(TERMS, plan=replace(PLAN, seconds=PATIENCE)), tmp_path, JobRunner(1))
    assert not active_children()


def lines(folder: Path) -> list[dict[str, float]]:
    journal = folder / "learning.jsonl"
    return [json.loads(line) for line in journal.read_text().splitlines()] if journal.exists() else []
