"""A search that asks endgame tables first: the time they may take, and what it does with their answer."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import Event

import pytest

from engine.board.notation import move_text
from engine.board.position import Position
from engine.lookup.library import Library
from engine.search.limits import Limits
from engine.search.report import REPORTED_WIN, Bound, Verdict
from engine.search.time_manager import allot
from engine.session import Session
from engine.system.control import now
from tests.engine.search.searching import Recorder, search, sized
from tests.engine.sessions import KIWIPETE, SOON, Awaited, assert_answered, started

ROOK = "8/8/8/8/8/4k3/8/K6R w - - 0 1"


class FakeTables:
    """Endgame tables that know the moves of one position, or nothing; `answer` tells when."""

    def __init__(self, winning: Sequence[str] = ()) -> None:
        self.winning = winning
        self.answer: Callable[[Callable[[], bool]], object] = bool
        self.ended = 0.0

    def verdict(
        self, _position: Position, moves: Sequence[int], expired: Callable[[], bool]
    ) -> Verdict | None:
        self.answer(expired)
        self.ended = time.monotonic()
        best = tuple(move for move in moves if move_text(move) in self.winning)
        others = tuple(move for move in moves if move not in best)
        values = dict.fromkeys(best, REPORTED_WIN) | dict.fromkeys(others, 0)
        return Verdict(best, others, values, len(moves)) if best else None

    def damage(self) -> str:
        return ""


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch) -> FakeTables:
    tables = FakeTables()
    monkeypatch.setattr(Library, "tables", tables)
    return tables


def until_expired(expired: Callable[[], bool]) -> None:
    while not expired():
        time.sleep(0.001)


@pytest.mark.alone
def test_tables_have_half_the_time_of_a_move(session: Session, tables: FakeTables) -> None:
    tables.answer = until_expired
    begun = time.monotonic()
    heard = search(session, Limits(move_time=2010), KIWIPETE)  # 10 of them are the overhead
    assert 0.4 < (tables.ended - begun) / (time.monotonic() - begun) < 0.75
    assert heard.last.nodes > 1


@pytest.mark.parametrize(
    ("limits", "overhead", "least"),
    [
        (Limits(time=(209, 209)), 10, 0),
        (Limits(time=(210, 210)), 10, 20),
        (Limits(time=(205, 205)), 200, 0),
        (Limits(time=(1000, 1000)), 10, 20),
        (Limits(time=(60_000, 60_000), move_time=5), 10, 0),
    ],
)
def test_tables_have_some_time_on_a_short_clock(
    session: Session,
    tables: FakeTables,
    monkeypatch: pytest.MonkeyPatch,
    limits: Limits,
    overhead: int,
    least: int,
) -> None:
    """Half the hard budget, in milliseconds, or 20 where the clock has ten times as much."""
    patience = max(allot(limits, 0, overhead).hard / 2, least)
    begun, passed, told = now(), 0.0, []
    monkeypatch.setattr("engine.search.run.now", lambda: begun + int(passed * 1e6))

    def answer(expired: Callable[[], bool]) -> None:
        nonlocal passed
        for passed in (patience - 0.1, patience + 0.1):  # noqa: B007 - the clock reads it
            told.append(expired())

    tables.answer = answer
    session.settings.move_overhead = overhead
    session.set_position(KIWIPETE)
    session.go(limits, Recorder(), begun)
    assert session.wait(SOON)
    assert told == [False, True]


def test_clock_begins_with_ponderhit_while_tables_are_still_asked(
    session: Session, tables: FakeTables
) -> None:
    """What they took until then was the other side's time."""
    asked, told, left = Event(), Event(), []

    def answer(expired: Callable[[], bool]) -> None:
        asked.set()
        left.append(told.wait(SOON) and not expired())

    tables.answer = answer
    listener = Awaited()
    session.set_position(KIWIPETE)
    limits = Limits(move_time=1_000_000, nodes=2000, ponder=True)
    session.go(limits, listener, now() - 600 * 10**9)
    assert asked.wait(SOON)
    session.ponderhit()
    told.set()
    assert session.wait(SOON)
    assert_answered(session, listener)
    assert left == [True]
    assert listener.last.nodes > 1


def test_stop_ends_the_asking(session: Session, tables: FakeTables) -> None:
    tables.answer = until_expired
    listener = started(session, Limits(infinite=True), KIWIPETE, begun=False)
    assert not session.wait(0.1)
    session.stop()
    assert session.wait(SOON)
    assert_answered(session, listener)


def test_the_only_move_they_leave_is_played_at_once(session: Session, tables: FakeTables) -> None:
    tables.winning = ["h1h2"]
    clock = Limits(time=(60_000, 60_000))
    heard = search(session, clock, ROOK)
    assert heard.best == "h1h2"
    assert heard.last.depth == 1
    tables.winning = []
    assert search(session, replace(clock, depth=3), ROOK).last.depth == 3


def test_what_they_tell_is_no_bound(session: Session, tables: FakeTables) -> None:
    """Though what the search has found so far is one where it was cut short."""

    def told(nodes: int) -> set[tuple[bool, Bound]]:
        return {
            (report.known, report.bound) for report in search(session, Limits(nodes=nodes), KIWIPETE).reports
        }

    assert any(told(nodes) > {(False, Bound.EXACT)} for nodes in range(1000, 10_000, 50))
    tables.winning = ["d5e6", "e2a6", "a1b1"]
    session.new_game()
    assert all(told(nodes) == {(True, Bound.EXACT)} for nodes in range(1000, 5000, sized(50, 500)))
