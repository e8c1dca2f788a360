"""Games for learning a policy that others play: a worker in this process, processes, those of a cluster."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Generator
from dataclasses import replace
from functools import partial
from multiprocessing import active_children
from pathlib import Path

import pytest
from click.testing import CliRunner

from engine.games.compiled import puct
from engine.games.compiled.network_shape import PolicyShape
from engine.games.compiled.puct_games import PuctGamesOptions
from scripts.laboratory.jobs import JobError, ProcessJobs
from scripts.laboratory.policy import playing_workers
from scripts.laboratory.policy.examples import examples_of
from scripts.laboratory.policy.float_network import Parameters, drawn, numbers_of
from scripts.laboratory.policy.game_records import PolicyGame, games
from scripts.laboratory.policy.learn_policy import learn_policy
from scripts.laboratory.policy.learnable_games import first_state
from scripts.laboratory.policy.learning_loop import LearningLoop, LoopPlan
from scripts.laboratory.policy.numpy_loop import NumpyLoopLearner, OwnEvaluator
from scripts.laboratory.policy.playing_workers import (
    PlayedPortion,
    PlayingJob,
    PlayingTerms,
    PlayingWorkers,
    PolicyPlayer,
)
from scripts.laboratory.policy.threads_player import ThreadsPlayer
from tests.dask_cluster import Process, Scheduler, StartWorker
from tests.lolli.cli.annotation.annotating import PATIENCE, wait_until
from tests.pure import ROOT

COMPILED = not puct.__file__.endswith(".py")
pytestmark = pytest.mark.skipif(not COMPILED, reason="takes minutes in plain Python")
FIRST = first_state("othello", 4)
SHAPE = PolicyShape(FIRST.plane_count, 16, 0, 16, 16)
PLAY = PuctGamesOptions(full=8, fast=4, longest=32)
PLAN = LoopPlan(2.0, True, PLAY, batch=16, uses=4, least=50, first_playouts=2, early=0.5)
TERMS = PlayingTerms("othello", 4, SHAPE, PLAN, 8)
TINY = ("--game", "othello", "--size", "4", "--channels", "16", "--blocks", "0", "--playouts", "8")


def network(seed: int) -> bytes:
    return numbers_of(SHAPE, drawn(SHAPE, seed)).tobytes()


def test_games_go_on_from_job_to_job(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each legal, and with a result; with no time at all, none ends, and none is lost."""
    player = PolicyPlayer(TERMS)
    monkeypatch.setattr(playing_workers, "_SECONDS", 0.0)
    assert player.work(PlayingJob(1, network(1), 2, 1)).games == []
    monkeypatch.setattr(playing_workers, "_SECONDS", 0.2)
    portions = [player.work(PlayingJob(seed, network(seed), 8, 4)) for seed in (2, 3)]
    for portion in portions:
        played = [PolicyGame.from_bytes(data) for data in portion.games]
        assert len(played) > 8
        assert any(len(examples_of(game, FIRST, 0.5)) for game in played)
        assert portion.evaluated > len(played)
        assert 0 < portion.processor < 10


class JobsHere:
    """A worker in this process, who does each job at once."""

    def __init__(self, worker: PolicyPlayer) -> None:
        self.handed_out: list[PlayingJob] = []
        self._worker = worker
        self._done: list[PlayedPortion] = []

    def room(self) -> int:
        return 1 - len(self._done)

    def hand_out(self, job: PlayingJob) -> None:
        self.handed_out.append(job)
        self._done.append(self._worker.work(job))

    def finished(self, patience: float) -> Generator[PlayedPortion, None, None]:
        assert patience == 0
        while self._done:
            yield self._done.pop()

    def close(self) -> None:
        assert not self._done


def test_each_job_has_the_newest_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """And few playouts at first; nothing that was played is lost at the end."""
    monkeypatch.setattr(playing_workers, "_SECONDS", 0.01)
    learner = NumpyLoopLearner(FIRST, SHAPE, drawn(SHAPE, 1), 1000)
    here = JobsHere(PolicyPlayer(TERMS))
    source = PlayingWorkers(TERMS, 1, lambda: here)
    source.pass_on(learner)
    loop = LearningLoop(PLAN, learner, source)
    recorded: list[PolicyGame] = []
    loop.run(lambda _: None, recorded.append)
    jobs = here.handed_out
    assert loop.steps >= 20
    assert jobs[0].network == network(1) != jobs[-1].network
    assert len({job.seed for job in jobs}) == len(jobs)
    assert {(job.full, job.fast) for job in jobs} == {(2, 1), (8, 4)}
    assert loop.games == len(recorded) > 0
    assert source.evaluated > loop.games
    assert source.processor > 0


def evaluators(weights: Parameters) -> list[OwnEvaluator]:
    """In a process that plays."""
    return [OwnEvaluator(FIRST, SHAPE, weights, 8) for _ in range(2)]


