"""Self-play on a cluster with a real scheduler and workers, some of which are killed."""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from eval.training.game_file import games as games_of
from scripts.laboratory import jobs as jobs_module
from scripts.laboratory.jobs import JobError, JobRunner, problem, sources
from tests.dask_cluster import Process, Scheduler, StartWorker
from tests.patience import PATIENCE, wait_until
from tests.pure import ROOT

GAMES = 60
SETTINGS = ("--games", str(GAMES), "--nodes", "1000", "--every", "1")
OTHER_SOURCES = """\
import sys
from scripts.laboratory import jobs
jobs.sources = lambda games: "0123"
sys.argv = ["dask", *sys.argv[1:]]
from dask.__main__ import main
main()
"""


@pytest.mark.parametrize("other_games", [False, True])
def test_who_may_work(other_games: bool) -> None:
    mine = sources(other_games)
    assert problem(mine, False, other_games) is None
    assert problem(mine, False, not other_games) == "has other sources of engine or laboratory"
    assert problem("0123", False, other_games) == "has other sources of engine or laboratory"
    assert len(mine) == 16


def test_the_other_games_are_asked_for_where_they_are_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their files, and all others, in both hashes or in one; other kinds of files in none."""
    monkeypatch.setattr(jobs_module, "_ROOT", tmp_path)
    of_now: Callable[[bool], str] = sources.__wrapped__
    known = [of_now(False), of_now(True)]
    for name, changes in [
        ("engine/games/rules/go.py", [False, True]),
        ("engine/games/rules/go.pxd", [False, True]),
        ("engine/games/rules/go.so", [False, False]),
        ("engine/board/move.py", [True, True]),
        ("eval/linear.py", [True, True]),
        ("scripts/laboratory/learn_games.py", [False, True]),
        ("scripts/laboratory/learning/train.py", [False, False]),
    ]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
        found = [of_now(False), of_now(True)]
        assert [a != b for a, b in zip(known, found, strict=True)] == changes, name
        known = found


class Squarer:
    """A worker that cannot square 3."""

    def work(self, job: int) -> int:
        if job == 3:
            raise ValueError("3 has no square")
        return job * job

    def close(self) -> None:
        """Nothing to release."""


@pytest.mark.slow
@pytest.mark.parametrize("count", [None, 1, 3])
def test_jobs_of_a_cluster(count: int | None, scheduler: Scheduler, start_worker: StartWorker) -> None:
    start_worker()
    start_worker()
    jobs = [job for job in range(40) if job != 3]
    found = sorted(JobRunner(count, scheduler[0])(Squarer, jobs))
    assert found == [job * job for job in jobs]
    with pytest.raises(JobError, match="3 has no square"):
        list(JobRunner(count, scheduler[0])(Squarer, range(5)))


def words(folder: Path, *others: str) -> list[str]:
    script = (
        "from scripts.laboratory.learning import selfplay as runs; runs.GAMES_A_FILE = 5;"
        "from scripts.laboratory.learning.selfplay import selfplay; selfplay()"
    )
    return [sys.executable, "-c", script, "--out", str(folder), *SETTINGS, *others]


def play_here(folder: Path) -> dict[int, bytes]:
    subprocess.run(words(folder, "--concurrency", "2"), check=True, cwd=ROOT, timeout=PATIENCE)
    return played(folder)


def played(folder: Path) -> dict[int, bytes]:
    found = [game for path in folder.glob("*.games") for game in games_of(path)]
    assert len({game.number for game in found}) == len(found)
    return {game.number: game.start + game.plies.tobytes() for game in found}


@contextmanager
def half_done(folder: Path, address: str) -> Iterator[Process]:
    with subprocess.Popen(
        words(folder, "--cluster", address), stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT
    ) as process:
        wait_until(lambda: any(folder.glob("*.games")))
        yield process


@pytest.mark.slow
def test_workers_killed(scheduler: Scheduler, start_worker: StartWorker, tmp_path: Path) -> None:
    """One of two, then the other, and a new one comes: no game is lost, and none comes twice."""
    first, second = start_worker(), start_worker()
    with half_done(tmp_path / "games", scheduler[0]) as process:
        first.kill()
        wait_until(lambda: "Remove worker" in (tmp_path / "scheduler.log").read_text())
        second.kill()
        second.wait(PATIENCE)
        start_worker()
        said, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, errors
    assert f"{GAMES} games, ".encode() in said.splitlines()[-1]
    assert played(tmp_path / "games") == play_here(tmp_path / "here")


@pytest.mark.slow
def test_the_scheduler_is_killed(scheduler: Scheduler, start_worker: StartWorker, tmp_path: Path) -> None:
    """The run goes on without it."""
    start_worker()
    with half_done(tmp_path / "games", scheduler[0]) as process:
        scheduler[1].kill()
        said, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2
    assert said.splitlines()[-1] == b"Cannot go on: the connection to the workers is lost"
    assert 0 < len(played(tmp_path / "games")) < GAMES
    assert play_here(tmp_path / "games") == play_here(tmp_path / "here")


@pytest.mark.slow
def test_a_worker_with_other_sources(scheduler: Scheduler, start_worker: StartWorker, tmp_path: Path) -> None:
    """Is found at the start, and when it comes later."""
    script = tmp_path / "other.py"
    script.write_text(OTHER_SOURCES)
    start_worker()
    with half_done(tmp_path / "games", scheduler[0]) as process:
        start_worker(str(script))
        said, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2
    assert said.splitlines()[-1] == b"Cannot go on: a worker has other sources of engine or laboratory"
    again = subprocess.run(
        words(tmp_path / "games", "--cluster", scheduler[0]), capture_output=True, check=False, cwd=ROOT
    )
    assert again.returncode == 2
    expected = rb"Cannot go on: the worker tcp://\S+ has other sources of engine or laboratory"
    assert re.fullmatch(expected, again.stdout.splitlines()[-1])
