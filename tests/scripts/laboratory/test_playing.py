"""Games for learning a policy that others play: a worker in this process, processes, those of a cluster."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Generator, Iterator
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
    games,
)
from tests.dask_cluster import Process, Scheduler, StartWorker
from tests.lolli.cli.annotation.annotating import PATIENCE, wait_until
from tests.pure import ROOT
from tests.scripts.laboratory.tiny_runs import (
    COMPILED,
    FIRST,
    PLAN,
    SHAPE,
    TERMS,
    NothingLearned,
    learn_by,
)

Portion = tuple[list[bytes], int, float]
pytestmark = pytest.mark.skipif(not COMPILED, reason="takes minutes in plain Python")
TINY = ("--game", "othello", "--size", "4", "--channels", "16", "--blocks", "0", "--playouts", "8")


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
    """Has a worker in this process do each job at once."""

    under_way = 0

    def __init__(self) -> None:
        self.handed_out: list[PlayingJob] = []
        self._worker = PolicyPlayer(TERMS)
        self._done: list[Portion] = []

    def open(self, _: object, ahead: int) -> JobsHere:
        assert ahead
        return self

    def room(self) -> int:
        return 1 - len(self._done)

    def hand_out(self, jobs: Iterator[PlayingJob]) -> None:
        for job in jobs:
            self.handed_out.append(job)
            self._done.append(self._worker.work(job))

    def finished(self, patience: float) -> Generator[Portion, None, None]:
        assert patience == 0
        while self._done:
            yield self._done.pop()

    def drain(self, _: float) -> Generator[Portion, None, None]:
        return self.finished(0)

    def close(self) -> None:
        assert not self._done


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


def test_the_last_games_of_processes_are_kept() -> None:
    playing_there = source(JobRunner(2))
    playing_there.start()
    playing_there.take(0)
    playing_there.behind = True
    playing_there.take(0)
    wait_until(lambda: bool(active_children()))
    playing_there.stop()
    assert playing_there.take(1000)
    assert playing_there.evaluated > 0
    assert playing_there.processor > 0
    assert not active_children()


def test_a_process_that_is_killed_is_replaced() -> None:
    playing_there = source(JobRunner(1))
    playing_there.start()
    playing_there.take(0)
    wait_until(lambda: bool(active_children()))
    active_children()[0].kill()
    wait_until(lambda: bool(playing_there.take(1000)))
    playing_there.stop()
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


def words(folder: Path, minutes: str, *others: str) -> list[str]:
    script = "from scripts.laboratory.learn_policy import learn_policy; learn_policy()"
    here = [sys.executable, "-c", script, "--data", str(folder), *TINY, "--games", "8"]
    return [*here, "--minutes", minutes, "--processor-time", *others]


def begun(folder: Path, minutes: str, address: str) -> Process:
    """The command, when games have been kept."""
    pytest.importorskip("torch")
    command = words(folder, minutes, "--cluster", address)
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT)
    wait_until(lambda: len(lines(folder)) > 1 and lines(folder)[-1]["games"])
    return process


def lines(folder: Path) -> list[dict[str, float]]:
    journal = folder / "learning.jsonl"
    return [json.loads(line) for line in journal.read_text().splitlines()] if journal.exists() else []


@pytest.mark.slow
def test_the_scheduler_is_killed(scheduler: Scheduler, start_worker: StartWorker, tmp_path: Path) -> None:
    """All is kept, and processes here go on."""
    start_worker()
    folder = tmp_path / "data"
    with begun(folder, "1", scheduler[0]) as process:
        scheduler[1].kill()
        said, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2, errors
    assert said.splitlines()[-1] == b"Cannot go on: the connection to the workers is lost"
    assert errors == b""
    last = lines(folder)[-1]
    assert last["games"] == len([*games(folder / "played.games")])
    minutes = f"{(last['seconds'] + 1) / 60:.4f}"
    again = subprocess.run(
        words(folder, minutes, "--concurrency", "1"),
        capture_output=True,
        check=False,
        cwd=ROOT,
        timeout=PATIENCE,
    )
    assert again.returncode == 0
    assert f"and {last['games']} games".encode() in again.stdout.splitlines()[0]
