"""One engine with real threads: every `go` has its one outcome, when and however it is to end."""

import random
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import count, pairwise
from threading import Event
from typing import Any

import pytest

from engine.board.fen import START_FEN, parse_fen
from engine.board.movegen import legal_moves
from engine.board.notation import MoveError, parse_move
from engine.board.position import Position
from engine.search import run
from engine.search.alphabeta import Searcher
from engine.search.limits import Limits, Settings
from engine.search.report import Bound, Finding, Iteration, Outcome
from engine.search.root_search import RootSearch
from engine.search.run import Run
from engine.search.time_manager import Budget
from engine.session import SearchingError, Session
from engine.system.control import now
from engine.system.thread_pool import Job, run_in_thread
from tests.engine.search.searching import Recorder, opened, search, sized
from tests.engine.sessions import (
    BARE_KINGS,
    FOREVER,
    KIWIPETE,
    MATE_SOON,
    MATED,
    ONE_MOVE,
    POSITIONS,
    SOON,
    STALEMATE,
    WHILE,
    Awaited,
    assert_answered,
    started,
    workers,
)
from tests.patience import wait_until

# One outcome


def test_helpers_begin_once_where_the_second_depth_is_cut_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first depth is then reported twice; helpers begun twice would share searchers."""
    begun: list[Run] = []
    begin = Run._start_helpers

    def counting(search: Run) -> None:
        begun.append(search)
        begin(search)

    monkeypatch.setattr(Run, "_start_helpers", counting)
    with opened(Settings(threads=2)) as session:
        for nodes in range(20, 90, 3):
            begun.clear()
            session.new_game()
            listener = Awaited()
            session.go(Limits(nodes=nodes), listener)
            assert_answered(session, listener)
            assert len(begun) <= 1, nodes


def assert_stops_by_itself(session: Session) -> None:
    """Soon; its outcome may be held back."""
    wait_until(session._engine.control.stopped)


@pytest.fixture
def helpers(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the helpers that have been started, each taking its time."""
    names: list[str] = []

    def start_slowly(job: Job, name: str) -> Event:
        over = run_in_thread(job, name)
        if name.startswith("helper"):
            time.sleep(WHILE)
            names.append(name)
        return over

    monkeypatch.setattr(run, "run_in_thread", start_slowly)
    return names


def test_helpers_begin_when_all_have_been_started(
    monkeypatch: pytest.MonkeyPatch, helpers: list[str]
) -> None:
    """Else those that search would hold up the others' start."""
    began: list[int] = []

    class Counting:
        def __init__(self, searcher: Searcher) -> None:
            self._root = RootSearch(searcher)

        def __getattr__(self, name: str) -> Any:
            return getattr(self._root, name)

        def help(self, number: int) -> None:
            began.append(len(helpers))
            self._root.help(number)

    monkeypatch.setattr(run, "RootSearch", Counting)
    with opened(Settings(threads=4)) as session:
        search(session, Limits(depth=sized(9, 5)), KIWIPETE)
    assert began == [3, 3, 3]


def test_no_helper_is_started_when_the_time_is_over(helpers: list[str]) -> None:
    with opened(Settings(threads=4)) as session:
        listener = Awaited(on_report=lambda _: time.sleep(0.2))
        session.go(Limits(move_time=100), listener)
        assert_answered(session, listener)
    assert not helpers


@pytest.mark.parametrize(
    ("limits", "helped"),
    [
        (Limits(time=(120, 120)), False),
        (Limits(time=(120, 120), ponder=True), False),
        (Limits(time=(3_600_000, 3_600_000), ponder=True), True),
        (Limits(time=(3_600_000, 3_600_000)), True),
    ],
)
def test_no_helper_is_started_where_there_is_next_to_no_time(
    helpers: list[str], limits: Limits, helped: bool
) -> None:
    """A move in a hurry would have to wait for them to end."""
    deeper = Event()
    with opened(Settings(threads=2)) as session:
        listener = Awaited(on_report=lambda report: deeper.set() if report.depth > 1 else None)
        session.go(limits, listener)
        if helped:
            assert deeper.wait(SOON)
            session.stop()
        elif limits.ponder:
            assert_stops_by_itself(session)
            session.stop()
        assert_answered(session, listener)
    assert bool(helpers) == helped


@pytest.mark.parametrize("end", [Session.ponderhit, Session.stop])
def test_pondering_ends_early_where_the_move_will_be_made_in_a_hurry(end: Callable[[Session], None]) -> None:
    """The outcome is held back all the same."""
    with opened(Settings(threads=2)) as session:
        listener = Awaited()
        session.go(Limits(time=(60, 60), ponder=True), listener)
        assert_stops_by_itself(session)
        assert session.searching
        assert not listener.outcomes
        end(session)
        assert_answered(session, listener)


