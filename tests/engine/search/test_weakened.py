"""A search with a handicap: what is told, what is played, and when the handicap does not count."""

import random
import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board.fen import START_FEN
from engine.board.movegen import legal_moves
from engine.board.notation import move_text, parse_move
from engine.search.handicap import WEAKEST_LEVEL, Handicap, Weakened
from engine.search.limits import Limits, Settings
from engine.search.report import Bound, Outcome, Report, Score
from engine.session import Session
from tests.engine.search.searching import PATIENCE, Recorder, opened, search, sized
from tests.engine.sessions import FOREVER, KIWIPETE, MATE_SOON, MATED, POSITIONS, STALEMATE, started

WEAKEST = Handicap.of_level(WEAKEST_LEVEL)
CARELESS = Handicap(300, lines=6, error=10_000.0)
"""Plays any of six lines, all about as often."""
NODES = 300
TINY = Handicap(NODES, lines=10, error=300.0)
KNIGHT_TAKEN = "r1bqkbnr/1ppp1ppp/p1B5/4p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 0 4"


def of_depth(depth: int, scores: list[int]) -> list[Report]:
    """Lines of these scores, with the moves 101 and 1, 102 and 2, and so on; the last has no reply."""
    return [
        Report(depth, depth, line, Score(score), Bound.EXACT, 1, 1, 0, 0, (100 + line, line))
        if line < len(scores)
        else Report(depth, depth, line, Score(score), Bound.EXACT, 1, 1, 0, 0, (100 + line,))
        for line, score in enumerate(scores, 1)
    ]


def heard(reports: list[Report], shown: int, handicap: Handicap = CARELESS, seed: int = 1) -> Recorder:
    """What reaches the listener of a search with these reports."""
    listener = Recorder()
    weakened = Weakened(listener, handicap, shown, random.Random(seed))
    for report in reports:
        weakened.report(report)
    weakened.outcome(Outcome(101, 77))
    return listener


@given(st.lists(st.integers(-300, 300), min_size=1, max_size=6), st.integers(1, 6), st.integers())
def test_what_is_played_is_told_last(scores: list[int], shown: int, seed: int) -> None:
    reports = [*of_depth(1, scores), *of_depth(2, scores)]
    listener = heard(reports, shown, seed=seed)
    (outcome,) = listener.outcomes
    told = min(shown, len(scores))
    closing = listener.reports[-told:]
    assert [each.line for each in closing] == list(range(1, told + 1))
    assert closing[0].moves[0] == outcome.best
    assert len({each.moves for each in closing}) == told
    assert {each.depth for each in closing} == {2}
    assert listener.reports[: 2 * told] == [each for each in reports if each.line <= shown]
    assert len(listener.reports) == (2 if outcome.best == 101 else 3) * told


@given(st.integers(2, 6), st.integers())
def test_the_reply_is_that_of_the_line_played(count: int, seed: int) -> None:
    (outcome,) = heard(of_depth(3, [0] * count), 1, seed=seed).outcomes
    line = outcome.best - 100
    assert outcome.ponder == {1: 77, count: 0}.get(line, line)


def test_a_search_without_reports_plays_what_it_found() -> None:
    assert heard([], 3).outcomes == [Outcome(101, 77)]


@pytest.mark.parametrize("fen", POSITIONS)
def test_the_weakest_plays_legal_moves(fen: str) -> None:
    with opened(Settings(handicap=WEAKEST)) as session:
        for seed in range(sized(20, 3)):
            session.chooser = random.Random(seed)
            outcome = search(session, Limits(), fen).outcomes[0]
            position = session.position.copy()
            assert outcome.best in legal_moves(position)
            position.make(outcome.best)
            assert not outcome.ponder or outcome.ponder in legal_moves(position)


@pytest.mark.parametrize("fen", [MATED, STALEMATE])
def test_no_move_where_there_is_none(fen: str) -> None:
    with opened(Settings(handicap=WEAKEST)) as session:
        assert search(session, Limits(), fen).outcomes == [Outcome(0, 0)]


def test_the_same_chances_choose_the_same() -> None:
    def played(seed: int) -> list[int]:
        with opened(Settings(handicap=CARELESS)) as session:
            session.chooser = random.Random(seed)
            return [search(session, Limits()).outcomes[0].best for _ in range(8)]

    assert played(1) == played(1)
    assert played(1) != played(2)


def test_nobody_can_foresee_the_choice() -> None:
    """Two engines that were started alike do not play alike."""
    with opened(Settings(handicap=CARELESS)) as one, opened(Settings(handicap=CARELESS)) as other:
        assert [search(one, Limits()).best for _ in range(12)] != [
            search(other, Limits()).best for _ in range(12)
        ]


def same(listener: Recorder) -> tuple[list[Report], list[Outcome]]:
    """What was heard, but for the time it took."""
    return [replace(each, milliseconds=0) for each in listener.reports], listener.outcomes


@pytest.mark.parametrize("fen", [START_FEN, KIWIPETE])
def test_full_strength_is_what_it_was(fen: str) -> None:
    with opened() as plain, opened(Settings(handicap=Handicap.of_skill(20))) as full:
        limits = Limits(nodes=sized(20_000, 500))
        assert same(search(plain, limits, fen)) == same(search(full, limits, fen))
        assert full.chooser is None


