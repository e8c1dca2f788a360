"""scripts/lab bench-annotate runs, beside a made-up peer; what it measures is for idle machines."""

import shlex
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from scripts.laboratory.benchmarks.annotation_speed import annotate, play_games

PEER = f"""#!{sys.executable}
import sys

for line in sys.stdin:
    match line.split():
        case ["uci"]:
            print("id name Peer\\noption name Threads type spin default 1 min 1 max 9\\nuciok", flush=True)
        case ["isready"]:
            print("readyok", flush=True)
        case ["go", *_]:
            print("info depth 1 score cp 10\\nbestmove (none)", flush=True)
        case ["quit"]:
            break
"""


@pytest.fixture
def peer(tmp_path: Path) -> str:
    path = tmp_path / "peer"
    path.write_text(PEER)
    path.chmod(0o755)
    return str(path)


def run(*words: str) -> Result:
    assert isinstance(annotate, click.Command)
    return CliRunner().invoke(annotate, words)


def test_games_are_made_and_annotated(lolli_command: list[str], peer: str, tmp_path: Path) -> None:
    pgn = tmp_path / "games.pgn"
    ours = ["--lolli", shlex.join(lolli_command), "--stockfish", peer, "--nodes", "10", "--jobs", "1"]
    pgn.write_text("".join(play_games(2, 10, seed=3, processes=1)))
    done = run("--pgn", str(pgn), "--sample", "1", *ours)
    assert done.exit_code == 0, done.output
    rows = [line.split("│")[1:-1] for line in done.stdout.splitlines() if "│" in line]
    assert [row[1:3] for row in rows] == [["     2 ", "        22 "], ["     1 ", "        11 "]]
    assert "Lolli 0" in rows[0][0]
    assert "Peer" in rows[1][0]


def test_memory(lolli_command: list[str], peer: str) -> None:
    done = run("--memory", "4", "--lolli", shlex.join(lolli_command), "--stockfish", peer, "--jobs", "1")
    assert done.exit_code == 0, done.output
    rows = [line.split("│")[1:-1] for line in done.stdout.splitlines() if "│" in line]
    assert [row[0].strip() for row in rows] == ["1 games", "2 games", "4 games"]
    assert all(float(row[1]) > 10 for row in rows)


def test_help() -> None:
    assert "Usage:" in run("--help").stdout
