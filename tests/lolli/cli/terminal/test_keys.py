"""Ctrl-C and SIGTERM, once and twice, in real processes."""

import signal
import subprocess
import sys

import pytest

from tests.lolli.cli.terminal.screen import CTRL_C, Screen
from tests.patience import PATIENCE
from tests.pure import ROOT

WAITING = """
import sys, threading
from lolli.cli.terminal.keys import stopping
stopped = threading.Event()
with stopping({stop}) as interruption:
    print("\\x1b[?25lready", flush=True)
    stopped.wait()
print("stopped by", interruption.signal.name, interruption.exit_status, interruption.by_person)
"""


def start(stop: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", WAITING.format(stop=stop)], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert process.stdout is not None
    process.stdout.readline()
    return process


@pytest.mark.parametrize(
    ("number", "told"), [(signal.SIGINT, "SIGINT 130 True"), (signal.SIGTERM, "SIGTERM 143 False")]
)
def test_the_first_signal_stops(number: signal.Signals, told: str) -> None:
    process = start("stopped.set")
    process.send_signal(number)
    said, _ = process.communicate(timeout=PATIENCE)
    assert said == f"stopped by {told}\n"
    assert process.returncode == 0


def test_a_second_ctrl_c_needs_no_python() -> None:
    """A handler would wait for the end of the C function that the main thread is in."""
    code = WAITING.format(stop="stopped.set").replace(
        "    stopped.wait()",
        "    signal.raise_signal(signal.SIGINT)\n    print('stopping', flush=True)\n    sum(range(10**15))",
    )
    with subprocess.Popen(
        [sys.executable, "-c", "import signal\n" + code], stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        assert process.stdout is not None
        assert any(line == "stopping\n" for line in iter(process.stdout.readline, ""))
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == -signal.SIGINT


def test_a_second_ctrl_c_shows_the_cursor_again() -> None:
    with Screen(
        [sys.executable, "-c", WAITING.format(stop="lambda: print('stopping', flush=True)")]
    ) as screen:
        screen.expect("ready")
        assert screen.cursor_hidden
        screen.type(CTRL_C)
        screen.expect("stopping")
        screen.type(CTRL_C)
        assert screen.wait() == -signal.SIGINT
        assert not screen.cursor_hidden


def test_the_terminal_is_left_as_it_was() -> None:
    """Ended at once, while what is typed was not to be seen."""
    waits = WAITING.format(stop="lambda: print('stopping', flush=True)")
    silent = waits.replace("    print(", "    keys = unheard()\n    keys.__enter__()\n    print(")
    code = f"from lolli.cli.terminal.keys import unheard\n{silent}"
    shell = 'trap \'stty -a\' INT; "$0" -c "$1"; stty -a'
    with Screen(["sh", "-c", shell, sys.executable, code]) as screen:
        screen.expect("ready")
        screen.type(CTRL_C)
        screen.expect("stopping")
        screen.type(CTRL_C)
        screen.expect(r"(?<!-)\becho\b")
        screen.wait()
        assert not screen.cursor_hidden


def test_a_stop_may_take_a_lock_that_the_main_thread_holds() -> None:
    code = (
        "import os, signal, threading; from lolli.cli.terminal.keys import stopping\n"
        "lock, stopped = threading.Lock(), threading.Event()\n"
        "def stop():\n"
        "    with lock: stopped.set()\n"
        "with stopping(stop):\n"
        "    with lock: os.kill(os.getpid(), signal.SIGINT)\n"
        "    stopped.wait()\n"
        "print('ended')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=True, cwd=ROOT
    )
    assert done.stdout == "ended\n"


@pytest.mark.parametrize(
    ("swallowed", "seconds", "left_by"),
    [("SIGINT", None, "KeyboardInterrupt"), ("SIGTERM", None, "EndedError"), ("SIGALRM", 0, "TimeUpError")],
)
def test_input_swallows_no_signal(swallowed: str, seconds: int | None, left_by: str) -> None:
    """It clears what is raised while it flushes stderr."""
    code = (
        "import signal, sys; from lolli.cli.terminal.keys import Keyboard\n"
        "class Stream:\n"
        f"    def flush(self): signal.raise_signal(signal.{swallowed})\n"
        "keyboard, plain = Keyboard(lambda _line: ()), sys.stderr\n"
        "with keyboard:\n"
        "    sys.stderr = Stream()\n"
        "    try:\n"
        f"        keyboard.ask('> ', {seconds})\n"
        "    except BaseException as error:\n"
        "        sys.stderr = plain\n"
        "        print('left by', type(error).__name__)\n"
    )
    with Screen([sys.executable, "-c", code]) as screen:
        assert screen.wait() == 0
        assert screen.text.endswith(f"left by {left_by}")


@pytest.mark.parametrize(
    ("signals", "left_by"),
    [("INT", ""), ("INT INT", "KeyboardInterrupt"), ("TERM TERM", "EndedError"), ("INT TERM", "EndedError")],
)
def test_a_search_that_does_not_stop_is_left_at_the_second_signal(signals: str, left_by: str) -> None:
    """Even if it catches all that is an Exception."""
    code = (
        "import signal; from lolli.cli.terminal.keys import Keyboard\n"
        "with Keyboard(lambda _line: ()) as keyboard:\n"
        "    try:\n"
        "        with keyboard.busy(lambda: print('stop')):\n"
        f"            for name in {signals.split()}:\n"
        "                try: signal.raise_signal(signal.Signals['SIG' + name])\n"
        "                except Exception: pass\n"
        "    except BaseException as error: print(type(error).__name__)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=True, cwd=ROOT
    )
    assert done.stdout.split() == ["stop", *left_by.split()]
