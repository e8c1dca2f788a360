"""How the process ends, and that a clock is obeyed: with games that take long to think about."""

import re
import signal
import subprocess
import sys
import time

import pytest

from tests.patience import PATIENCE
from tests.protocol.gtp.client import Controller
from tests.protocol.uci.dialogue import ends_once_unheard

LONG = ("set_game othello", "search-algorithm enhanced", "search-limits seconds=1000")
SOON = 60.0  # seconds: only a hang takes so long


def thinking(controller: Controller, line: str = "1 genmove b") -> float:
    """Let it think for long; when that began."""
    for word in LONG:
        controller.get(word)
    controller.send(line)
    assert controller.silent(0.3)
    return time.monotonic()


@pytest.fixture
def gtp(lolli_command: list[str]) -> list[str]:
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


@pytest.mark.parametrize("end", [("3 rubbish",), ("3 quit", "4 name")])
def test_the_end_waits_for_what_was_asked(gtp: list[str], end: tuple[str, ...]) -> None:
    """Each search has its time, with and without `quit`."""
    with Controller(gtp) as controller:
        for word in (*LONG[:2], "search-limits seconds=0.5"):
            controller.get(word)
        began = time.monotonic()
        controller.send("1 genmove b", "2 genmove w", *end)
        controller.hang_up()
        assert controller.wait() == 0
        assert time.monotonic() - began >= 0.5  # no depth is begun that could hardly be finished
        answers = [(answer.id, answer.good) for answer in controller.answers()]
        assert answers == [("1", True), ("2", True), ("3", "3 quit" in end)]


def test_an_interrupt_after_many_lines(gtp: list[str]) -> None:
    with Controller(gtp) as controller:
        began = thinking(controller)
        controller.send(*["name"] * 5000, "# interrupt")
        assert controller.answer().id == "1"
        assert time.monotonic() - began < SOON
        assert [controller.answer().text for _ in range(5000)] == ["Lolli"] * 5000


def test_a_long_script_in_a_pipe(gtp: list[str]) -> None:
    """What is found does not depend on when the input ends."""
    setting = ("set_game connectfour", "search-algorithm uct", "search-limits playouts=3000")
    script = "\n".join((*setting, *("genmove b", "genmove w") * 6))
    with_quit, without = (
        subprocess.run(
            [*gtp, "--seed", "1"], input=said.encode(), capture_output=True, check=False, timeout=PATIENCE
        ).stdout
        for said in (f"{script}\nquit\n", script)
    )
    assert without.count(b"=") == 15
    assert with_quit == without + b"=\n\n"


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
@pytest.mark.parametrize("waiting", [1, 20_000])
def test_a_client_that_is_gone(gtp: list[str], waiting: int) -> None:
    """It has closed both pipes: the process ends at once, also while reading waits for earlier lines."""
    with subprocess.Popen(
        gtp, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdin.write("\n".join((*LONG, "genmove b", *["name"] * waiting, "")).encode())
            process.stdin.flush()
            for _ in range(2 * len(LONG)):
                process.stdout.readline()
            process.stdin.close()
            time.sleep(0.5)
            assert process.poll() is None
            process.stdout.close()
            assert process.wait(SOON) == 0
            assert process.stderr.read() == b""
        finally:
            process.kill()


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
    ends_once_unheard(gtp, b"name\n", b"= Lolli\n\n", b"name\n")


@pytest.mark.alone
def test_a_clock_is_obeyed(gtp: list[str]) -> None:
    """By the strongest searcher: half a second a move."""
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
    with Controller([*gtp, "--resign", "5", "--seed", "1"]) as controller:
        for line in ("set_game go", "boardsize 9", "komi 200", "search-limits playouts=2000"):
            controller.get(line)
        assert controller.get("genmove b") == "resign"
        assert controller.fail("undo") == "cannot undo"
        assert controller.get("genmove w") != "resign"
