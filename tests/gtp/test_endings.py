"""How the process ends, and that a clock is obeyed: with games that take long to think about."""

import os
import re
import signal
import subprocess
import sys
import time

import pytest

from tests.gtp.client import Controller
from tests.protocol.dialogue import PATIENCE

LONG = ("set_game othello", "search-algorithm enhanced", "search-limits seconds=1000")
SOON = 3.0  # seconds, on a busy machine


def thinking(controller: Controller, line: str = "1 genmove b") -> float:
    """Let it think for long; when that began."""
    for word in LONG:
        controller.get(word)
    controller.send(line)
    assert controller.silent(0.3)
    return time.monotonic()


@pytest.fixture
def gtp(lolli_command: list[str]) -> list[str]:
    """The words that start the process."""
    return [*lolli_command, "gtp", "--game", "tictactoe"]


def test_interrupt(gtp: list[str]) -> None:
    with Controller(gtp) as controller:
        began = thinking(controller)
        controller.send("# interrupt")
        answer = controller.answer()
        assert time.monotonic() - began < SOON
        assert re.fullmatch("[A-H][1-8]", answer.text)
        assert (answer.good, answer.id) == (True, "1")
        controller.get("undo")
        controller.send("# interrupt")
        assert controller.get("name") == "Lolli"


def test_end_of_input_during_a_search(gtp: list[str]) -> None:
    with Controller(gtp) as controller:
        began = thinking(controller)
        controller.send("2 genmove w", "3 rubbish")
        controller.hang_up()
        assert controller.wait() == 0
        assert time.monotonic() - began < SOON
        answers = controller.answers()
        assert [(answer.id, answer.good) for answer in answers] == [("1", True), ("2", True), ("3", False)]


def test_quit_waits_for_what_was_asked(gtp: list[str]) -> None:
    with Controller(gtp) as controller:
        for word in (*LONG[:2], "search-limits seconds=0.5"):
            controller.get(word)
        controller.send("1 genmove b", "2 quit", "3 name")
        controller.hang_up()
        assert controller.wait() == 0
        assert [answer.id for answer in controller.answers()] == ["1", "2"]


def test_a_script_in_a_pipe(gtp: list[str]) -> None:
    done = subprocess.run(
        gtp, input=b"1 genmove b\n2 name\n3 quit", capture_output=True, check=False, timeout=PATIENCE
    )
    assert re.fullmatch(rb"=1 [A-C][1-3]\n\n=2 Lolli\n\n=3\n\n", done.stdout)
    assert (done.returncode, done.stderr) == (0, b"")


def test_no_input_at_all(gtp: list[str]) -> None:
    done = subprocess.run(gtp, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=PATIENCE)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("busy", [False, True])
def test_signals(gtp: list[str], number: signal.Signals, busy: bool) -> None:
    with Controller(gtp) as controller:
        controller.get("name")
        if busy:
            thinking(controller)
        controller.process.send_signal(number)
        assert controller.wait() == -number


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
def test_closed_stdout(gtp: list[str]) -> None:
    reader, writer = os.pipe()
    process = subprocess.Popen(gtp, stdin=subprocess.PIPE, stdout=writer, stderr=subprocess.PIPE, bufsize=0)
    try:
        os.close(writer)
        assert process.stdin is not None
        assert process.stderr is not None
        os.close(reader)
        process.stdin.write(b"name\n")
        assert process.wait(PATIENCE) == 0
        assert process.stderr.read() == b""
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stderr):
            if pipe is not None:
                pipe.close()


def test_a_clock_is_obeyed(gtp: list[str]) -> None:
    """By whoever is strongest: half a second a move."""
    with Controller(gtp) as controller:
        for game in ("othello", "go", "connectfour", "backgammon", "focus", "virus", "chinesecheckers"):
            controller.get(f"set_game {game}")
            controller.get("time_settings 0 1 2")
            if game == "backgammon":
                controller.get("play dice 31")
            began = time.monotonic()
            controller.get("genmove b")
            assert time.monotonic() - began < 1.0, game


def test_a_hopeless_game_is_resigned_if_wanted(gtp: list[str]) -> None:
    with Controller([*gtp, "--resign", "5"]) as controller:
        for line in ("set_game go", "boardsize 9", "komi 200", "search-limits playouts=2000"):
            controller.get(line)
        assert controller.get("genmove b") == "resign"
        assert controller.fail("undo") == "cannot undo"
        assert controller.get("genmove w") != "resign"


def test_almost_no_time(gtp: list[str]) -> None:
    with Controller(gtp) as controller:
        controller.get("set_game othello")
        controller.get("time_settings 0 0 0")
        began = time.monotonic()
        for colour in "bwbw":
            controller.get(f"genmove {colour}")
        assert time.monotonic() - began < SOON
