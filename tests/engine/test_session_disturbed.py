"""A session refuses what disturbs a search, reports what breaks it, and keeps the position."""

import mmap
import random
import threading
from collections.abc import Callable

import chess
import pytest

from engine import session as session_module
from engine.board.fen import START_FEN, FenError, format_fen
from engine.board.notation import MoveError
from engine.board.position import COMPILED
from engine.search.limits import Limits, Settings
from engine.search.report import Report
from engine.search.table import TableError
from engine.session import SearchingError, Session
from engine.system import memory
from eval.material import Material
from tests.engine.search.searching import opened, search, sized
from tests.engine.sessions import (
    FOREVER,
    KIWIPETE,
    SOON,
    Awaited,
    assert_answered,
    assert_legal,
    started,
)

# What a search must not be disturbed by


def test_search_is_not_disturbed(session: Session) -> None:
    listener = started(session, FOREVER)
    other = Awaited()
    disturbances: list[Callable[[], None]] = [
        lambda: session.set_position(KIWIPETE),
        lambda: session.go(Limits(depth=1), other),
        session.new_game,
        session.clear_table,
        lambda: session.resize_table(2),
        session.flip,
    ]
    for disturb in disturbances:
        with pytest.raises(SearchingError):
            disturb()
    assert session.searching
    assert format_fen(session.position) == START_FEN
    assert session._engine.table.megabytes == 1
    session.stop()
    assert_answered(session, listener)
    assert not other.outcomes
    assert not other.reports


def test_table_that_cannot_be_had_is_as_large_as_can_be(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "available", lambda: 100 << 20)
    session.resize_table(10**7)
    # 64 are kept free, and 6 for a searcher that is yet to be made.
    assert session._engine.table.megabytes == 30
    assert session.shortages() == [f"Hash: 30 of {10**7} MB, for lack of memory"]
    assert session.shortages() == []
    assert_answered(session, search(session, Limits(depth=3)))


def test_table_is_smaller_where_not_even_the_old_size_can_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    """Others have taken the memory that it had."""
    mapped = memory._mapped

    def refuse(size: int) -> mmap.mmap:
        if size <= 3 << 20:
            return mapped(size)
        raise memory.NoMemoryError(f"{size >> 20} MB are not available")

    with opened(megabytes=8) as session:
        monkeypatch.setattr(memory, "_mapped", refuse)
        session.resize_table(16)
        assert session._engine.table.megabytes == 3
        assert session.shortages() == ["Hash: 3 of 16 MB, for lack of memory"]
        assert_answered(session, search(session, Limits(depth=3)))


