"""`lolli annotate --cluster` with real schedulers and workers, some of which are killed."""

import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.dask_cluster import Process, Scheduler, StartWorker, running_scheduler, workers_of
from tests.lolli.cli.annotation.annotating import annotate, annotated, random_games, records
from tests.patience import PATIENCE, wait_until

pytestmark = pytest.mark.slow

SETTINGS = ("--nodes", "15000", "--hash", "1")
GAMES = 40
OTHER_VERSION = """\
import sys
from protocol import about
about.VERSION = "0.0.9"
sys.argv = ["dask", *sys.argv[1:]]
from dask.__main__ import main
main()
"""


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[Scheduler]:
    with running_scheduler(tmp_path) as found:
        yield found


@pytest.fixture
def start_worker(scheduler: Scheduler, tmp_path: Path) -> Iterator[StartWorker]:
    with workers_of(scheduler, tmp_path) as start:
        yield start


@pytest.fixture(scope="module")
def pgn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cluster") / "games.pgn"
    path.write_bytes(random_games(GAMES, 30))
    return path


@pytest.fixture(scope="module")
def expected(lolli_command: list[str], pgn: Path) -> bytes:
    return annotated(lolli_command, pgn, *SETTINGS)


@dataclass
class ClusterRun:
    command: list[str]
    pgn: Path
    target: Path
    address: str

    @contextmanager
    def half_done(self) -> Iterator[Process]:
        words = ["annotate", str(self.pgn), "-o", str(self.target), *SETTINGS, "--cluster", self.address]
        with subprocess.Popen(
            [*self.command, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            wait_until(lambda: records(self.target) > 1)
            yield process

    def repeat(self, *words: str) -> subprocess.CompletedProcess[bytes]:
        """Run the command to its end; it uses the cluster only if `words` say so."""
        return annotate(self.command, self.pgn, "-o", self.target, *SETTINGS, *words)


@pytest.fixture
def run(lolli_command: list[str], pgn: Path, tmp_path: Path, scheduler: Scheduler) -> ClusterRun:
    return ClusterRun(lolli_command, pgn, tmp_path / "out.pgn", scheduler[0])


def test_workers_killed(run: ClusterRun, tmp_path: Path, expected: bytes, start_worker: StartWorker) -> None:
    """One of two, then the other, and a new one comes: nothing is lost, and nothing comes twice."""
    first, second = start_worker(), start_worker()
    with run.half_done() as process:
        first.kill()
        wait_until(lambda: "Remove worker" in (tmp_path / "scheduler.log").read_text())
        second.kill()
        second.wait(PATIENCE)
        start_worker()
        out, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, said
    assert out == b""
    counts, wrote = said.decode().splitlines()
    assert counts.startswith(f"{GAMES} games, ")
    assert wrote == f"wrote {run.target}"
    assert run.target.read_bytes() == expected


def test_workers_that_come_late(
    lolli_command: list[str], tmp_path: Path, scheduler: Scheduler, start_worker: StartWorker
) -> None:
    pgn, target = tmp_path / "games.pgn", tmp_path / "out.pgn"
    pgn.write_bytes(random_games(3, 6))
    words = ["annotate", str(pgn), "-o", str(target), *SETTINGS, "--cluster", scheduler[0]]
    with subprocess.Popen([*lolli_command, *words], stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == b"The cluster has no workers yet.\n"
        start_worker()
        assert process.stderr.readline().startswith(b"3 games, 21 positions; ")
        assert process.wait(PATIENCE) == 0


def test_ctrl_c_and_on_without_the_cluster(
    run: ClusterRun, expected: bytes, start_worker: StartWorker
) -> None:
    start_worker()
    with run.half_done() as process:
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert said.startswith(b"Stopped after ")
    assert said.count(b"\n") == 1
    done = run.repeat()
    assert done.returncode == 0
    assert run.target.read_bytes() == expected


def test_the_scheduler_is_killed(
    run: ClusterRun, expected: bytes, scheduler: Scheduler, start_worker: StartWorker
) -> None:
    start_worker()
    with run.half_done() as process:
        scheduler[1].kill()
        _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2
    assert said.decode() == ("Error: the connection to the workers is lost; repeat the command to continue\n")
    done = run.repeat()
    assert done.returncode == 0
    assert run.target.read_bytes() == expected


def test_a_worker_of_another_version(
    run: ClusterRun, tmp_path: Path, expected: bytes, start_worker: StartWorker
) -> None:
    """Is found at the start, and when it comes later."""
    script = tmp_path / "other.py"
    script.write_text(OTHER_VERSION)
    start_worker()
    with run.half_done() as process:
        other = start_worker(str(script))
        _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2
    assert said.decode() == ("Error: a worker has Lolli 0.0.9, not 0.1.0; repeat the command to continue\n")
    done = run.repeat("--cluster", run.address)
    assert done.returncode == 2
    assert re.fullmatch(r"Error: the worker tcp://\S+ has Lolli 0\.0\.9, not 0\.1\.0\n", done.stderr.decode())
    other.kill()
    other.wait(PATIENCE)
    done = run.repeat("--cluster", run.address)
    assert done.returncode == 0
    assert run.target.read_bytes() == expected


def test_nobody_answers(lolli_command: list[str], pgn: Path, tmp_path: Path) -> None:
    for address in ("tcp://127.0.0.1:1", "nonsense://x", "127.0.0.1"):
        done = annotate(lolli_command, pgn, "-o", tmp_path / "out.pgn", "--cluster", address)
        assert done.returncode == 2
        assert done.stderr.decode().startswith(f"Error: no Dask scheduler answers at {address}: ")
        assert done.stderr.count(b"\n") == 1
    assert not list(tmp_path.iterdir())
