"""Searching the positions of a suite."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from engine.search.limits import Limits
from engine.search.report import Bound
from protocol.cli.analysis.analyst import Analyst
from protocol.cli.analysis.finding import Finding
from protocol.cli.suites.epd import SuitePosition, parse_position
from protocol.cli.suites.runner import SuiteResult, SuiteRunner, examine

MATE_IN_3 = "1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - -"
HANGING = "4k3/8/8/3q4/8/8/8/3RK3 w - -"  # the queen
LINES = (
    f"{MATE_IN_3} bm Qd1+;",
    f"{MATE_IN_3} am Qd1+;",
    f"{HANGING} bm Rxd5;",
    f"{HANGING} am Rxd5;",
    f"{MATE_IN_3} dm 3;",
    f"{HANGING} dm 1;",
    f'{HANGING} c0 "Rxd5=10, Ke2=3";',
    f'{HANGING} bm Ke2; c0 "Rxd5=7, Ke2=10";',
)


@pytest.fixture(scope="module")
def analyst() -> Iterator[Analyst]:
    with Analyst() as analyst:
        yield analyst


def position(text: str) -> SuitePosition:
    return parse_position(text, "some.epd", 1)


def test_what_is_solved_and_what_not(analyst: Analyst) -> None:
    results = [examine(position(line), analyst, Limits(depth=10)) for line in LINES]
    assert [result.solved for result in results] == [True, False, True, False, True, False, True, False]
    assert [result.points for result in results] == [None] * 6 + [10, 7]
    assert results[0].move.uci() == "d6d1"


@pytest.mark.parametrize("line", LINES)
def test_the_solution_is_where_the_right_answer_came_to_stay(analyst: Analyst, line: str) -> None:
    seen: list[Finding] = []
    result = examine(position(line), analyst, Limits(depth=5), on_finding=seen.append)
    fits = [result.position.is_solved_by(finding) for finding in seen]
    assert result.final is seen[-1]
    if result.solution is None:
        assert not fits[-1]
    else:
        number = seen.index(result.solution)
        assert all(fits[number:])
        assert number == 0 or not fits[number - 1]


def test_a_mate_that_is_announced_ends_the_search(analyst: Analyst) -> None:
    """Where it is the whole task, at once, else when no shorter one is left; not where it is no answer."""
    mate, move, other = (
        examine(position(f"{MATE_IN_3} {op}"), analyst, Limits(depth=14))
        for op in ("dm 3;", "bm Qd1;", "am Qd1;")
    )
    assert mate.solution is not None
    assert mate.solution.depth == mate.final.depth  # on a slow machine a lower bound is told first
    assert mate.final.depth <= move.final.depth == 7
    assert other.final.depth == 14


def test_not_before_the_mate_is_short_enough(analyst: Analyst) -> None:
    result = examine(position(f"{MATE_IN_3} dm 2;"), analyst, Limits(depth=6))
    assert not result.solved
    assert result.final.depth == 6


@pytest.mark.parametrize("patience", [1, 2, 3])
def test_stopping_early(analyst: Analyst, patience: int) -> None:
    whole = examine(position(f"{HANGING} bm Rxd5;"), analyst, Limits(depth=6))
    result = examine(position(f"{HANGING} bm Rxd5;"), analyst, Limits(depth=6), patience)
    assert result.solution is not None
    assert whole.solution is not None
    assert result.solution.depth == whole.solution.depth
    assert result.final.depth == result.solution.depth + patience - 1
    assert whole.final.depth == 6


def test_a_bound_is_no_reason_to_stop(analyst: Analyst, monkeypatch: pytest.MonkeyPatch) -> None:
    task = position(f"{HANGING} bm Rxd5;")
    *_, last = analyst.search(task.board, Limits(depth=2))
    told = [replace(last, depth=1, bound=Bound.LOWER), replace(last, depth=1), last]
    monkeypatch.setattr(analyst, "search", lambda *_: iter(told))
    assert examine(task, analyst, Limits(), 1).final is told[1]


def test_no_early_stop_without_the_right_answer(analyst: Analyst) -> None:
    assert examine(position(f"{HANGING} bm Ke2;"), analyst, Limits(depth=5), 1).final.depth == 5


def test_nothing_is_remembered_from_the_position_before(analyst: Analyst) -> None:
    def nodes(line: str) -> int:
        return examine(position(line), analyst, Limits(depth=5)).final.nodes

    first = nodes(LINES[0])
    nodes(LINES[2])
    assert nodes(LINES[0]) == first


def counts(analysts: int, nodes: int) -> dict[int, tuple[int, bool]]:
    """What a pool finds of all positions: the nodes, and whether it is solved."""
    pool = SuiteRunner([Analyst() for _ in range(analysts)], Limits(nodes=nodes))
    events = pool.run([position(line) for line in LINES])
    results = {number: event for number, event in events if isinstance(event, SuiteResult)}
    return {number: (result.final.nodes, result.solved) for number, result in results.items()}


def test_some_at_a_time_find_what_one_after_the_other_finds() -> None:
    one = counts(1, 200)
    assert list(one) == list(range(len(LINES)))
    assert counts(3, 200) == one


def test_stopping_a_pool() -> None:
    positions = [position(f"{HANGING} am Rxd5;")] * 4
    pool = SuiteRunner([Analyst(), Analyst()], Limits(infinite=True))
    seen = set()
    for number, event in pool.run(positions):
        assert not isinstance(event, SuiteResult)
        seen.add(number)
        if len(seen) == 2:
            pool.stop()
    assert seen == {0, 1}


def test_leaving_a_pool_early() -> None:
    analyst = Analyst()
    events = SuiteRunner([analyst], Limits(infinite=True)).run([position(LINES[3])])
    next(events)
    assert analyst.session.searching
    events.close()
    assert not analyst.session.searching
