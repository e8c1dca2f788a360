"""`lolli analyse` in a terminal: what a person sees."""

import re

import chess
import pytest

from engine.search.limits import Limits
from lolli._analyst import Analyst
from lolli.cli.terminal.analysis import san_words
from lolli.cli.terminal.screen import score_text
from tests.lolli.cli.terminal.screen import CTRL_C, Screen

BOARD = """\
 8  ♜  ♞  ♝  ♛  ♚  ♝  ♞  ♜
 7  ♟  ♟  ♟  ♟  ♟  ♟  ♟  ♟
 6
 5
 4                            White to move
 3
 2  ♟  ♟  ♟  ♟  ♟  ♟  ♟  ♟
 1  ♜  ♞  ♝  ♛  ♚  ♝  ♞  ♜
    a  b  c  d  e  f  g  h
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
Score and chances (win/draw/loss) are White's.
"""
HEAD = " depth   score   W/D/L %  nodes  nodes/s   time  line"
THINKING = r"^Depth \d+, \d+ s\. Ctrl-C ends the search\.$"


def analyse(command: list[str], *words: str) -> list[str]:
    return [*command, "analyse", *words]


def test_what_is_left_on_the_screen(lolli_command: list[str]) -> None:
    """The board, the table with the last depths and the best line; nothing lost, nothing left over."""
    with Screen(analyse(lolli_command, "--nodes", "400"), columns=90) as screen:
        assert screen.wait() == 0
        assert not screen.cursor_hidden
        text = screen.text
    assert text.startswith(f"{BOARD}{HEAD}\n")
    *rows, last = text.removeprefix(f"{BOARD}{HEAD}\n").split("\n")
    board = chess.Board()
    with Analyst() as analyst:
        found = {each.depth: each for each in analyst.search(board, Limits(nodes=400))}
    assert len(rows) == len(found)
    for row, finding in zip(rows, found.values(), strict=True):
        depth = f"{finding.depth}/{finding.seldepth}".rjust(6)
        assert row.startswith(f"{depth}  {score_text(finding.white).rjust(6)}  ")
        assert row.endswith("  " + " ".join(san_words(board, finding.moves)))
    best = found[max(found)]
    line = f"{score_text(best.white)}  {board.variation_san(best.moves)}"
    assert last == f"Best move: {board.san(best.moves[0])}  {line}"


def test_it_thinks_until_ctrl_c(lolli_command: list[str]) -> None:
    with Screen(analyse(lolli_command)) as screen:
        screen.expect(r"^ +\d+/\d")
        screen.expect(THINKING)
        assert screen.cursor_hidden
        screen.type(CTRL_C)
        assert screen.wait() == 0
        assert not screen.cursor_hidden
        assert screen.text.startswith(f"{BOARD}{HEAD}\n")
        assert re.search(r"\nBest move: \S+  \S+  1\. [^\u2026]*\Z", screen.text)
        assert not re.search(THINKING, screen.text, re.MULTILINE)
        assert "^C" not in screen.text


def test_keys_that_mean_nothing_leave_no_trace(lolli_command: list[str]) -> None:
    with Screen(analyse(lolli_command)) as screen:
        screen.expect(THINKING)
        screen.type("what is it?\n\n\nquit\n")
        screen.expect(THINKING)
        screen.type(CTRL_C)
        assert screen.wait() == 0
        text = screen.text
    assert text.startswith(f"{BOARD}{HEAD}\n")
    assert text.count("line\n") == 1
    assert "quit" not in text


@pytest.mark.parametrize("columns", [30, 60])
def test_a_narrow_terminal(lolli_command: list[str], columns: int) -> None:
    with Screen(analyse(lolli_command, "--nodes", "400", "e4 e5 Nf3"), columns=columns) as screen:
        assert screen.wait() == 0
        text = screen.text
    rows = re.findall(r"^ +\d+/\d+ +[+-]\d\.\d\d .*", text, re.MULTILINE)
    assert rows
    assert all(re.search(r"  2\.\.\. |  …$", row) for row in rows)
    assert "Best move: " in text


def test_a_terminal_that_cannot_move_its_cursor(lolli_command: list[str]) -> None:
    with Screen(analyse(lolli_command, "--nodes", "200"), term="dumb") as screen:
        assert screen.wait() == 0
        assert "\x1b" not in screen.raw
        assert re.search(r"\n +1/\d+ .*\n +2/\d+ .*\n(.*\n)*Best move: ", screen.text)


def test_no_colour_where_that_is_wanted(lolli_command: list[str]) -> None:
    """https://no-color.org"""
    colour = re.compile(r"\x1b\[(?:\d+;)*[34][0-8][;m]")
    command = analyse(lolli_command, "e4 f6 Qh5+", "--nodes", "50")
    with Screen(command) as screen:
        assert screen.wait() == 0
        assert colour.search(screen.raw)
    with Screen(["env", "NO_COLOR=1", *command]) as screen:
        assert screen.wait() == 0
        assert not colour.search(screen.raw)
        assert {screen.background(column, row) for column in range(40) for row in range(8)} == {"default"}
        assert re.search(r"^ 1  ♖ ♘ ♗\[·\]♔ ♗ ♘ ♖$", screen.text, re.MULTILINE)
