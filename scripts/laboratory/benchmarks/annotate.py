"""scripts/bench_annotate."""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click
import psutil
from rich.progress import track

from engine.files import open_file
from engine.system import children_seconds, processors
from protocol.cli.pgn.games import LARGEST_FILE, raw_games
from protocol.cli.terminal.console import PrintableConsole

from . import annotate_peer
from .annotate_games import play_games, repeat
from .engine import Program, lolli_option, peer_option
from .figures import NONE, milliseconds, show

if TYPE_CHECKING:
    from collections.abc import Iterator

_LONGEST = 240  # plies of a game
_SHORT, _SHORT_GAMES, _FEW_NODES = 24, 50, 10  # for memory: plies, different games, nodes
_STAGES = (0.1, 0.5, 0.99)  # at the very end workers are gone already
_MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class _Figures:
    """Times in seconds, by the clock and of the processors."""

    games: int
    positions: int
    wall: float
    cpu: float


@click.command()
@click.option("--pgn", type=click.Path(dir_okay=False, path_type=Path), help="The games; made if not there.")
@click.option("--games", type=click.IntRange(1), default=1000, show_default=True, help="To make.")
@click.option("--seed", type=int, default=1, show_default=True, help="Of the games that are made.")
@click.option("--nodes", type=click.IntRange(1), default=100_000, show_default=True, help="A position.")
@click.option(
    "--sample",
    type=click.IntRange(1),
    default=50,
    show_default=True,
    help="Games for the peer, spread evenly.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1),
    default=processors(),
    show_default="all processors",
    help="Games at the same time.",
)
@click.option(
    "--memory", type=click.IntRange(1), metavar="GAMES", help="Instead look at the memory for so many games."
)
@lolli_option
@peer_option("stockfish", "stockfish")
def command(  # noqa: PLR0913, PLR0917 - an argument for each option
    pgn: Path | None,
    games: int,
    seed: int,
    nodes: int,
    sample: int,
    jobs: int,
    memory: int | None,
    lolli: Program,
    stockfish: Program | None,
) -> None:
    """Annotate a file of games with `lolli annotate`, and with python-chess and Stockfish.

    The peer has an engine for each job, with one thread and 16 MB, and thinks about each position as long as
    Lolli did on average. With --memory the memory of all of Lolli's processes is looked at instead, while it
    annotates a long file of short games with few nodes.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if memory is not None:
            _look_at_memory(folder, memory, seed, jobs, lolli)
            return
        path = pgn or folder / "games.pgn"
        if not path.exists():
            _make(path, games, seed, jobs)
        ours = _annotate(path, folder, nodes, jobs, lolli)
        rows = [_row(lolli.name, ours, jobs)]
        seconds = ours.wall * jobs / max(ours.positions, 1)
        if stockfish is not None:
            rows.append(
                _row(f"python-chess, {stockfish.name}", _peer(path, sample, seconds, jobs, stockfish), jobs)
            )
    show(
        f"Annotating {path.name}: {nodes:,} nodes a position, {jobs} at a time",
        ["", "games", "positions", "games/min", "positions/s", "ms a position", "processors busy"],
        rows,
        None,
        f"The peer thinks {milliseconds(seconds)} ms about a position. Processors busy: user and system time"
        " of all processes, from their start to their end, in per cent of the clock's times the jobs.",
    )


def _make(path: Path, count: int, seed: int, jobs: int) -> None:
    console = PrintableConsole(stderr=True)
    texts = track(
        play_games(count, _LONGEST, seed, jobs),
        "Making games",
        total=count,
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    path.write_text("".join(texts), encoding="utf-8")


def _row(name: str, figures: _Figures, jobs: int) -> list[str]:
    return [
        name,
        f"{figures.games:,}",
        f"{figures.positions:,}",
        f"{figures.games / figures.wall * 60:.1f}",
        f"{figures.positions / figures.wall:.1f}",
        milliseconds(figures.wall * jobs / max(figures.positions, 1)),
        f"{100 * figures.cpu / (figures.wall * jobs):.1f}%" if figures.cpu else NONE,
    ]


def _annotate(path: Path, folder: Path, nodes: int, jobs: int, lolli: Program) -> _Figures:
    before, started = children_seconds(), time.monotonic()
    with _lolli(path, folder, nodes, jobs, lolli) as process:
        lines = [json.loads(line) for line in process.stdout or []]
    wall = time.monotonic() - started
    positions = sum(line["positions"] for line in lines if "error" not in line)
    return _Figures(len(lines), positions, wall, children_seconds() - before)


@contextmanager
def _lolli(
    path: Path, folder: Path, nodes: int, jobs: int, lolli: Program
) -> Iterator[subprocess.Popen[bytes]]:
    """`lolli annotate --json`. Raises click.ClickException where it fails."""
    words = ["annotate", str(path), "-o", str(folder / "out.pgn"), "--json"]
    words += ["--nodes", str(nodes), "--jobs", str(jobs)]
    with subprocess.Popen([*lolli.command, *words], stdout=subprocess.PIPE) as process:
        yield process
    if process.returncode not in (0, 1):
        raise click.ClickException(f"{lolli.name} ended with status {process.returncode}")


def _peer(path: Path, sample: int, seconds: float, jobs: int, stockfish: Program) -> _Figures:
    with open_file(path, LARGEST_FILE) as file:
        texts = [raw.data.decode(errors="replace") for raw in raw_games(file)]
    chosen = texts[:: max(1, len(texts) // sample)][:sample]
    before = children_seconds()
    effort = annotate_peer.annotate(stockfish.command, chosen, seconds, jobs)
    return _Figures(effort.games, effort.positions, effort.wall, children_seconds() - before)


def _look_at_memory(folder: Path, count: int, seed: int, jobs: int, lolli: Program) -> None:
    path = folder / "games.pgn"
    repeat(path, list(play_games(min(count, _SHORT_GAMES), _SHORT, seed, jobs)), count)
    marks = [max(1, round(stage * count)) for stage in _STAGES]
    rows = []
    largest = 0
    with _lolli(path, folder, _FEW_NODES, jobs, lolli) as process:
        family = psutil.Process(process.pid)
        for number, _ in enumerate(process.stdout or [], 1):
            if number in marks or number % 100 == 0:
                resident = [_resident(each) for each in (family, *family.children(recursive=True))]
                largest = max(largest, sum(resident))
            if number in marks:
                figures = [resident[0], max(resident[1:], default=0), sum(resident), largest]
                rows.append([f"{number:,} games", *(f"{figure / _MEGABYTE:.1f}" for figure in figures)])
    show(
        f"Memory for a file of {count:,} games, {path.name}, MB",
        ["after", "main process", "largest worker", "all processes", "most so far"],
        rows,
        None,
        f"Resident; {jobs} workers with a table of 16 MB each.",
    )


def _resident(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.Error:
        return 0
