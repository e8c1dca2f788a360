"""The benchmarks run, beside a made-up peer; what they measure is for idle machines."""

import re
import shlex
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from scripts.laboratory import bench
from scripts.laboratory.bench import Program

LEAVES = {2: 400, 3: 8902}
PEER = f"""#!{sys.executable}
import sys

match sys.argv[1:]:
    case ["bench"]:
        sys.exit("Nodes searched  : 1000\\nNodes/second    : 500")
    case ["bench", depth]:
        sys.exit(print(int(depth) * 9, "nodes 9 nps"))
for line in sys.stdin:
    match line.split():
        case ["uci"]:
            print("id name Peer\\nuciok", flush=True)
        case ["isready"]:
            print("readyok", flush=True)
        case ["go", "perft", depth]:
            print(f"Nodes searched: {{ {LEAVES!r}[int(depth)] }}", flush=True)
        case ["go", "movetime" | "wtime", *_] | ["stop"]:
            print("info depth 1 time 2 nodes 3 nps 1500\\nbestmove e2e4", flush=True)
        case ["go", "depth", _]:
            for depth in ("1 nodes 3", "2 nodes 20 lowerbound", "2 nodes 12", "3 nodes 48"):
                print("info depth", depth, "time 2 nps 1500 pv e2e4")
            print("bestmove e2e4", flush=True)
        case ["quit"]:
            break
"""


def write_peer(path: Path, text: str) -> str:
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def peer(tmp_path: Path) -> str:
    return write_peer(tmp_path / "peer", PEER)


@pytest.fixture
def ours(lolli_command: list[str]) -> list[str]:
    return ["--lolli", shlex.join(lolli_command)]


def run(name: str, *words: str) -> Result:
    return CliRunner().invoke(bench.bench, [name, *words])


def table(name: str, *words: str) -> str:
    done = run(name, *words)
    assert done.exit_code == 0, done.output
    assert "Lolli 0" in done.stdout
    return done.stdout


def test_perft(ours: list[str], peer: str) -> None:
    shown = table("perft", "--depth", "3", "--rounds", "2", "--stockfish", peer, *ours)
    assert "8,902 leaves" in shown
    assert "Peer" in shown


def test_speed(ours: list[str], peer: str) -> None:
    words = ["--depth", "1", "--rounds", "1", "--stockfish", peer, "--sunfish", peer]
    shown = table("speed", *words, *ours)
    assert "1,000" in shown  # from its bench
    assert "72" in shown  # 24 positions of 3 nodes


def test_start(ours: list[str], peer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "RUN", Program("scripts/run", (peer,)))  # which would build
    shown = table("start", "--rounds", "2", "--stockfish", peer, *ours)
    assert "Peer" in shown


def test_search(ours: list[str], peer: str) -> None:
    shown = table("search", "--depth", "3", "--stockfish", peer, *ours)
    assert "21 positions to depth 3" in shown
    (row,) = (re.findall(r"[\w.,]+", line) for line in shown.splitlines() if "Peer" in line)
    assert (row[1], row[2], row[5]) == ("1,008", "48", "4.00")  # twice fourfold, and the bound does not count


def test_threads(ours: list[str], peer: str) -> None:
    words = ["--threads", "3", "--movetime", "20", "--rounds", "2", "--stockfish", peer]
    shown = table("threads", *words, *ours)
    one, three = (re.findall(r"[\w.,]+", line) for line in shown.splitlines() if "Peer" in line)
    assert one[1:3] == ["1", "3"]
    assert three[1:4] == ["3", "3", "1.00"]
    assert shown.count("Lolli 0") == 2


def test_stop(ours: list[str], peer: str) -> None:
    shown = table("stop", "--rounds", "3", "--stockfish", peer, *ours)
    assert shown.count("Peer") == 2


def test_without_a_peer(ours: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scripts.laboratory.bench.shutil.which", _only_paths)
    done = run("perft", "--depth", "2", "--rounds", "1", *ours)
    assert done.exit_code == 0
    assert done.stderr == (
        "stockfish not found on PATH or in /usr/games: measuring without it (see --stockfish)\n"
    )


def _only_paths(name: str, path: object = None) -> str | None:
    del path
    return name if "/" in name else None


def test_a_peer_that_ends(ours: list[str]) -> None:
    done = run("stop", "--stockfish", "false", *ours)
    assert done.exit_code == 1
    assert "false ended with status 1" in done.stderr
