"""`lolli play` where time, signals and a terminal count."""

import re
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import chess.pgn
import pytest

from tests.lolli.cli.terminal.screen import CTRL_C, Screen
from tests.patience import PATIENCE

FAST = ("--nodes", "30", "--seed", "1")
CTRL_D = "\x04"
START_BOARD = """\
 8  ♜  ♞  ♝  ♛  ♚  ♝  ♞  ♜      Lolli, full strength
 7  ♟  ♟  ♟  ♟  ♟  ♟  ♟  ♟
 6
 5
 4
 3
 2  ♟  ♟  ♟  ♟  ♟  ♟  ♟  ♟
 1  ♜  ♞  ♝  ♛  ♚  ♝  ♞  ♜    > You
    a  b  c  d  e  f  g  h
"""


def result_in(path: Path) -> tuple[str, str]:
    with path.open() as file:
        game = chess.pgn.read_game(file)
    assert game is not None
    return game.headers["Result"], game.headers["Termination"]


def colours(screen: Screen) -> set[str]:
    return {screen.background(4 + 3 * file, rank) for file in range(8) for rank in range(8)}


class Talk:
    def __init__(self, command: list[str], *words: str) -> None:
        self.process = subprocess.Popen(
            [*command, "play", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )
        self.seen = ""

    def say(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def hear(self, words: str) -> None:
        assert self.process.stdout is not None
        while words not in self.seen:
            letter = self.process.stdout.read(1)
            assert letter, self.seen
            self.seen += letter
        self.seen = ""

    def end(self) -> int:
        output, _ = self.process.communicate(timeout=PATIENCE)
        self.seen += output
        assert "Traceback" not in self.seen
        return self.process.returncode


def test_the_flag_falls_while_nothing_is_typed(lolli_command: list[str], tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    talk = Talk(lolli_command, *FAST, "--clock", "0.4s+0.1", "--pgn", str(path))
    talk.hear("Lolli wins: White's time is up. 0-1\n")
    talk.hear("Game over: ")
    talk.say("e4")
    talk.hear("The game is over")
    assert talk.end() == 0
    assert not path.exists()  # nothing was played


@pytest.mark.parametrize(
    ("words", "move", "thinking", "played"),
    [
        (("--level", "40", "--time", "500"), "e4", "Lolli is thinking …", r"Lolli plays 1\.\.\."),
        (("--game", "connectfour", "--time", "500", "uct"), "d", "uct is thinking …", r"O \(uct\) plays"),
    ],
)
def test_ctrl_c_has_the_machine_move(
    lolli_command: list[str], words: tuple[str, ...], move: str, thinking: str, played: str
) -> None:
    """Pressed too early, before there is something to stop, it can be pressed again."""
    with Screen([*lolli_command, "play", *words], columns=80, lines=24) as screen:
        screen.expect("^Your move:$")
        screen.type(f"{move}\r")
        screen.expect(f"^{thinking}$")
        while not re.search(f"^{played}", screen.text, re.MULTILINE):
            screen.type(CTRL_C)
            with suppress(AssertionError):
                screen.expect("^Your move:$", patience=PATIENCE / 10)
        screen.type("quit\r")
        assert screen.wait() == 0


def test_sigterm_while_the_engine_thinks(lolli_command: list[str], tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    words = ("--level", "40", "--time", "500", "--pgn", str(path))
    with Screen([*lolli_command, "play", *words], columns=80, lines=24) as screen:
        screen.expect("^Your move:$")
        screen.type("e4\r")
        screen.expect("^Lolli is thinking …$")
        time.sleep(0.3)
        while screen.process.poll() is None:  # it may have come before there was something to stop
            screen.process.terminate()
            with suppress(subprocess.TimeoutExpired):
                screen.process.wait(PATIENCE / 10)
        assert screen.wait() == 143
    assert result_in(path) == ("*", "unterminated")


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_signal_saves_the_game(
    lolli_command: list[str], tmp_path: Path, number: signal.Signals, status: int
) -> None:
    if signal.getsignal(number) is signal.SIG_IGN:
        pytest.skip("whoever started the tests ignores this signal, and so do their processes")
    path = tmp_path / "game.pgn"
    talk = Talk(lolli_command, *FAST, "--pgn", str(path))
    talk.say("e4")
    talk.hear("Lolli plays 1...")
    talk.hear("Your move: ")
    talk.process.send_signal(number)
    assert talk.end() == status
    assert f"Saved to {path}." in talk.seen
    assert result_in(path) == ("*", "unterminated")


def test_the_game_is_saved_when_stdout_is_closed(lolli_command: list[str], tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    talk = Talk(lolli_command, *FAST, "--pgn", str(path))
    talk.say("e4")
    talk.hear("Lolli plays 1...")
    talk.hear("Your move: ")
    assert talk.process.stdout is not None
    talk.process.stdout.close()
    talk.say("d4")
    talk.process.wait(PATIENCE)
    with talk.process:
        assert result_in(path) == ("*", "unterminated")
    assert "1. e4 " in path.read_text()


def test_the_screen(lolli_command: list[str]) -> None:
    words = ("--board-size", "small")
    with Screen([*lolli_command, "play", *FAST, *words], columns=80, lines=24) as screen:
        screen.expect("^Your move:$")
        assert screen.text.startswith(START_BOARD)
        assert len(colours(screen)) == 2
        screen.type("e4\r")
        screen.expect(r"^Lolli plays 1\.\.\.")
        screen.expect("^Your move:$")
        lines = screen.text.splitlines()
        assert len(lines) == 12  # the same place
        assert any(re.search(r"1\. e4 \S+$", line) for line in lines)
        assert lines[6].startswith(" 2  ♟  ♟  ♟  ♟     ♟  ♟  ♟")
        assert len(colours(screen)) > 2
        screen.type("xyzzy\r")
        screen.expect("^'xyzzy' is neither a move nor a command")
        screen.expect("^Your move:$")
        assert len(screen.text.splitlines()) == 12
        screen.type("help\r")
        screen.expect("^  quit ")
        assert len(screen.text.splitlines()) <= 24
        screen.type("flip\r")
        screen.expect(r"^    h  g  f  e  d  c  b  a$(.|\n)*^Your move:$")
        screen.type(CTRL_D)
        assert screen.wait() == 0


def test_completion_and_history(lolli_command: list[str]) -> None:
    with Screen([*lolli_command, "play", *FAST], columns=80, lines=24) as screen:
        screen.expect("^Your move:$")
        screen.type("mov\t")
        screen.expect("^Your move: moves$")
        screen.type(" g\t1\r")
        screen.expect(r"^Nf3, Nh3\nYour move:$")
        screen.type("\x1b[A")
        screen.expect("^Your move: moves g1$")
        screen.type("\x15Nf\t\r")
        screen.expect(r"1\. Nf3 ")
        screen.type("quit\r")
        assert screen.wait() == 0
    with Screen([*lolli_command, "play", "--game", "nim", "random"], columns=80, lines=24) as screen:
        screen.expect("^Your move:$")
        screen.type("MOV\t\r")
        screen.expect(r"^9-1 8-2 7-3 6-4\nYour move:$")
        screen.type(CTRL_D)
        assert screen.wait() == 0


def test_the_board_of_another_game_is_as_large_as_fits(lolli_command: list[str]) -> None:
    for lines, height in ((14, 1), (24, 3)):
        with Screen(
            [*lolli_command, "play", "--seed", "1", "--game", "tictactoe", "random"], columns=80, lines=lines
        ) as screen:
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
            screen.expect(r"^'xyzzy' is not a vertex of this board: type moves or help\.\nYour move:$")
            screen.type(CTRL_D)
            assert screen.wait() == 0


@pytest.mark.parametrize(("term", "columns"), [("dumb", 80), ("xterm-256color", 40)])
@pytest.mark.parametrize(
    ("words", "shown"), [(FAST, "♜   ♞   ♝"), (("--game", "go", "--level", "1"), " 5 . . + . + . + . . 5")]
)
def test_lesser_terminals(
    lolli_command: list[str], term: str, columns: int, words: tuple[str, ...], shown: str
) -> None:
    with Screen([*lolli_command, "play", *words], columns=columns, lines=24, term=term) as screen:
        screen.expect("^Your move:$")
        assert shown in screen.text or term != "dumb"
        screen.type("e4\rquit\r")
        assert screen.wait() == 0
        assert max(map(len, screen.text.splitlines())) <= columns


def test_ctrl_c_twice(lolli_command: list[str], tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    command = ["env", f"HOME={tmp_path}", *lolli_command, "play", *FAST, "--pgn", str(path)]
    with Screen(command, columns=80, lines=24) as screen:
        screen.expect("^Your move:$")
        screen.type("e4\r")
        # The prompt comes last: Ctrl-C drops what the terminal has not yet passed on.
        screen.expect(r"^Lolli plays 1\.\.\..*\nYour move:$")
        screen.type(CTRL_C)
        screen.expect(r"^Press Ctrl-C again to quit\.\nYour move:$")
        screen.type("d4\r")
        screen.expect(r"^Lolli plays 2\.\.\..*\nYour move:$")
        screen.type(CTRL_C)
        screen.expect(r"^Press Ctrl-C again to quit\.\nYour move:$")
        screen.type(CTRL_C)
        assert screen.wait() == 130
        assert "Saved to" in screen.text
    assert result_in(path) == ("*", "unterminated")
    assert list(tmp_path.iterdir()) == [path]  # no history of what was typed
