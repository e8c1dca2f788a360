"""What a session learns of delays, and who hears of it. The time manager's part is tested in search."""

import time
from typing import Any

import pytest

from engine.board.fen import START_FEN
from engine.search import run
from engine.search.limits import Limits
from engine.search.report import Report
from engine.search.time_manager import NO_DELAYS, Budget, Delays, allot
from engine.session import Session
from engine.system.control import Control, now
from tests.engine.search.searching import Recorder
from tests.engine.sessions import SOON

OPENING = ["e2e4", "e7e5", "g1f3", "b8c6"]
STALL = 0.2  # seconds
ON_CLOCK = Limits(time=(1_000, 1_000), increment=(10, 10))


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[Delays]:
    heard: list[Delays] = []

    def listening(
        limits: Limits, side: int, overhead: float, forced: bool, delays: Delays, **more: Any
    ) -> Budget:
        heard.append(delays)
        return allot(limits, side, overhead, forced, delays, **more)

    monkeypatch.setattr(run, "allot", listening)
    return heard


class Stalling(Recorder):
    def report(self, report: Report) -> None:
        super().report(report)
        if len(self.reports) == 1:
            time.sleep(STALL)


def play(session: Session, limits: Limits, moves: int, listener: Recorder | None = None) -> None:
    session.set_position(START_FEN, OPENING[:moves])
    session.go(limits, listener or Recorder())
    assert session.wait(SOON)


def test_a_stall_of_the_search_is_told_to_the_next_one(session: Session, told: list[Delays]) -> None:
    play(session, ON_CLOCK, 0, Stalling())
    play(session, ON_CLOCK, 2)
    assert told[0] == NO_DELAYS
    assert told[1].longest >= STALL * 1000
    assert told[1].usual == 0


@pytest.mark.parametrize("limits", [Limits(depth=3), Limits(nodes=500), Limits(infinite=True)])
def test_nothing_is_learned_where_no_clock_runs(session: Session, told: list[Delays], limits: Limits) -> None:
    session.set_position(START_FEN)
    listener = Stalling()
    session.go(limits, listener)
    while not listener.reports:
        time.sleep(0.001)
    session.stop()
    assert session.wait(SOON)
    play(session, ON_CLOCK, 2)
    assert told[-1] == NO_DELAYS


def test_a_pause_is_the_longest_time_between_two_looks_at_the_clock() -> None:
    control = Control()
    control.begin()
    control.expired()
    assert control.longest_pause() == 0
    control.set_deadline(now() + 60 * 10**9)
    time.sleep(0.05)
    control.expired()
    control.expired()
    assert 50 * 10**6 <= control.longest_pause() < 60 * 10**9
    control.begin()
    assert control.longest_pause() == 0
