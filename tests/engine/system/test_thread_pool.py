"""Threads that are kept for the next job: every job runs once, in a thread that waited or in a new one."""

import threading
from functools import partial
from threading import Barrier, Event, current_thread, get_ident
from weakref import ref

import pytest

from engine.system import thread_pool
from engine.system.thread_pool import run_in_thread

SOON = 60.0


def ran_in(name: str) -> tuple[int, str]:
    found: list[tuple[int, str]] = []
    over = run_in_thread(lambda: found.append((get_ident(), current_thread().name)), name)
    assert over.wait(SOON)
    (only,) = found
    return only


def test_jobs_at_the_same_time_have_threads_of_their_own() -> None:
    for count in (5, 3, 7):
        together = Barrier(count)
        over = [run_in_thread(lambda meet=together: meet.wait(SOON), "job") for _ in range(count)]  # type: ignore[misc]
        assert all(each.wait(SOON) for each in over)
        assert not together.broken
    assert len(thread_pool._waiting) >= 7


def test_it_may_be_given_the_next_job_by_the_one_that_waited_for_the_last() -> None:
    """A thread waits before its job is over for others, or a chain of jobs would take two threads."""
    assert ran_in("first")[1] == "first"
    threads = {ran_in("job") for _ in range(500)}
    assert len(threads) == 1
    assert threads != {(get_ident(), "job")}


def test_nothing_of_a_job_is_kept() -> None:
    class Table:
        """Something large."""

    def job(table: Table) -> None:
        assert isinstance(table, Table)

    table = Table()
    kept = ref(table)
    over = run_in_thread(partial(job, table), "job")
    del table
    assert over.wait(SOON)
    assert kept() is None


def test_threads_end_when_there_is_nothing_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thread_pool, "_PATIENCE", 0.01)
    found: list[threading.Thread] = []
    assert run_in_thread(lambda: found.append(current_thread()), "job").wait(SOON)
    (thread,) = found
    thread.join(SOON)
    assert not thread.is_alive()
    assert thread not in thread_pool._waiting


def test_a_job_that_comes_as_the_thread_gives_up_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thread_pool, "_PATIENCE", 1e-4)
    for _ in range(300):
        ran_in("job")


def test_an_error_ends_the_thread_and_the_job(monkeypatch: pytest.MonkeyPatch) -> None:
    errors: list[type[BaseException]] = []
    told = Event()

    def note(args: threading.ExceptHookArgs) -> None:
        errors.append(args.exc_type)
        told.set()

    monkeypatch.setattr(threading, "excepthook", note)
    assert run_in_thread(lambda: 1 // 0, "job").wait(SOON)
    assert told.wait(SOON)
    assert errors == [ZeroDivisionError]
    assert all(thread.name == "waiting" for thread in thread_pool._waiting)


def test_the_system_has_no_more_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    ran_in("job")
    monkeypatch.setattr(threading.Thread, "start", refuse)
    ran_in("another")
    may_end = Event()
    waiting = len(thread_pool._waiting)
    over = [run_in_thread(may_end.wait, "job") for _ in range(waiting)]
    with pytest.raises(RuntimeError, match="new thread"):
        run_in_thread(may_end.wait, "job")
    may_end.set()
    assert over
    assert all(each.wait(SOON) for each in over)
