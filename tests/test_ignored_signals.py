"""Signals ignored at the start stay so: under nohup(1), in the background of a script, in some CI."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.compiled import ROOT
from tests.poorer import ignoring
from tests.protocol.dialogue import PATIENCE, Dialogue
from tests.protocol.gtp.client import Controller

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")

A_WHILE = 0.3  # seconds in which a signal would have shown its effect


def test_the_engine_goes_on(lolli_command: list[str]) -> None:
    with Dialogue(ignoring(["INT"], lolli_command)) as dialogue:
        dialogue.ask("uci", "position startpos")
        dialogue.send("go infinite")
        dialogue.expect("info depth .*")
        dialogue.process.send_signal(signal.SIGINT)
        time.sleep(A_WHILE)
        dialogue.send("stop")
        dialogue.expect("bestmove .*")
        dialogue.process.send_signal(signal.SIGTERM)
        assert dialogue.wait() == -signal.SIGTERM


def test_gtp_goes_on(lolli_command: list[str]) -> None:
    command = ignoring(["INT"], [*lolli_command, "gtp", "--game", "tictactoe"])
    with Controller(command) as gtp:
        gtp.get("name")
        gtp.process.send_signal(signal.SIGINT)
        time.sleep(A_WHILE)
        assert gtp.get("name") == "Lolli"


def test_a_command_goes_on(lolli_command: list[str]) -> None:
    words = ["analyse", "startpos", "--time", "1.5"]
    with subprocess.Popen(
        ignoring(["INT"], [*lolli_command, *words]), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()  # it has begun
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, errors
        assert "Best move: " in output


@pytest.mark.parametrize(("ignored", "status"), [(["HUP"], 0), (["INT"], 128 + signal.SIGHUP)])
def test_a_game_outlives_its_terminal_under_nohup(
    lolli_command: list[str], tmp_path: Path, ignored: list[str], status: int
) -> None:
    words = ["play", "--level", "1", "--nodes", "10", "--pgn", str(tmp_path / "game.pgn")]
    with subprocess.Popen(
        ignoring(ignored, [*lolli_command, *words]),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        bufsize=0,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("e4\n")
        while "e4" not in process.stdout.readline():
            pass
        process.send_signal(signal.SIGHUP)
        time.sleep(A_WHILE)
        if process.poll() is None:
            process.stdin.write("quit\n")
        process.communicate(timeout=PATIENCE)
        assert process.returncode == status


def test_the_tests_do_not_depend_on_it(is_pure: bool) -> None:
    if is_pure:
        pytest.skip("nothing of this is in the kernel")
    words = ["-q", "-p", "no:cacheprovider", "tests/protocol/test_endings.py", "-k", "test_signals and idle"]
    done = subprocess.run(
        ignoring(["INT"], [sys.executable, "-m", "pytest", *words]),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stdout
    assert "2 passed" in done.stdout
