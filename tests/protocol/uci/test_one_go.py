"""The way of one `go`, from its handler to alpha-beta: ten functions and a thread, and none calls back."""

import sys
from io import BytesIO
from threading import Event
from types import FrameType

import pytest

from engine import session
from engine.board.position import COMPILED
from engine.search.alphabeta import Searcher
from engine.session import Session
from engine.system.thread_pool import Job, run_in_thread
from protocol.uci.dialogue import Uci
from protocol.writer import Writer
from tests.compiled import ROOT

WAY = [
    "Uci._go",
    "Session.go",
    "Run.run",
    "Run._search",
    "RootSearch.deepen",
    "RootSearch.search",
    "RootSearch._search",
    "RootSearch._search_next",
    "Searcher.search_root_move",
    "Searcher.search",
]
FOLDERS = tuple(str(ROOT / name) for name in ("engine", "protocol"))


def callers(first: str) -> list[str]:
    names: list[str] = []
    frame: FrameType | None = sys._getframe(2)
    while frame and first not in names:
        if frame.f_code.co_filename.startswith(FOLDERS):
            names.append(frame.f_code.co_qualname)
        frame = frame.f_back
    return names[::-1]


@pytest.mark.skipif(COMPILED, reason="what is compiled cannot be patched")
def test_the_way_of_one_go(monkeypatch: pytest.MonkeyPatch) -> None:
    ways: list[list[str]] = []
    search = Searcher.search

    def begin(job: Job, name: str) -> Event:
        ways.append(callers("Uci._go"))
        return run_in_thread(job, name)

    def searching(searcher: Searcher, *window: int) -> int:
        if len(ways) == 1:
            ways.append([*callers("Run.run"), "Searcher.search"])
        return search(searcher, *window)  # type: ignore[arg-type]

    monkeypatch.setattr(session, "run_in_thread", begin)
    monkeypatch.setattr(Searcher, "search", searching)
    Uci(Session(megabytes=1), Writer()).run(BytesIO(b"go depth 1\n"))
    from_line, to_search = ways
    assert [*from_line, *to_search] == WAY