def test_table_may_be_lost_but_not_the_session(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even the memory that was given up can be had back."""
    mapped = memory._mapped

    def refuse(size: int) -> mmap.mmap:
        if size < 1 << 20:
            return mapped(size)
        raise memory.NoMemoryError(f"{size >> 20} MB are not available")

    monkeypatch.setattr(memory, "_mapped", refuse)
    with pytest.raises(TableError):
        session.resize_table(2)
    assert_answered(session, search(session, Limits(depth=3)))
    monkeypatch.undo()
    session.resize_table(2)
    assert_answered(session, search(session, Limits(depth=3)))


def test_table_of_another_size_is_empty(session: Session) -> None:
    fresh = search(session, Limits(depth=4), KIWIPETE).last.nodes
    assert search(session, Limits(depth=4), KIWIPETE).last.nodes < fresh
    for megabytes in (3, 1):
        session.resize_table(megabytes)
        session.new_game()
        assert search(session, Limits(depth=4), KIWIPETE).last.nodes == fresh


# When something breaks


class BrokenError(RuntimeError):
    """What the tests break with."""


def break_down(report: Report) -> None:
    raise BrokenError(report.depth)


@pytest.mark.parametrize("threads", [1, 3])
def test_crash_is_told_and_a_move_is_played(threads: int) -> None:
    with opened(Settings(threads=threads)) as session:
        listener = Awaited(on_report=break_down)
        session.set_position(KIWIPETE)
        session.go(Limits(depth=5), listener)
        assert session.wait(SOON)
        assert [type(error) for error in listener.errors] == [BrokenError]
        (outcome,) = listener.outcomes
        assert_legal(session, outcome)
        assert not session.searching
        assert_answered(session, search(session, Limits(depth=3)))


@pytest.mark.skipif(COMPILED, reason="what is compiled cannot be patched")
@pytest.mark.parametrize("calls", [0, 1, 100])
def test_crash_of_the_evaluator(session: Session, monkeypatch: pytest.MonkeyPatch, calls: int) -> None:
    left = [calls]
    evaluate = Material.evaluate

    def fail_in_time(self: Material, position: object) -> int:
        left[0] -= 1
        if left[0] < 0:
            raise BrokenError
        return evaluate(self, position)  # type: ignore[arg-type]

    monkeypatch.setattr(Material, "evaluate", fail_in_time)
    listener = Awaited()
    session.set_position(KIWIPETE)
    session.go(Limits(depth=5), listener)
    assert session.wait(SOON)
    assert [type(error) for error in listener.errors] == [BrokenError]
    assert_legal(session, listener.outcomes[0])
    monkeypatch.undo()
    assert_answered(session, search(session, Limits(depth=2), KIWIPETE))


@pytest.mark.parametrize("error", [MemoryError, RuntimeError])
def test_search_for_which_there_is_no_thread_leaves_the_session_idle(
    session: Session, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    def refuse(*_: object) -> None:
        raise error("no more threads")

    with monkeypatch.context() as patched:
        patched.setattr(session_module, "run_in_thread", refuse)
        with pytest.raises(error):
            session.go(Limits(depth=1), Awaited())
    assert not session.searching
    assert session.wait(0)
    assert_answered(session, search(session, Limits(depth=2), KIWIPETE))


@pytest.mark.parametrize("method", ["failed", "outcome"])
def test_broken_listener_leaves_the_session_usable(
    session: Session, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    fallen: list[object] = []
    told = threading.Event()

    def note(args: threading.ExceptHookArgs) -> None:
        fallen.append(args.exc_value)
        told.set()

    def fail(*_: object) -> None:
        raise BrokenError(method)

    monkeypatch.setattr(threading, "excepthook", note)
    listener = Awaited(on_report=break_down if method == "failed" else None)
    monkeypatch.setattr(listener, method, fail)
    session.go(Limits(depth=2), listener)
    assert session.wait(SOON)
    assert told.wait(SOON)
    session.close()
    assert not session.searching
    assert [str(error) for error in fallen] == [method]
    assert_answered(session, search(session, Limits(depth=2)))


# The position


def test_errors_leave_the_position(session: Session) -> None:
    session.set_position(START_FEN, ["e2e4", "e7e5"])
    before = format_fen(session.position)
    with pytest.raises(FenError):
        session.set_position("nonsense")
    with pytest.raises(MoveError):
        session.set_position(START_FEN, ["e2e4", "e7e5", "e4e5"])
    assert format_fen(session.position) == before
    with pytest.raises(MoveError):
        session.set_position(START_FEN, ["e2e4", "e7e5", "g1f3", "xyz", "g8f6"])
    after = format_fen(session.position)
    assert after.startswith("rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq")
    session.set_position(START_FEN, ["e2e4", "e7e5", "g1f3"])
    assert format_fen(session.position) == after


def test_flipped_position_is_the_mirror_image(session: Session) -> None:
    board = chess.Board(KIWIPETE)
    session.set_position(KIWIPETE)
    session.flip()
    assert format_fen(session.position).split()[:4] == board.mirror().fen().split()[:4]
    session.set_position(KIWIPETE, ["a2a3"])
    board.push_uci("a2a3")
    assert format_fen(session.position) == board.fen()


@pytest.mark.parametrize("seed", range(sized(6, 2)))
def test_game_told_move_by_move_is_the_game_told_at_once(session: Session, seed: int) -> None:
    """Also with moves taken back, and beyond the room for a game's moves."""
    rng = random.Random(seed)
    board = chess.Board()
    texts: list[str] = []
    while len(texts) < 700 and not board.is_game_over():
        quiet = [move for move in board.legal_moves if not board.is_zeroing(move)]
        move = rng.choice(quiet or list(board.legal_moves))
        board.push(move)
        texts.append(move.uci())
        if rng.random() < 0.05:
            count = rng.randrange(1, 4)
            for _ in texts[-count:]:
                board.pop()
            del texts[-count:]
        session.set_position(START_FEN, texts)
        assert format_fen(session.position) == board.fen(en_passant="legal")
    with opened() as other:
        other.set_position(START_FEN, texts)
        assert other.position.key == session.position.key
        assert other.position.is_repetition(0) == session.position.is_repetition(0)
        assert session.position.is_repetition(0) == board.is_repetition(3)