@pytest.mark.parametrize("fen", POSITIONS)
@pytest.mark.parametrize("threads", [1, 2, 4])
def test_every_search_has_one_legal_outcome(fen: str, threads: int) -> None:
    with opened(Settings(threads=threads, lines=threads)) as session:
        for limits in (Limits(depth=3), Limits(nodes=2000), Limits(time=(100, 100)), Limits(move_time=20)):
            session.set_position(fen)
            listener = Awaited()
            session.go(limits, listener)
            assert_answered(session, listener)


@pytest.mark.parametrize("limits", [Limits(nodes=1), Limits(move_time=0), Limits(time=(1, 1))])
def test_too_short_for_a_move_but_not_for_a_score(limits: Limits, session: Session) -> None:
    """Clients show it, or wait for it."""
    session.set_position(KIWIPETE)
    listener = Awaited()
    session.go(limits, listener)
    assert_answered(session, listener)
    last = listener.reports[-1]
    assert last.depth >= 1
    assert abs(last.score.value) < 1000
    assert last.moves[0] == listener.outcomes[0].best


@pytest.mark.parametrize("fen", [MATED, STALEMATE])
@pytest.mark.parametrize("limits", [Limits(depth=3), Limits(time=(100, 100)), Limits(nodes=1)])
def test_position_without_moves_is_answered_by_none(session: Session, fen: str, limits: Limits) -> None:
    listener = started(session, limits, fen)
    assert session.wait(SOON)
    assert listener.outcomes == [Outcome(0, 0)]


@pytest.mark.parametrize("fen", [MATE_SOON, BARE_KINGS, ONE_MOVE, MATED, STALEMATE])
def test_infinite_search_keeps_its_outcome_until_stopped(session: Session, fen: str) -> None:
    """Also where there is nothing left to search."""
    listener = started(session, FOREVER, fen)
    assert not session.wait(0.3)
    assert session.searching
    assert not listener.outcomes
    session.stop()
    assert session.wait(SOON)
    assert len(listener.outcomes) == 1


# Stop


@pytest.mark.parametrize("threads", [1, 4])
def test_stop_is_answered_at_once(threads: int) -> None:
    with opened(Settings(threads=threads)) as session:
        for _ in range(5):
            listener = started(session, FOREVER, KIWIPETE)
            session.stop()
            assert listener.ended.wait(SOON)
            assert_answered(session, listener)


def test_stop_and_ponderhit_without_a_search_are_harmless(session: Session) -> None:
    session.stop()
    session.ponderhit()
    assert session.wait(0)
    assert_answered(session, search(session, Limits(depth=2)))
    session.stop()
    session.ponderhit()
    assert search(session, Limits(depth=2)).last.depth == 2


@pytest.mark.parametrize("threads", [1, 3])
def test_hundreds_of_quick_searches(threads: int) -> None:
    rng = random.Random(threads)
    with opened(Settings(threads=threads)) as session:
        for cycle in range(sized(200, 15)):
            listener = started(session, FOREVER, rng.choice(POSITIONS), begun=False)
            if cycle % 3 == 0:
                time.sleep(rng.random() / 500)
            session.stop()
            assert_answered(session, listener)
    wait_until(lambda: not workers())


def test_next_search_may_begin_as_soon_as_the_outcome_is_heard(session: Session) -> None:
    """A client's `go` follows a `bestmove` at once."""
    refused: list[BaseException] = []
    left = [sized(200, 20)]
    done = Event()

    class Eager(Recorder):
        def outcome(self, outcome: Outcome) -> None:
            super().outcome(outcome)
            left[0] -= 1
            if left[0] == 0:
                done.set()
                return
            try:
                session.go(Limits(depth=1), Eager())
            except SearchingError as error:
                refused.append(error)
                done.set()

    session.go(Limits(depth=1), Eager())
    assert done.wait(60)
    assert not refused
    assert left == [0]


def test_no_thread_is_left_after_closing() -> None:
    session = Session(Settings(threads=4), 1)
    listener = started(session, FOREVER)
    assert len(workers()) >= 1
    session.close()
    assert not session.searching
    assert len(listener.outcomes) == 1
    assert not workers()
    session.close()


