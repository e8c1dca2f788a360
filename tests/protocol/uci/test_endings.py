"""How the process ends: quietly, and with the `bestmove` of its search where somebody can read it."""

import re
import signal
import subprocess
import sys
import time
from contextlib import suppress

import pytest

from engine.board.position import COMPILED
from protocol.uci.bench import DEFAULT_DEPTH
from tests.patience import PATIENCE
from tests.protocol.uci.dialogue import Dialogue, ends_once_unheard

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and pipes of POSIX")

BUSY = {"idle": "isready", "searching": "go infinite", "perft": "go perft 12", "bench": "bench 60"}


def start(dialogue: Dialogue, state: str) -> None:
    dialogue.ask("uci", "position startpos")
    dialogue.ask(BUSY[state])
    time.sleep(0.1)


@pytest.mark.parametrize("state", BUSY)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals(lolli_command: list[str], state: str, number: signal.Signals) -> None:
    with Dialogue(lolli_command) as dialogue:
        start(dialogue, state)
        dialogue.process.send_signal(number)
        assert dialogue.wait() == -number


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_while_it_starts(lolli_command: list[str], number: signal.Signals) -> None:
    """Sent at once: what Python itself says of a SIGINT before our first line is out of our hands.

    It may even lose one, on a machine so busy that the start takes seconds; not the one after it.
    """
    with Dialogue(lolli_command, quiet=False) as dialogue:
        time.sleep(0.02)
        dialogue.process.send_signal(number)
        with suppress(subprocess.TimeoutExpired):
            dialogue.process.wait(20)
        if dialogue.process.poll() is None:
            dialogue.process.send_signal(number)
        assert dialogue.wait() != 0


@pytest.mark.parametrize("state", ["idle", "searching"])
def test_end_of_input(lolli_command: list[str], state: str) -> None:
    with Dialogue(lolli_command) as dialogue:
        start(dialogue, state)
        dialogue.hang_up()
        assert dialogue.wait() == 0
        owed = 1 if state == "searching" else 0
        assert sum(line.startswith("bestmove ") for line in dialogue.rest()) == owed


@pytest.mark.parametrize("end", ["", "quit"])
def test_the_end_cuts_a_long_bench_short(lolli_command: list[str], end: str) -> None:
    """And says so, after the seconds that other work has."""
    done = subprocess.run(
        lolli_command, input=f"bench 30\n{end}".encode(), capture_output=True, check=False, timeout=PATIENCE
    )
    assert done.stdout.endswith(b"info string bench stopped\n")
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("end", ["", "quit"])
@pytest.mark.parametrize("words", ["bench", pytest.param(f"bench {DEFAULT_DEPTH}", marks=pytest.mark.slow)])
@pytest.mark.skipif(not COMPILED, reason="minutes in plain Python")
def test_the_end_waits_for_the_usual_bench(lolli_command: list[str], words: str, end: str) -> None:
    """OpenBench and scripts want the whole signature."""
    done = subprocess.run(
        lolli_command, input=f"{words}\n{end}".encode(), capture_output=True, check=False, timeout=PATIENCE
    )
    assert re.search(rb"\n\d+ nodes \d+ nps\n$", done.stdout)
    assert (done.returncode, done.stderr) == (0, b"")


def test_no_input_at_all(lolli_command: list[str]) -> None:
    done = subprocess.run(
        lolli_command, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=PATIENCE
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_last_line_without_its_end(lolli_command: list[str]) -> None:
    done = subprocess.run(lolli_command, input=b"isready", capture_output=True, check=False, timeout=PATIENCE)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"readyok\n", b"")


@pytest.mark.parametrize(
    ("streams", "told"),
    [("<&-", b""), (">&-", b"lolli: stdout: Bad file descriptor\n"), ("2>&-", b""), ("<&- >&- 2>&-", b"")],
)
def test_streams_closed_before_the_start(lolli_command: list[str], streams: str, told: bytes) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f'exec "$@" {streams}', "sh", *lolli_command],
        input=b"isready\nrubbish\nquit\n",
        capture_output=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.stderr == told


@pytest.mark.parametrize("command", ["isready", "go infinite", "go perft 2", "bench 2"])
def test_closed_stdout(lolli_command: list[str], command: str) -> None:
    """Only the thread that writes can notice, the main one or a worker."""
    ends_once_unheard(lolli_command, b"isready\n", b"readyok\n", f"{command}\n".encode())
