"""As many searchers as there is room for."""

import threading
from threading import Event

import pytest

from engine.search import engine, run
from engine.search.engine import Engine
from engine.search.limits import Limits, Settings
from engine.session import Session
from engine.system.thread_pool import Job, run_in_thread
from eval.material import Material
from tests.engine.search.searching import opened, search
from tests.engine.sessions import assert_answered

MB = 1 << 20


@pytest.fixture
def left(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many megabytes are available, in a list so that a test can set it; each searcher takes five."""
    left = [1000]

    def available() -> int:
        left[0] -= 5
        return left[0] * MB

    monkeypatch.setattr(engine, "available", available)
    return left


def refuse_threads(monkeypatch: pytest.MonkeyPatch, after: int, name: str) -> None:
    start = threading.Thread.start

    def start_or_not(thread: threading.Thread) -> None:
        alive = [each for each in threading.enumerate() if each.name.startswith(name)]
        if thread.name.startswith(name) and len(alive) >= after:
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", start_or_not)


@pytest.mark.usefixtures("left")
def test_all_where_there_is_room() -> None:
    crew = Engine(Material, 1)
    crew.prepare(7)
    assert len(set(crew.searchers)) == 7
    first = crew.searchers[0]
    crew.prepare(9)
    assert len(set(crew.searchers)) == 9
    assert crew.searchers[0] is first
    assert crew.shortages() == []
    assert not [thread for thread in threading.enumerate() if thread.name == "trial"]


@pytest.mark.parametrize(("megabytes", "expected"), [(0, 1), (30, 1), (40, 1), (50, 3), (65, 5)])
def test_fewer_where_there_is_not(left: list[int], megabytes: int, expected: int) -> None:
    left[0] = megabytes
    crew = Engine(Material, 1)
    crew.prepare(8)
    assert len(crew.searchers) == expected
    assert crew.shortages() == [f"Threads: {expected} of 8, for lack of room"]


def test_one_thread_is_not_tried_out(left: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    left[0] = 0
    refuse_threads(monkeypatch, 0, "trial")
    assert len(Engine.single(Material(), 1).searchers) == 1


@pytest.mark.usefixtures("left")
def test_some_are_given_back_where_memory_runs_out_all_the_same() -> None:
    made: list[Material] = []

    def make() -> Material:
        if len(made) >= 20:
            raise MemoryError
        made.append(Material())
        return made[-1]

    crew = Engine(make, 1)
    crew.prepare(30)
    assert len(crew.searchers) == 18
    assert not [thread for thread in threading.enumerate() if thread.name == "trial"]


def test_not_even_one_is_an_error() -> None:
    def make() -> Material:
        raise MemoryError

    with pytest.raises(MemoryError):
        Engine(make, 1).prepare(3)


def test_fewer_threads_than_searchers_could_be_made(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse_threads(monkeypatch, 5, "trial")
    session.settings.threads = 8
    session.get_ready()
    assert session.shortages() == ["Threads: 5 of 8, for lack of room"]
    assert_answered(session, search(session, Limits(depth=3)))
    assert session.shortages() == []
    assert session.settings.threads == 8


def test_it_is_tried_again_when_another_number_is_wanted(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        refuse_threads(patched, 2, "trial")
        session.settings.threads = 3
        session.get_ready()
        assert session.shortages() == ["Threads: 2 of 3, for lack of room"]
    session.get_ready()
    assert session.shortages() == []
    session.settings.threads = 4
    session.get_ready()
    assert session.shortages() == []
    session.settings.threads = 3
    session.get_ready()
    assert session.shortages() == []


def test_it_is_tried_again_after_fewer_were_wanted(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        refuse_threads(patched, 2, "trial")
        session.settings.threads = 3
        session.get_ready()
    for threads in (1, 3):
        session.settings.threads = threads
        session.get_ready()
        assert len(session._engine.searchers) == threads


def test_threads_refused_to_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """They could be had when they were counted, and not later: the search goes on with those that it has."""
    helpers: list[str] = []

    def start_or_not(job: Job, name: str) -> Event:
        if name.startswith("helper"):
            if helpers:
                raise RuntimeError("can't start new thread")
            helpers.append(name)
        return run_in_thread(job, name)

    with opened(Settings(threads=4)) as session:
        session.get_ready()
        with monkeypatch.context() as patched:
            patched.setattr(run, "run_in_thread", start_or_not)
            listener = search(session, Limits(depth=4))
            assert_answered(session, listener)
        assert not listener.errors
        for _ in range(2):
            assert_answered(session, search(session, Limits(depth=3)))
        assert session.shortages() == ["Threads: 2 of 4, for lack of room"]
