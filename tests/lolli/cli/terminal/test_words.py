"""Scores, counts and times as people read them."""

import chess
import pytest
from chess.engine import Cp, Mate, MateGiven, PovWdl, Score, Wdl

from lolli.cli.terminal.screen import chances_text, count_text, duration_text, score_text


@pytest.mark.parametrize(
    ("score", "text"),
    [
        (Cp(0), "+0.00"),
        (Cp(31), "+0.31"),
        (Cp(-1204), "-12.04"),
        (Mate(3), "#3"),
        (Mate(-2), "#-2"),
        (Mate(0), "#-0"),
        (MateGiven, "#0"),
    ],
)
def test_score(score: Score, text: str) -> None:
    assert score_text(score) == text


def test_chances_are_those_of_white() -> None:
    assert chances_text(PovWdl(Wdl(251, 700, 49), chess.BLACK)) == "5/70/25"
    assert chances_text(None) == ""


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0"),
        (999, "999"),
        (1000, "1.00k"),
        (9994, "9.99k"),
        (9996, "10.0k"),
        (99_960, "100k"),
        (999_499, "999k"),
        (999_600, "1.00M"),
        (4_100_000, "4.10M"),
        (12_345_678_901, "12.3G"),
        (5 * 10**15, "5000T"),
    ],
)
def test_count(count: int, text: str) -> None:
    assert count_text(count) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0.0 s"),
        (9.94, "9.9 s"),
        (9.96, "10 s"),
        (59.4, "59 s"),
        (59.6, "1:00"),
        (185, "3:05"),
        (3723, "1:02:03"),
    ],
)
def test_duration(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text
