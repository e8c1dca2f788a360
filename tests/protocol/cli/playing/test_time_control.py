"""What --clock understands, and the clock itself."""

import re

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.cli.playing.game import FischerClock, FischerTimeControl, TimeControlError, clock_text


class Time:
    """A time that passes when told to."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.mark.parametrize(
    ("text", "control", "pgn", "told"),
    [
        ("5+3", (300, 3), "300+3", "5+3"),
        (" 5 + 3 ", (300, 3), "300+3", "5+3"),
        ("5", (300, 0), "300", "5+0"),
        ("90s", (90, 0), "90", "1.5+0"),
        ("1:30", (90, 0), "90", "1.5+0"),
        ("0:30+1", (30, 1), "30+1", "30s+1"),
        ("0.5+0.25", (30, 0.25), "30+0.25", "30s+0.25"),
        ("10m+5s", (600, 5), "600+5", "10+5"),
    ],
)
def test_time_controls(text: str, control: tuple[float, float], pgn: str, told: str) -> None:
    found = FischerTimeControl.parse(text)
    assert (found.base, found.increment) == control
    assert found.pgn == pgn
    assert str(found) == told
    assert FischerTimeControl.parse(told) == found


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "''; write 5+3 for"),
        ("five", "'five'; write 5+3 for"),
        ("5+", "not a time control"),
        ("-5", "not a time control"),
        ("1:75", "not a time control"),
        ("5+3+1", "not a time control"),
        ("\uff15", "not a time control"),
        ("0", "no time for the first move"),
        ("0+3", "no time for the first move"),
        ("9999", "longer than a day"),
        ("1+100000", "longer than a day"),
    ],
)
def test_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(TimeControlError, match=re.escape(reason)):
        FischerTimeControl.parse(text)


@given(st.text(max_size=12))
def test_any_text_is_a_control_or_refused_in_a_line(text: str) -> None:
    try:
        said = str(FischerTimeControl.parse(text))
    except TimeControlError as error:
        said = str(error)
    assert said.isprintable()


def test_only_the_clock_that_was_started_runs() -> None:
    now = Time()
    clock = FischerClock(FischerTimeControl(60, 2), now)
    now.seconds += 5
    assert clock.state() == (60, 60)
    clock.start(chess.WHITE)
    now.seconds += 10
    assert clock.state() == (50, 60)
    clock.start(chess.WHITE)  # once more is no new beginning
    now.seconds += 10
    assert clock.state() == (40, 60)
    clock.press(chess.WHITE)
    now.seconds += 10
    assert clock.state() == (42, 60)
    clock.start(chess.BLACK)
    now.seconds += 60
    assert clock.has_fallen(chess.BLACK)
    assert not clock.has_fallen(chess.WHITE)


def test_back_to_an_earlier_state() -> None:
    now = Time()
    clock = FischerClock(FischerTimeControl(60), now)
    clock.start(chess.BLACK)
    clock.set((30, 20))
    now.seconds += 10
    assert clock.state() == (30, 20)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (3723.9, "1:02:03"),
        (300, "5:00"),
        (299.99, "4:59"),
        (10, "0:10"),
        (9.99, "0:09.9"),
        (0.04, "0:00.0"),
        (-3, "0:00.0"),
    ],
)
def test_clock_text(seconds: float, text: str) -> None:
    assert clock_text(seconds) == text