def test_clock_is_told_what_the_depths_were_like(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which of them is the last depends on it."""
    told: list[tuple[Any, ...]] = []

    def allows_another_depth(_: Budget, *what: Any) -> bool:
        told.append(what[:4])
        return len(told) < sized(9, 4)

    monkeypatch.setattr(Budget, "allows_another_depth", allows_another_depth)
    session.use_evaluator("linear")
    heard = search(session, Limits(time=(3_600_000, 3_600_000)), KIWIPETE)
    # After three seconds bounds are reported, too.
    scores = [report.score.value for report in heard.reports if report.bound is Bound.EXACT]
    elapsed, stable, fall, share = zip(*told, strict=True)
    assert list(elapsed) == sorted(elapsed)
    assert list(fall) == [0] + [before - after for before, after in pairwise(scores)]
    assert any(stable)
    assert all(0 < each <= 1 for each in share)
    assert len({*share}) > 1


def test_the_reply_is_that_of_the_line_reported(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines of one move are lengthened from the table, into which other threads go on writing."""
    calls, tell = count(), Run._tell

    def cut_short(self: Run, finding: Finding) -> None:
        if isinstance(finding, Iteration):
            lines = (replace(each, moves=each.moves[:1]) for each in finding.lines)
            finding = replace(finding, lines=tuple(lines))
        tell(self, finding)

    def another(_: Run, position: Position) -> int:
        moves = legal_moves(position)
        return moves[next(calls) % len(moves)]

    monkeypatch.setattr(Run, "_tell", cut_short)
    monkeypatch.setattr(Run, "_best_known", another)
    heard = search(session, Limits(depth=3), KIWIPETE)
    line = heard.reports[-1].moves
    assert heard.outcomes == [Outcome(line[0], line[1])]


# Pondering


def test_ponderhit_starts_the_clock(session: Session) -> None:
    listener = started(session, Limits(move_time=300, ponder=True), KIWIPETE)
    hit = time.monotonic()
    session.ponderhit()
    assert session.wait(SOON)
    assert time.monotonic() - hit > 0.25
    assert_answered(session, listener)


def test_ponderhit_at_once(session: Session) -> None:
    for _ in range(sized(50, 5)):
        listener = started(session, Limits(time=(20, 20), ponder=True), begun=False)
        session.ponderhit()
        assert session.wait(SOON)
        assert_answered(session, listener)


@pytest.mark.parametrize("release", [Session.ponderhit, Session.stop])
@pytest.mark.parametrize("fen", [START_FEN, ONE_MOVE, MATE_SOON])
def test_pondering_that_has_ended_waits(
    session: Session, release: Callable[[Session], None], fen: str
) -> None:
    listener = started(session, Limits(time=(600, 600), ponder=True, depth=1), fen)
    assert not session.wait(WHILE)
    release(session)
    assert session.wait(SOON)
    assert_answered(session, listener)


@pytest.mark.parametrize("ponder", [False, True])
def test_ponderhit_does_not_release_an_infinite_search(session: Session, ponder: bool) -> None:
    listener = started(session, Limits(infinite=True, ponder=ponder))
    session.ponderhit()
    session.ponderhit()
    assert not session.wait(WHILE)
    for _ in range(3):
        session.stop()
    assert_answered(session, listener)


# Limits


def test_time_counts_from_when_the_command_came(session: Session) -> None:
    listener = Awaited()
    session.set_position(KIWIPETE)
    session.go(Limits(move_time=1_000_000), listener, now() - 1001 * 10**9)
    assert session.wait(SOON)
    assert_answered(session, listener)


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_node_limit_holds_for_all_threads_together(threads: int) -> None:
    limit = sized(50_000, 3_000)
    with opened(Settings(threads=threads)) as session:
        heard = search(session, Limits(nodes=limit), KIWIPETE)
        if threads == 1:
            assert heard.last.nodes == limit
        assert heard.last.nodes <= limit * sized(9, 16) // 8 + threads  # plain Python counts less surely


def test_only_the_search_moves_are_searched(session: Session) -> None:
    session.settings.lines = 10
    position = parse_fen(KIWIPETE)
    moves = tuple(parse_move(position, text) for text in ("a2a3", "h1g1", "e1c1"))
    heard = search(session, Limits(depth=3, search_moves=moves), KIWIPETE)
    assert heard.best in {"a2a3", "h1g1", "e1c1"}
    assert {report.moves[0] for report in heard.reports} == {*moves}
    session.settings.lines = 1
    for move in moves:
        assert search(session, Limits(depth=3, search_moves=(move,)), KIWIPETE).outcomes[0].best == move


def test_search_moves_must_be_legal(session: Session) -> None:
    with pytest.raises(MoveError):
        session.go(Limits(depth=1, search_moves=(12345,)), Awaited())
    assert not session.searching
    assert search(session, Limits(depth=1)).last.depth == 1


def test_progress_is_told_only_after_three_seconds(session: Session) -> None:
    early, late = Awaited(), Awaited()
    session.go(Limits(depth=2), early, now() + 600 * 10**9)
    assert session.wait(SOON)
    assert not early.heard_progress
    session.go(Limits(depth=2), late, now() - 4 * 10**9)
    assert session.wait(SOON)
    assert [each.number for each in late.heard_progress if each.depth == 1] == list(range(1, 21))


def test_clock_counted_in_nodes_is_repeatable(session: Session) -> None:
    session.settings.nodes_time = 100
    spent = []
    for _ in range(2):
        session.new_game()
        spent.append([report.nodes for report in search(session, Limits(time=(200, 200)), KIWIPETE).reports])
    assert spent[0] == spent[1]
    assert spent[0][-1] <= 200 * 100


def test_settings_changed_meanwhile_take_effect_afterwards(session: Session) -> None:
    listener = started(session, FOREVER)
    session.settings.lines = 3
    session.settings.threads = 2
    before = len(listener.reports)
    time.sleep(WHILE)
    session.stop()
    assert_answered(session, listener)
    assert {report.line for report in listener.reports[before:]} <= {1}
    assert {report.line for report in search(session, Limits(depth=2)).reports} == {1, 2, 3}
