"""Real clients, where they are installed, read what `lolli setup` has written, and start the engine."""

import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from lolli.cli.clients import CLIENTS, Status, carry_out
from tests.patience import PATIENCE

GAMES = Path("/usr/games")
PYTHON = Path("/usr/bin/python3")  # which Debian's PyChess is for

# What PyChess does at its start, for our engine alone: ask for its options, then write them into its file.
DISCOVER = """
import asyncio
from pychess.Players import engineNest

async def main():
    discoverer, done = engineNest.discoverer, asyncio.Event()
    discoverer.engines = [each for each in discoverer.engines if each["name"] == "Lolli"]
    engineNest.ENGINES_LIST.clear()
    discoverer.connect("all_engines_discovered", lambda *_: done.set())
    discoverer.discover()
    await asyncio.wait_for(done.wait(), 60)

loop = asyncio.new_event_loop()
asyncio.set_event_loop(loop)
loop.run_until_complete(main())
"""


@pytest.fixture
def program(tmp_path: Path, lolli_command: list[str]) -> Path:
    """An installed `lolli` in a folder with a blank in its name, which notes that it was started."""
    path = tmp_path / "my programs" / "lolli"
    path.parent.mkdir()
    path.write_text(
        f'#!/bin/sh\necho "$PWD" >>{shlex.quote(str(tmp_path / "started"))}\n'
        f'PYTHONPATH={shlex.quote(os.pathsep.join(sys.path))} exec {shlex.join(lolli_command)} "$@"\n'
    )
    path.chmod(0o755)
    return path


def write(key: str, file: Path, program: Path) -> None:
    plan = CLIENTS[key].plan(file, "Lolli", program)
    assert plan.status is not Status.PRESENT
    carry_out(plan)


@pytest.mark.skipif(not (GAMES / "pychess").exists(), reason="PyChess is not installed (Debian: pychess)")
def test_pychess(tmp_path: Path, program: Path) -> None:
    file = tmp_path / "config" / "pychess" / "engines.json"
    write("pychess", file, program)
    places = {f"XDG_{name.upper()}_HOME": str(tmp_path / name) for name in ("config", "data", "cache")}
    subprocess.run(
        [PYTHON, "-W", "ignore", "-c", DISCOVER],
        check=True,
        capture_output=True,
        env={**os.environ, **places, "HOME": str(tmp_path)},
        timeout=PATIENCE,
    )
    (engine,) = json.loads(file.read_text())
    assert engine["recheck"] is False
    assert {"Hash", "Threads", "SyzygyPath"} <= {option["name"] for option in engine["options"]}
    assert CLIENTS["pychess"].plan(file, "Lolli", program).status is Status.PRESENT


@pytest.fixture
def display() -> Iterator[str]:
    reading, writing = os.pipe()
    with subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing)], pass_fds=[writing], stderr=subprocess.DEVNULL
    ) as server:
        os.close(writing)
        with os.fdopen(reading) as answer:
            yield f":{answer.readline().strip()}"
        server.terminate()


@pytest.mark.skipif(
    not ((GAMES / "xboard").exists() and shutil.which("Xvfb")),
    reason="XBoard or Xvfb is not installed (Debian: xboard, polyglot, xvfb)",
)
@pytest.mark.parametrize(
    "settings", ["", "-saveDate 1700000000\n-firstChessProgramNames {fairymax\n}\n"], ids=["new", "saved"]
)
def test_xboard(tmp_path: Path, program: Path, display: str, settings: str) -> None:
    """By the name in its list; through Polyglot."""
    file = tmp_path / "xboardrc"
    if settings:
        file.write_text(settings)
    elif (Path.home() / ".xboardrc").exists():
        pytest.skip("the settings of this machine's user would count, too")
    write("xboard", file, program)
    log = tmp_path / "debug"
    words = ["-settingsFile", str(file), "-saveSettingsOnExit", "false", "-fe", "Lolli"]
    with subprocess.Popen(
        [GAMES / "xboard", *words, "-debug", "-nameOfDebugFile", str(log), "-mode", "MachineWhite"],
        cwd=tmp_path,
        env={**os.environ, "DISPLAY": display, "PATH": f"{os.environ['PATH']}:{GAMES}"},
        stderr=subprocess.DEVNULL,
    ) as xboard:
        try:
            end = time.monotonic() + PATIENCE
            while "<first : move " not in (log.read_text("latin-1") if log.exists() else ""):
                assert time.monotonic() < end, log.read_text("latin-1")
                time.sleep(0.1)
        finally:
            xboard.kill()  # it may sit in a dialog, which SIGTERM does not end
    assert (tmp_path / "started").read_text() == f"{program.parent}\n"
    assert 'myname="Lolli' in log.read_text("latin-1")
