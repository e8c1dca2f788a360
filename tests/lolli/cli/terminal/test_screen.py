"""Words for numbers, and progress below results."""

import sys
from io import StringIO

import chess
import pytest
from chess.engine import Cp, Mate, MateGiven, PovWdl, Score, Wdl
from rich.console import Console

from lolli.cli.terminal.screen import bar, chances_text, count_text, duration_text, score_text
from tests.lolli.cli.terminal.screen import Screen
from tests.pure import ROOT


@pytest.mark.parametrize(
    ("score", "text"),
    [(Cp(31), "+0.31"), (Cp(-1204), "-12.04"), (Mate(-2), "#-2"), (Mate(0), "#-0"), (MateGiven, "#0")],
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
        (1000, "1.00k"),
        (9996, "10.0k"),
        (999_600, "1.00M"),
        (4_100_000, "4.10M"),
        (5 * 10**15, "5000T"),
    ],
)
def test_count(count: int, text: str) -> None:
    assert count_text(count) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(9.94, "9.9 s"), (9.96, "10 s"), (59.6, "1:00"), (185, "3:05"), (3723, "1:02:03")]
)
def test_duration(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text


CODE = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from lolli.cli.terminal.screen import messages, output
from lolli.cli.terminal.screen import below
with below({{console}}(), lambda: "under way", as_json={{as_json}}) as tell:
    tell("first")
    sys.stdin.readline()
    tell("a line that is longer than the terminal is wide")
print("the end")
"""
RESULTS = "first\na line that is longer than t\nhe terminal is wide\nthe end"


def drawn(*, total: int, completed: int, seconds: float) -> str:
    now = 0.0
    progress = bar()
    progress.get_time = lambda: now
    task = progress.add_task("depth 7", total=total)
    for step in range(completed + 1):
        now = step * seconds / max(completed, 1)
        progress.update(task, completed=step)
    console = Console(file=StringIO(), width=100)
    with console.capture() as capture:
        console.print(progress)
    return capture.get()


def test_steps_and_times() -> None:
    words = drawn(total=24, completed=6, seconds=12.0).split()
    assert words[0] == "6/24"
    assert " ".join(words[-6:]) == "7 12 s, 36 s left"


def script(console: str, *, as_json: bool = False) -> list[str]:
    return [sys.executable, "-c", CODE.format(console=console, as_json=as_json)]


@pytest.mark.parametrize("console", ["output", "messages"])
def test_it_stands_below_and_is_gone_in_the_end(console: str) -> None:
    with Screen(script(console), columns=28) as screen:
        screen.expect("^first\nunder way$")
        assert screen.cursor_hidden
        screen.type("keys are not shown where they would shift it\n")
        assert screen.wait() == 0
        assert screen.text == RESULTS
        assert not screen.cursor_hidden


def test_json_stays_alone() -> None:
    with Screen(script("output", as_json=True), columns=80) as screen:
        screen.expect("^first$")
        screen.type("\n")
        assert screen.wait() == 0
        assert "under way" not in screen.raw
