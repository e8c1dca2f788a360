"""scripts/bench_speed."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import TYPE_CHECKING

import click

from engine.system import children_seconds
from protocol.uci.bench import DEFAULT_DEPTH, POSITIONS

from .engine import Program, Talk, lolli_option, peer_option, rounds_option, start_up_cpu
from .figures import FASTER, NONE, alternate, millions, ratio, show

if TYPE_CHECKING:
    from collections.abc import Callable

_OURS = re.compile(r"^(\d+) nodes (\d+) nps$", re.MULTILINE)
_STOCKFISH = re.compile(r"^Nodes searched  : (\d+)\nNodes/second    : (\d+)$", re.MULTILINE)
_MIDDLE_GAMES = POSITIONS[8:32]  # the test of Bratko and Kopec


@dataclass(frozen=True, slots=True)
class _Speed:
    """Nodes searched, and how many a second: of wall clock as the engine says, and of processor time."""

    nodes: int
    wall: float
    cpu: float | None


@click.command()
@click.option(
    "--depth", type=click.IntRange(1), default=DEFAULT_DEPTH, show_default=True, help="Of our bench."
)
@click.option("--movetime", type=click.IntRange(1), default=250, show_default=True, help="Sunfish's, in ms.")
@rounds_option
@lolli_option
@peer_option("stockfish", "stockfish")
@peer_option("sunfish", "sunfish-uci")
def command(
    depth: int,
    movetime: int,
    rounds: int,
    lolli: Program,
    stockfish: Program | None,
    sunfish: Program | None,
) -> None:
    """Compare nodes a second: our `bench`, the same by material, Stockfish's, Sunfish over UCI, by turns.

    What a node is, each engine decides for itself. Sunfish, which has no bench, gets the test of Bratko and
    Kopec, --movetime for each position. (`pip install sunfish`, best into an environment of its own, and name
    the sunfish-uci that it brings with --sunfish.)
    """
    programs = [lolli, Program("the same by material alone", lolli.command)]
    turns: list[Callable[[], _Speed]] = [
        partial(_bench, lolli, str(depth), _OURS),
        partial(_bench, lolli, f"{depth} --eval material", _OURS),
    ]
    if stockfish:
        programs.append(stockfish)
        turns.append(partial(_bench, stockfish, "", _STOCKFISH))
    if sunfish:
        programs.append(sunfish)
        turns.append(partial(_search, sunfish, movetime))
    columns = alternate(turns, rounds)
    ours = columns[0]
    rows = []
    for program, column in zip(programs, columns, strict=True):
        by_wall = by_cpu = NONE
        if column is not ours:
            by_wall = ratio([each.wall for each in ours], [each.wall for each in column])
            by_cpu = _cpu_ratio(ours, column)
        rows.append(
            [
                program.name,
                f"{int(median(speed.nodes for speed in column)):,}",
                millions(median(speed.wall for speed in column)),
                by_wall,
                by_cpu,
            ]
        )
    show(
        "Search, one thread",
        ["", "nodes", "million/s", f"{FASTER}, wall", f"{FASTER}, cpu"],
        rows,
        rounds,
        "wall: by the clock, as the engine says; cpu: by user and system time, less that of a start.",
    )


def _cpu_ratio(ours: list[_Speed], theirs: list[_Speed]) -> str:
    known = [(our.cpu, their.cpu) for our, their in zip(ours, theirs, strict=True) if our.cpu and their.cpu]
    return ratio(*zip(*known, strict=True)) if known else NONE


def _bench(program: Program, words: str, pattern: re.Pattern[str]) -> _Speed:
    started = start_up_cpu(program)
    before = children_seconds()
    done = subprocess.run(
        [*program.command, "bench", *words.split()], capture_output=True, text=True, check=False
    )
    cpu = max(children_seconds() - before - started, 1e-3)
    match = pattern.search(done.stdout + done.stderr)
    if match is None:
        raise click.ClickException(f"{program.name}: bench ends with status {done.returncode} and no figures")
    return _Speed(int(match[1]), float(match[2]), int(match[1]) / cpu)


def _search(program: Program, movetime: int) -> _Speed:
    """The sums of the nodes and the times that it had reached when it last gave both."""
    nodes = spent = 0
    with Talk(program.command) as talk:
        talk.ask("uci", "uciok")
        for fen in _MIDDLE_GAMES:
            talk.send("ucinewgame")
            talk.ask("isready", "readyok")
            talk.send(f"position fen {fen}")
            lines, _ = talk.ask(f"go movetime {movetime}", "bestmove")
            last = next(words for line in reversed(lines) if {"nodes", "time"} <= set(words := line.split()))
            nodes += int(last[last.index("nodes") + 1])
            spent += int(last[last.index("time") + 1])
    return _Speed(nodes, nodes / max(spent, 1) * 1000, None)
