"""Positions and listeners for tests of a session with real threads."""

import threading
from collections.abc import Callable
from threading import Event

from engine.board.fen import START_FEN
from engine.board.movegen import legal_moves
from engine.search.limits import Limits
from engine.search.report import Outcome, Report
from engine.session import Session
from tests.engine.search.searching import Recorder

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
MATE_SOON = "6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1"
BARE_KINGS = "8/8/8/3k4/8/8/8/4K3 w - - 0 1"
ONE_MOVE = "7k/6pp/8/8/8/8/6r1/7K w - - 0 1"
MATED = "3R2k1/5ppp/8/8/8/8/8/K7 b - - 0 1"
STALEMATE = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"
POSITIONS = [START_FEN, KIWIPETE, MATE_SOON, BARE_KINGS, ONE_MOVE]

SOON = 60.0  # seconds: only a hang takes so long
WHILE = 0.05  # seconds in which what must not happen would have happened
FOREVER = Limits(infinite=True)


class Awaited(Recorder):
    def __init__(self, on_report: Callable[[Report], None] | None = None) -> None:
        super().__init__()
        self.begun = Event()
        self.ended = Event()
        self.on_report = on_report

    def report(self, report: Report) -> None:
        super().report(report)
        self.begun.set()
        if self.on_report:
            self.on_report(report)

    def outcome(self, outcome: Outcome) -> None:
        super().outcome(outcome)
        self.ended.set()


def started(session: Session, limits: Limits, fen: str = START_FEN, begun: bool = True) -> Awaited:
    """A search that has reported, or has only been asked for."""
    session.set_position(fen)
    listener = Awaited()
    session.go(limits, listener)
    if begun:
        assert listener.begun.wait(SOON)
    return listener


def assert_answered(session: Session, listener: Recorder) -> None:
    assert session.wait(SOON)
    assert not session.searching
    assert not listener.errors
    (outcome,) = listener.outcomes
    assert_legal(session, outcome)


def assert_legal(session: Session, outcome: Outcome) -> None:
    position = session.position.copy()
    assert outcome.best in legal_moves(position)
    position.make(outcome.best)
    assert not outcome.ponder or outcome.ponder in legal_moves(position)


def workers() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith(("search", "helper"))]
