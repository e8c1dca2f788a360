"""The harvest: stopped, gone on with, with another network, and behind all other work."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from eval.network_file import save_network
from eval.training.game_file import GameRecord, read_blocks, verify
from tests.eval.some_networks import random_network

ROOT = Path(__file__).parents[4]


def begin(folder: Path, *words: str) -> subprocess.Popen[bytes]:
    """The command, with quick games and a note after each."""
    script = "from scripts.laboratory.learning.selfplay import harvest; harvest()"
    quick = ["--nodes", "20", "--concurrency", "1", "--minutes", "0.0001", "--out", str(folder)]
    return subprocess.Popen(
        [sys.executable, "-u", "-c", script, *quick, *words], cwd=ROOT, stdout=subprocess.PIPE
    )


def line(process: subprocess.Popen[bytes]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().decode()


def end(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130


def numbers(generation: Path) -> list[int]:
    """The numbers of the games of a generation, all of which are sound."""
    found = []
    for path in [*generation.glob("*.games"), *generation.glob("*.part")]:
        for block, data in read_blocks(path.read_bytes(), 0):
            for game in map(GameRecord.from_bytes, block.unpack(data)):
                verify(game)
                found.append(game.number)
    return found


@pytest.fixture(autouse=True)
def compiled_only(is_pure: bool) -> None:
    if is_pure:
        pytest.skip("the workers' processes load what is compiled")


def test_a_harvest_goes_on_where_it_was(tmp_path: Path) -> None:
    for begun in range(2):
        with begin(tmp_path, "--eval", "material") as process:
            assert "positions to learn from so far" in line(process)
            assert "of them in" in [line(process) for _ in range(4)][-1]
            end(process)
        (generation,) = (path for path in tmp_path.iterdir() if path.is_dir())
        found = numbers(generation)
        assert len(found) == len(set(found)) >= 4 * (begun + 1)
    assert generation.name == "001-material"


def test_a_newer_network_begins_a_generation(tmp_path: Path) -> None:
    network = tmp_path / "net.lolli"
    save_network(network, replace(random_network(1), scale=10))
    with begin(tmp_path / "games", "--weights", str(network)) as process:
        line(process)
        line(process)
        save_network(network, replace(random_network(2), scale=10))
        while "001-" in (said := line(process)):
            pass
        assert "002-" in said
        line(process)
        end(process)
    first, second = sorted((tmp_path / "games").iterdir())
    assert (first.name[:4], second.name[:4]) == ("001-", "002-")
    assert 0 in numbers(first)
    assert list(first.glob("*.games"))  # what there was is packed, to be learned from
    assert 0 in numbers(second)


@pytest.mark.skipif(not hasattr(os, "SCHED_IDLE"), reason="Linux's way to stand behind all others")
def test_a_harvest_stands_behind_other_work_and_can_be_stopped_for_a_while(tmp_path: Path) -> None:
    with begin(tmp_path, "--eval", "material") as process:
        line(process)
        line(process)
        harvester = psutil.Process(process.pid)
        (worker,) = (each for each in harvester.children() if "spawn_main" in " ".join(each.cmdline()))
        assert (os.sched_getscheduler(worker.pid), worker.nice()) == (os.SCHED_IDLE, 19)
        assert os.getsid(worker.pid) == worker.pid
        if Path("/proc/self/autogroup").exists():
            assert Path(f"/proc/{worker.pid}/autogroup").read_text().endswith("nice 19\n")
        everyone = [harvester, worker]
        for how in (signal.SIGSTOP, signal.SIGCONT):
            for each in everyone:
                each.send_signal(how)
            time.sleep(0.2)
        line(process)
        line(process)
        end(process)
    (generation,) = tmp_path.iterdir()
    found = numbers(generation)
    assert len(found) == len(set(found)) >= 2