def processes() -> ProcessJobs[PlayingJob, PlayedPortion]:
    return ProcessJobs(partial(ThreadsPlayer, TERMS, evaluators))


def learned_from(source: PlayingWorkers) -> tuple[LearningLoop, list[PolicyGame]]:
    """A loop of six seconds of processor time, and its games."""
    learner = NumpyLoopLearner(FIRST, SHAPE, drawn(SHAPE, 2), 1000)
    source.pass_on(learner)
    recorded: list[PolicyGame] = []
    loop = LearningLoop(replace(PLAN, seconds=6.0), learner, source)
    loop.run(lambda _: None, recorded.append)
    return loop, recorded


@pytest.mark.alone
def test_a_process_here_plays() -> None:
    """In threads that play while another process learns; it never outlives the loop."""
    source = PlayingWorkers(TERMS, 1, processes, PATIENCE)
    loop, recorded = learned_from(source)
    assert loop.steps > 0
    assert loop.games == len(recorded) > 20
    assert source.evaluated > loop.games
    assert source.processor > 1
    assert not active_children()


def test_the_last_games_of_a_process_are_kept() -> None:
    source = PlayingWorkers(TERMS, 1, processes, PATIENCE)
    source.pass_on(NumpyLoopLearner(FIRST, SHAPE, drawn(SHAPE, 2), 1000))
    source.start()
    source.take(0)
    source.stop()
    assert source.take(1000)
    assert not active_children()


class FailingEvaluator(OwnEvaluator):
    def evaluate(self, count: int | None = None) -> None:
        del count
        raise ValueError("it cannot evaluate")


def failing(weights: Parameters) -> list[OwnEvaluator]:
    return [FailingEvaluator(FIRST, SHAPE, weights, 8)]


def test_the_failure_of_a_thread_ends_the_run() -> None:
    player = partial(ThreadsPlayer, TERMS, failing)
    source = PlayingWorkers(TERMS, 1, lambda: ProcessJobs(player), PATIENCE)
    with pytest.raises(JobError, match="ValueError: it cannot evaluate"):
        learned_from(source)
    assert not active_children()


def test_a_process_that_is_killed_ends_the_run() -> None:
    def kill(_: object) -> None:
        (process,) = active_children()
        process.kill()

    source = PlayingWorkers(TERMS, 1, processes, PATIENCE)
    learner = NumpyLoopLearner(FIRST, SHAPE, drawn(SHAPE, 2), 1000)
    source.pass_on(learner)
    plan = replace(PLAN, seconds=60.0, report_every=0.5)
    with pytest.raises(JobError, match=f"a worker process ended with status -{signal.SIGKILL}"):
        LearningLoop(plan, learner, source).run(kill, lambda _: None)
    assert not active_children()


def test_threads_here_are_not_for_a_cluster(tmp_path: Path) -> None:
    words = ["--data", str(tmp_path / "new"), "--cluster", "tcp://127.0.0.1:1", "--threads", "2"]
    result = CliRunner().invoke(learn_policy, words)
    assert result.exit_code == 2
    assert "--threads is for playing here, without --cluster" in result.output
    assert not (tmp_path / "new").exists()


def words(folder: Path, minutes: str, *others: str) -> list[str]:
    script = "from scripts.laboratory.policy.learn_policy import learn_policy; learn_policy()"
    here = [sys.executable, "-c", script, "--data", str(folder), *TINY, "--games", "8"]
    return [*here, "--minutes", minutes, "--processor-time", *others]


def begun(folder: Path, minutes: str, address: str) -> Process:
    """The command, when games have been kept."""
    command = words(folder, minutes, "--cluster", address)
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT)
    wait_until(lambda: len(lines(folder)) > 1 and lines(folder)[-1]["games"])
    return process


def lines(folder: Path) -> list[dict[str, float]]:
    journal = folder / "learning.jsonl"
    return [json.loads(line) for line in journal.read_text().splitlines()] if journal.exists() else []


@pytest.mark.slow
def test_a_worker_is_killed_and_another_comes(
    scheduler: Scheduler, start_worker: StartWorker, tmp_path: Path
) -> None:
    first = start_worker()
    with begun(tmp_path / "data", "0.1", scheduler[0]) as process:
        first.kill()
        first.wait(PATIENCE)
        before = lines(tmp_path / "data")[-1]["games"]
        start_worker()
        _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, errors
    assert lines(tmp_path / "data")[-1]["games"] > before
    assert lines(tmp_path / "data")[-1]["games"] == len([*games(tmp_path / "data" / "played.games")])


@pytest.mark.slow
def test_the_scheduler_is_killed(scheduler: Scheduler, start_worker: StartWorker, tmp_path: Path) -> None:
    """All is kept, and threads here go on."""
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
        words(folder, minutes, "--threads", "1"), capture_output=True, check=False, cwd=ROOT, timeout=PATIENCE
    )
    assert again.returncode == 0
    assert f"and {last['games']} games".encode() in again.stdout.splitlines()[0]
