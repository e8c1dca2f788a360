"""`lolli play --game` in a terminal: colours, sizes, Ctrl-C and Ctrl-D."""

import re
from contextlib import suppress

import pytest

from tests.protocol.cli.terminal.screen import CTRL_C, Screen

CTRL_D = "\x04"


def game(command: list[str], *words: str) -> list[str]:
    return [*command, "play", "--seed", "1", "--game", *words]


def test_the_board_stays_in_its_place_and_is_as_large_as_fits(lolli_command: list[str]) -> None:
    for lines, height in ((14, 1), (24, 3)):
        with Screen(game(lolli_command, "tictactoe", "random"), columns=80, lines=lines) as screen:
            screen.expect("^Your move:$")
            screen.type("b2\r")
            screen.expect(r"^O \(random\) plays")
            screen.expect("^Your move:$")
            text = screen.text.splitlines()
            assert text[3 * height].split()[:3] == ["A", "B", "C"]
            assert len(text) == 3 * height + 4
            assert re.search(r">  [XO] +X  You$", text[0])
            colours = {screen.background(4, line) for line in range(3 * height)}
            assert "default" not in colours
            screen.type("xyzzy\r")
            screen.expect("^'xyzzy' is not a vertex of this board: type moves or help.$")
            screen.type(CTRL_D)
            assert screen.wait() == 0


def test_a_plain_terminal(lolli_command: list[str]) -> None:
    with Screen(game(lolli_command, "go", "--level", "1"), columns=80, lines=24, term="dumb") as screen:
        screen.expect("^Your move:$")
        assert " 5 . . + . + . + . . 5" in screen.text
        screen.type("quit\r")
        assert screen.wait() == 0


def test_ctrl_c(lolli_command: list[str]) -> None:
    """While the searcher thinks it has it move, then it asks first."""
    with Screen(game(lolli_command, "connectfour", "--time", "500", "uct"), columns=80, lines=24) as screen:
        screen.expect("^Your move:$")
        screen.type("d\r")
        screen.expect("^uct is thinking …$")
        while not re.search(r"^O \(uct\) plays", screen.text, re.MULTILINE):
            screen.type(CTRL_C)  # again if it came before there was something to stop
            with suppress(AssertionError):
                screen.expect("^Your move:$", patience=1)
        screen.type("moves\r")
        screen.expect(r"^A\d B\d ")
        screen.type(CTRL_C)
        screen.expect("^Press Ctrl-C again to quit.$")
        screen.type(CTRL_C)
        assert screen.wait() == 130
        assert "Traceback" not in screen.text


@pytest.mark.parametrize("word", ["mov\t", "MOV\t"])
def test_completion(lolli_command: list[str], word: str) -> None:
    with Screen(game(lolli_command, "nim", "random"), columns=80, lines=24) as screen:
        screen.expect("^Your move:$")
        screen.type(f"{word}\r")
        screen.expect(r"^9-1 8-2 7-3 6-4$")
        screen.type(CTRL_D)
        assert screen.wait() == 0
