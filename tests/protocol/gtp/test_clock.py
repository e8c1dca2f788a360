"""The clocks, against a referee who counts Canadian byo-yomi in his own way."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.gtp.match import (
    RESERVE,
    SHORTEST,
    Clock,
    TimeControl,
    clock_after,
    full_clock,
    moves_to_go,
    seconds_for_move,
)


class ByoYomiReferee:
    """Counts down main time, then periods of byo-yomi."""

    def __init__(self, control: TimeControl) -> None:
        self._control = control
        self.main = control.main
        self.period, self.stones = control.byo_yomi, control.stones

    def moved(self, seconds: float) -> bool:
        """Whether a move that took `seconds` was in time."""
        if self.main > 0 and seconds < self.main:
            self.main -= seconds
            return True
        seconds -= self.main
        self.main = 0
        if not self.stones or seconds > self.period:
            return False
        self.period -= seconds
        self.stones -= 1
        if self.stones == 0:
            self.period, self.stones = self._control.byo_yomi, self._control.stones
        return True


CONTROLS = st.builds(
    TimeControl,
    st.integers(0, 100).map(float),
    st.integers(1, 60).map(float),
    st.integers(1, 25),
) | st.builds(TimeControl, st.integers(10, 1000).map(float))


@given(CONTROLS, st.integers(1, 200))
def test_a_game_never_loses_on_time(control: TimeControl, length: int) -> None:
    """Where each move takes as long as it may, and a tenth of the shortest more."""
    clock, referee = full_clock(control), ByoYomiReferee(control)
    for number in range(length):
        allowed = seconds_for_move(clock, control, max(8, length - number))
        spent = allowed + min(RESERVE, allowed) / 10
        assert referee.moved(spent), f"move {number}, {clock}"
        clock = clock_after(clock, control, spent)


@given(CONTROLS, st.lists(st.floats(0, 5), max_size=60))
def test_our_clock_is_the_referee_s(control: TimeControl, times: list[float]) -> None:
    clock, referee = full_clock(control), ByoYomiReferee(control)
    for seconds in times:
        if not referee.moved(seconds):
            break
        clock = clock_after(clock, control, seconds)
        in_main = referee.main > 0 or not control.stones
        expected = (referee.main, 0) if in_main else (referee.period, referee.stones)
        assert clock.left == pytest.approx(expected[0], abs=1e-6)
        assert clock.stones == expected[1]


@given(CONTROLS, st.floats(0, 100), st.integers(0, 30), st.integers(-5, 500))
def test_a_move_never_takes_more_than_there_is(
    control: TimeControl, left: float, stones: int, to_go: int
) -> None:
    seconds = seconds_for_move(Clock(left, stones), control, to_go)
    assert SHORTEST <= seconds <= max(SHORTEST, left + (0 if stones else control.seconds_per_stone))


def test_shares() -> None:
    assert seconds_for_move(Clock(100.0), TimeControl(100.0), 50, 0.5) == pytest.approx(1.5)
    assert seconds_for_move(Clock(10.0, 5), TimeControl(0.0, 10.0, 5), 50, 0.5) == pytest.approx(1.5)
    assert seconds_for_move(Clock(100.0), TimeControl(100.0, 30.0, 10), 50, 0.5) == pytest.approx(4.5)
    assert seconds_for_move(Clock(0.0), TimeControl(0.0), 50) == SHORTEST


@pytest.mark.parametrize("length", [250, 330, 400, 473])
def test_late_moves_of_go_have_time_to_think(length: int) -> None:
    """On 19 lines with 20 s a side, 10 ms lost with each move, where a game lasts longer than most do.

    A game of 473 moves had 185 empty points after 200 moves, and 88 at its end.
    """
    control = TimeControl(20.0)
    clock, allowed = full_clock(control), []
    for played in range(0, length, 2):
        empty = max(361 - played, 185 - 97 * (played - 200) // 273)
        allowed.append(seconds_for_move(clock, control, moves_to_go("go", 2, played, empty)))
        clock = clock_after(clock, control, allowed[-1] + 0.01)
    assert min(allowed) >= 0.05
    assert clock.left > 0.5
    assert max(allowed) < 0.3


def test_main_time_of_nothing_goes_straight_into_byo_yomi() -> None:
    assert full_clock(TimeControl(0.0, 30.0, 5)) == Clock(30.0, 5)
    assert full_clock(TimeControl(60.0, 30.0, 5)) == Clock(60.0, 0)
    assert full_clock(TimeControl(0.0)) == Clock(0.0, 0)


def test_byo_yomi_for_no_stones_is_no_limit() -> None:
    assert TimeControl(0.0, 1.0, 0).unlimited
    assert TimeControl(100.0, 1.0, 0).unlimited
    assert not TimeControl(100.0).unlimited
    assert not TimeControl(0.0).unlimited


def test_moves_to_go() -> None:
    assert moves_to_go("go", 2, 0, 361) == 181
    assert moves_to_go("go", 2, 400, 100) == 50
    assert moves_to_go("tictactoe", 2, 0, None) == 8
    assert moves_to_go("focus", 4, 10_000, None) == 8
    assert moves_to_go("anything", 2, 0, None) > 8
