"""Workers on this machine, and the order in which what they do comes back."""

import multiprocessing
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from lolli.cli.workers import LocalWorkers, Pipeline, WorkerDiedError, WorkersError
from tests.lolli.cli.annotation.annotating import wait_until_gone
from tests.lolli.cli.annotation.jobs import die, fail, kill_itself_once, pid_after, square
from tests.patience import PATIENCE, wait_until
from tests.pure import ROOT


@pytest.fixture(autouse=True)
def _no_main_module(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers import the main module, which is pytest here, and takes long."""
    monkeypatch.setattr(sys.modules["__main__"], "__spec__", None, raising=False)
    monkeypatch.delattr(sys.modules["__main__"], "__file__", raising=False)


@pytest.fixture
def workers() -> Iterator[LocalWorkers]:
    with LocalWorkers(2) as workers:
        yield workers


def test_jobs_are_done_at_the_same_time_by_as_many_processes_as_asked_for(workers: LocalWorkers) -> None:
    futures = [workers.submit(pid_after, 0.1) for _ in range(6)]
    pids = {future.result(PATIENCE) for future in futures}
    assert len(pids) == 2
    assert os.getpid() not in pids


def test_as_many_workers_as_processors_have_one_each(tmp_path: Path) -> None:
    processors = os.sched_getaffinity(0)
    with LocalWorkers(len(processors)) as workers:
        futures = [workers.submit(pid_after, 0.1) for _ in range(3 * len(processors))]
        pids = {future.result(PATIENCE) for future in futures}
        own = [psutil.Process(pid).cpu_affinity() for pid in pids]
        assert sorted(own) == sorted([each] for each in processors)
        workers.submit(kill_itself_once, str(tmp_path / "marker")).result(PATIENCE)
        assert os.sched_getaffinity(0) == processors


def test_what_a_job_raises_comes_back(workers: LocalWorkers) -> None:
    with pytest.raises(ValueError, match="no luck"):
        workers.submit(fail, "no luck").result(PATIENCE)
    assert workers.submit(square, 3).result(PATIENCE) == 9


def test_a_job_whose_worker_is_killed_is_done_by_another(workers: LocalWorkers, tmp_path: Path) -> None:
    others = [workers.submit(square, number) for number in range(5)]
    future = workers.submit(kill_itself_once, str(tmp_path / "marker"))
    assert future.result(PATIENCE) == "done"
    assert [other.result(PATIENCE) for other in others] == [0, 1, 4, 9, 16]


def test_a_worker_that_is_killed_while_it_has_nothing_to_do(workers: LocalWorkers) -> None:
    assert workers.submit(square, 2).result(PATIENCE) == 4
    for child in multiprocessing.active_children():
        child.kill()
        child.join(PATIENCE)
    assert workers.submit(square, 3).result(PATIENCE) == 9


def test_a_job_that_kills_its_workers_is_given_up_and_no_other(workers: LocalWorkers) -> None:
    futures = [workers.submit(pid_after, 0.05) for _ in range(4)]
    killer = workers.submit(die, 7)
    futures += [workers.submit(pid_after, 0.05) for _ in range(4)]
    with pytest.raises(WorkerDiedError, match="3 workers died of it, the last one with status 7"):
        killer.result(PATIENCE)
    assert all(future.result(PATIENCE) for future in futures)


def test_workers_that_all_die_end_it() -> None:
    with LocalWorkers(1) as workers:
        errors = [workers.submit(die, 1).exception(PATIENCE) for _ in range(3)]
    assert [type(error) for error in errors] == [WorkerDiedError, WorkerDiedError, WorkersError]


def test_closing_ends_workers_at_once() -> None:
    workers = LocalWorkers(2)
    futures = [workers.submit(pid_after, 1000.0) for _ in range(5)]
    wait_until(lambda: len(multiprocessing.active_children()) == 2)
    workers.close()
    assert not multiprocessing.active_children()
    assert all(future.done() for future in futures)


ORPHANS = """
import os, sys, time
from lolli.cli.workers import LocalWorkers
from tests.lolli.cli.annotation.jobs import pid_after
if __name__ == "__main__":
    workers = LocalWorkers(2)
    workers.submit(pid_after, 0.0).result()
    for _ in range(2):
        workers.submit(pid_after, 1000.0)
    print("ready", flush=True)
    time.sleep(1000)
"""


def test_workers_do_not_outlive_who_has_started_them(tmp_path: Path) -> None:
    """One of them has just been started, another has something to do."""
    script = tmp_path / "orphans.py"
    script.write_text(ORPHANS)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        family = psutil.Process(process.pid).children(recursive=True)
        assert family
        process.kill()
        process.wait(PATIENCE)
    wait_until_gone(family)


UNCLOSED = """
from lolli.cli.workers import LocalWorkers
from tests.lolli.cli.annotation.jobs import pid_after
if __name__ == "__main__":
    workers = LocalWorkers(1)
    workers.submit(pid_after, 0.0).result()
    workers.submit(pid_after, 1000.0)
    workers.submit(pid_after, 1000.0)
    raise SystemExit(130)
"""


def test_a_process_ends_with_workers_that_were_not_closed(tmp_path: Path) -> None:
    script = tmp_path / "unclosed.py"
    script.write_text(UNCLOSED)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen([sys.executable, script], env=environment) as process:
        try:
            assert process.wait(PATIENCE) == 130
        finally:
            process.kill()


def pipeline(executor: ThreadPoolExecutor, work: object, count: int, window: int = 4) -> Pipeline[int, int]:
    return Pipeline(executor, work, iter(range(count)), lambda: window)  # type: ignore[arg-type]


def results(line: Pipeline[int, int]) -> list[tuple[int, int]]:
    return [(done[0], done[1].result()) for done in line.results() if done is not None]


def test_results_come_in_order() -> None:
    """Although the first ones are the last to be done."""

    def work(number: int) -> int:
        time.sleep(0.02 * (4 - number % 4))
        return number * number

    with ThreadPoolExecutor(4) as executor:
        line = pipeline(executor, work, 20)
        assert results(line) == [(number, number * number) for number in range(20)]
    assert line.finished


def test_no_more_than_the_window_are_drawn_ahead() -> None:
    release = threading.Event()
    drawn: list[int] = []

    def numbers() -> Iterator[int]:
        for number in range(100):
            drawn.append(number)
            yield number

    with ThreadPoolExecutor(2) as executor:
        line = Pipeline(executor, lambda _: release.wait(PATIENCE), numbers(), lambda: 7)
        found = line.results()
        assert next(found) is None
        assert drawn == list(range(7))
        release.set()
        for expected in range(7, 12):
            while next(found) is None:
                pass
            assert len(drawn) <= expected
        line.stop()
        assert all(each is None or each[1].done() for each in found)


def test_stopping_yields_what_is_done() -> None:
    hold, beyond = threading.Event(), threading.Event()

    def work(number: int) -> int:
        if number == 3:
            hold.wait(PATIENCE)
        if number == 4:
            beyond.set()  # by the other thread, which has nothing left to do before it
        return number

    with ThreadPoolExecutor(2) as executor:
        line = pipeline(executor, work, 100, window=10)
        found = line.results()
        while next(found) is None:
            pass
        assert beyond.wait(PATIENCE)
        line.stop()
        rest = [each[0] for each in found if each is not None]
        hold.set()
    assert rest == [1, 2]
    assert not line.finished


def test_what_is_drawn_after_stopping_is_not_worked_on() -> None:
    """It may be cut short."""
    worked: list[int] = []

    def items() -> Iterator[int]:
        yield 1
        line.stop()  # as a signal does meanwhile
        yield 2

    with ThreadPoolExecutor(1) as executor:
        line = Pipeline(executor, worked.append, items(), lambda: 5)
        assert len([done for done in line.results() if done is not None]) <= 1
        assert not line.finished
    assert worked == [1]