@pytest.mark.parametrize("limits", [Limits(depth=3, infinite=True), Limits(depth=3, mate=9)])
def test_analysis_is_not_weakened(limits: Limits) -> None:
    assert_as_strong(Settings(handicap=CARELESS), limits)


def test_the_mode_of_analysis_is_not_weakened() -> None:
    assert_as_strong(Settings(handicap=CARELESS, analysing=True), Limits(depth=3))


def assert_as_strong(settings: Settings, limits: Limits) -> None:
    """The search is that of the engine at its best."""
    with opened() as plain, opened(settings) as other:
        both = []
        for session in (plain, other):
            listener = Recorder()
            session.set_position(KIWIPETE)
            session.go(limits, listener)
            if limits.infinite:
                patience = time.monotonic() + PATIENCE
                while len(listener.reports) < 3 and time.monotonic() < patience:
                    time.sleep(0.01)
                session.stop()
            assert session.wait(60)
            both.append(same(listener))
    assert both[0][1] == both[1][1]
    assert both[0][0][:3] == both[1][0][:3]


def test_only_the_moves_allowed() -> None:
    with opened(Settings(handicap=CARELESS)) as session:
        session.set_position(START_FEN)
        allowed = tuple(parse_move(session.position, text) for text in ("a2a3", "h2h4", "b1a3"))
        played = {search(session, Limits(search_moves=allowed)).outcomes[0].best for _ in range(20)}
    assert played <= {*allowed}
    assert len(played) > 1


@pytest.mark.parametrize(("asked", "most"), [(None, NODES), (100, 100), (10**6, NODES)])
def test_limits_of_nodes(asked: int | None, most: int) -> None:
    with opened(Settings(handicap=TINY)) as session:
        listener = search(session, Limits(nodes=asked))
    assert max(each.nodes for each in listener.reports) <= most


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("shown", [1, 3])
def test_lines_are_shown_as_asked_for(threads: int, shown: int) -> None:
    """Not those that only the handicap looks at; nor do more threads make it stronger."""
    with opened(Settings(threads=threads, lines=shown, handicap=TINY)) as session:
        listener = search(session, Limits(), KIWIPETE)
    assert {each.line for each in listener.reports} == set(range(1, shown + 1))
    assert all(each.depth for each in listener.reports)
    assert listener.last.nodes <= NODES


def test_more_threads_are_of_no_use() -> None:
    weak = Handicap(sized(30_000, 1_000), lines=2, error=50.0)
    found = []
    for threads in (1, 4):
        with opened(Settings(threads=threads, handicap=weak)) as session:
            session.chooser = random.Random(1)
            found.append(same(search(session, Limits(), KIWIPETE)))
    assert found[0] == found[1]


def test_stop_is_obeyed() -> None:
    slow = Handicap(nodes=10**9, lines=4, error=50.0)
    with opened(Settings(handicap=slow)) as session:
        listener = started(session, Limits(), KIWIPETE)
        session.stop()
        assert session.wait(20)
        assert listener.outcomes[0].best == listener.last.moves[0]


def test_a_mate_seen_is_played() -> None:
    with opened(Settings(handicap=CARELESS)) as session:
        assert {search(session, Limits(), MATE_SOON).best for _ in range(10)} == {"d1d8"}


def lost_knights(handicap: Handicap, times: int) -> int:
    """How often the bishop that has taken a knight is not taken back."""
    with opened(Settings(handicap=handicap)) as session:
        session.chooser = random.Random(7)
        moves = [search(session, Limits(), KNIGHT_TAKEN).best for _ in range(times)]
    return sum(move not in {"b7c6", "d7c6"} for move in moves)


def test_a_weak_player_overlooks_what_a_stronger_one_takes() -> None:
    """Sometimes: to an error of 300 the loss of a knight may well seem none."""
    times = sized(200, 60)
    weak, middling = lost_knights(TINY, times), lost_knights(Handicap(NODES, 5, 30.0), times)
    assert times // 10 < weak < times * 9 // 10
    assert middling == 0


def test_pondering_holds_the_choice_back() -> None:
    with opened(Settings(handicap=TINY)) as session:
        listener = started(session, Limits(time=(60_000, 60_000), ponder=True))
        assert not session.wait(0.2)
        session.ponderhit()
        assert session.wait(20)
        assert move_text(listener.outcomes[0].best) in {
            move_text(move) for move in legal_moves(session.position)
        }


def test_the_handicap_can_change_between_searches() -> None:
    with opened() as session:
        best = search(session, Limits(nodes=300)).best
        session.settings.handicap = CARELESS
        assert {search(session, Limits()).best for _ in range(12)} != {best}
        session.settings.handicap = Handicap()
        session.new_game()
        assert search(session, Limits(nodes=300)).best == best


def test_an_endless_search_stays_endless() -> None:
    session = Session(Settings(handicap=TINY), megabytes=1)
    listener = started(session, FOREVER)
    assert not session.wait(0.2)
    session.close()
    assert len(listener.outcomes) == 1
