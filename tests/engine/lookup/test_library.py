"""The look-up tables of a session: when they are asked, and what happens where they cannot be had."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.board.fen import START_FEN
from engine.board.notation import move_text, parse_move
from engine.lookup.book import BookError
from engine.search.limits import Limits
from engine.session import Session
from tests.engine.lookup.books import after, four, saved
from tests.engine.search.searching import go

NODES = Limits(nodes=50)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    opened = Session(megabytes=1)
    opened.library.load_book(str(saved(tmp_path, four())))
    opened.library.use_book(wanted=True)
    opened.library.best_only = True
    yield opened
    opened.close()


def uses_book(session: Session, limits: Limits = NODES) -> bool:
    """Whether the answer is from the book; then nothing is searched."""
    listener = go(session, limits)
    (outcome,) = listener.outcomes
    assert bool(listener.reports) != bool(outcome.remark)
    return not listener.reports


def test_a_book_move_with_its_reply(session: Session) -> None:
    (outcome,) = go(session, NODES).outcomes
    assert (move_text(outcome.best), move_text(outcome.ponder)) == ("e2e4", "e7e5")
    assert outcome.remark == "book move, weight 50 of 100"


def test_out_of_book_the_engine_thinks(session: Session) -> None:
    assert uses_book(session)
    session.set_position(START_FEN, ["e2e4"])
    assert uses_book(session)
    session.set_position(START_FEN, ["d2d4"])
    assert not uses_book(session)


def test_limits_that_ask_for_more_than_a_move(session: Session) -> None:
    position = session.position
    for limits in (NODES, Limits(depth=3), Limits(time=(1000, 1000), ponder=True), Limits(move_time=20)):
        assert session.library.book_move(position, limits, 1)
    searched = Limits(search_moves=(parse_move(position, "e2e4"),))
    for limits in (Limits(infinite=True), Limits(mate=3), searched):
        assert session.library.book_move(position, limits, 1) is None
    assert session.library.book_move(position, NODES, 2) is None


def test_depth_of_the_book(session: Session) -> None:
    session.set_position(START_FEN, ["e2e4"])
    session.library.deepest = 1
    assert uses_book(session)
    session.set_position(after("e2e4").fen().replace("0 1", "0 2"))
    assert not uses_book(session)
    session.library.deepest = 2
    assert uses_book(session)


def test_a_book_that_cannot_be_used_leaves_the_one_in_use(session: Session, tmp_path: Path) -> None:
    with pytest.raises(BookError, match="no such file"):
        session.library.load_book(str(tmp_path / "missing.bin"))
    assert uses_book(session)
    session.library.use_book(wanted=False)
    assert not uses_book(session)
    session.library.use_book(wanted=True)
    assert uses_book(session)


def test_python_chess_is_loaded_only_for_who_looks_up(is_pure: bool) -> None:
    """It would double the time that the engine takes to start."""
    if is_pure:
        pytest.skip("the same modules in both modes")
    code = """
import sys
import protocol.uci.dialogue
from engine.session import Session
session = Session(megabytes=1)
library = session.library
library.use_book(False)
library.load_book(None)
library.load_tables("")
library.fifty_moves = True
print("chess" in sys.modules)
library.load_tables("/nowhere")
print("chess" in sys.modules)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "True"]
