"""Time controls and clocks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.laboratory.engine_pipe import NS_PER_MS, NS_PER_S
from scripts.laboratory.matches.rules import GameClock, MatchTimeControl, Pace


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("3+0.03", MatchTimeControl(3 * NS_PER_S, 30 * NS_PER_MS)),
        ("40/60", MatchTimeControl(60 * NS_PER_S, 0, 40)),
        ("1:30+1", MatchTimeControl(90 * NS_PER_S, NS_PER_S)),
        ("0.05", MatchTimeControl(50 * NS_PER_MS)),
    ],
)
def test_reading(text: str, control: MatchTimeControl) -> None:
    assert MatchTimeControl.parse(text) == control
    assert MatchTimeControl.parse(str(control)) == control


@pytest.mark.parametrize("text", ["", "x", "3+", "0", "0/60", "-1", "1..2", "3 + 1", "+1"])
def test_reading_nonsense(text: str) -> None:
    with pytest.raises(ValueError, match=r"time|number"):
        MatchTimeControl.parse(text)


@pytest.mark.parametrize(
    "limits",
    [
        {},
        {"nodes": 0},
        {"depth": -1},
        {"clock": MatchTimeControl(NS_PER_S), "move_time": NS_PER_S},
        {"nodes": 1, "nodes_time": 1},
        {"clock": MatchTimeControl(NS_PER_S), "nodes_time": 0},
    ],
)
def test_paces_that_make_no_sense(limits: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=r"limit|combined|nodestime"):
        Pace(**limits)  # type: ignore[arg-type]


def test_a_move_costs_its_time_and_gains_the_increment() -> None:
    clock = GameClock(Pace(MatchTimeControl(NS_PER_S, 10 * NS_PER_MS)), margin=0)
    assert clock.spend(400 * NS_PER_MS)
    assert clock.left == 610 * NS_PER_MS
    assert clock.lowest == 600 * NS_PER_MS


def test_all_of_the_time_may_be_used_but_no_more() -> None:
    clock = GameClock(Pace(MatchTimeControl(NS_PER_S)), margin=0)
    assert not clock.spend(NS_PER_S + 1)
    assert clock.spend(NS_PER_S)
    assert clock.left == 0


def test_a_margin_is_no_debt() -> None:
    clock = GameClock(Pace(MatchTimeControl(NS_PER_S, NS_PER_MS)), margin=50 * NS_PER_MS)
    assert clock.spend(NS_PER_S + 50 * NS_PER_MS)
    assert clock.left == NS_PER_MS


def test_time_is_added_at_the_control() -> None:
    clock = GameClock(Pace(MatchTimeControl(NS_PER_S, 0, 2)), margin=0)
    assert clock.moves_to_go == 2
    clock.spend(NS_PER_S // 4)
    assert clock.moves_to_go == 1
    clock.spend(NS_PER_S // 4)
    assert clock.moves_to_go == 2
    assert clock.left == NS_PER_S + NS_PER_S // 2


def test_a_fixed_time_for_each_move() -> None:
    clock = GameClock(Pace(move_time=NS_PER_S), margin=NS_PER_MS)
    assert not clock.runs
    for _ in range(3):
        assert clock.spend(NS_PER_S + NS_PER_MS)
    assert not clock.spend(NS_PER_S + 2 * NS_PER_MS)


def test_without_a_clock_there_is_all_the_time_in_the_world() -> None:
    clock = GameClock(Pace(nodes=1), margin=0)
    assert clock.allowance is None
    assert clock.spend(10**15)


@given(st.lists(st.integers(0, 2 * NS_PER_S)), st.integers(1, NS_PER_S), st.integers(0, NS_PER_S))
def test_the_clock_never_shows_less_than_nothing(moves: list[int], base: int, increment: int) -> None:
    clock = GameClock(Pace(MatchTimeControl(base, increment)), margin=0)
    for elapsed in moves:
        before = clock.left
        assert clock.spend(elapsed) == (elapsed <= before)
        assert clock.left == (before - elapsed + increment if elapsed <= before else before)
