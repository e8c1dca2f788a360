"""`scripts/lab bench-speed`, `bench-perft` and `bench-modes`: nodes per second."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import click

from engine.system import children_seconds
from protocol.uci.bench import DEFAULT_DEPTH, POSITIONS
from scripts.laboratory.benchmarks.measuring import (
    FASTER,
    NONE,
    Program,
    Talk,
    alternate,
    lolli_option,
    millions,
    peer_option,
    ratio,
    rounds_option,
    show,
    start_up_cpu,
)
from scripts.laboratory.lab_options import WIDE, count_option

if TYPE_CHECKING:
    from collections.abc import Callable


_OURS = re.compile(r"^(\d+) nodes (\d+) nps$", re.MULTILINE)
_STOCKFISH = re.compile(r"^Nodes searched  : (\d+)\nNodes/second    : (\d+)$", re.MULTILINE)
_MIDDLE_GAMES = POSITIONS[8:32]  # the test of Bratko and Kopec


@dataclass(frozen=True, slots=True)
class _Speed:
    """Nodes, and nodes per second of wall time, as the engine reports it, and of processor time."""

    nodes: int
    wall: float
    cpu: float | None

    @property
    def seconds(self) -> float:
        """Wall time."""
        return self.nodes / max(self.wall, 1)


@click.command(context_settings=WIDE)
@count_option("--depth", DEFAULT_DEPTH, "Depth of Lolli's bench.")
@count_option("--movetime", 250, "Time of each of Sunfish's searches, in ms.")
@rounds_option
@lolli_option
@peer_option("stockfish", "stockfish")
@peer_option("sunfish", "sunfish-uci")
def speed(
    depth: int,
    movetime: int,
    rounds: int,
    lolli: Program,
    stockfish: Program | None,
    sunfish: Program | None,
) -> None:
    """Compare nodes per second: Lolli's bench with both evaluators, Stockfish's, and Sunfish over UCI.

    Each engine counts nodes in its own way. Sunfish has no bench and searches the test of Bratko and Kopec,
    --movetime for each position. (`pip install sunfish` in an environment of its own, and give its
    sunfish-uci to --sunfish.)
    """
    programs = [lolli, Program("the same, by material alone", lolli.command)]
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
        "wall: wall time as the engine reports it. cpu: user and system time, without that of a start.",
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
        raise click.ClickException(
            f"{program.name}: bench printed no figures, and its exit status is {done.returncode}"
        )
    return _Speed(int(match[1]), float(match[2]), int(match[1]) / cpu)


def _search(program: Program, movetime: int) -> _Speed:
    """Sums of the nodes and times in the last reports of each search."""
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


PLAIN = Program(
    "the same, as plain Python", (sys.executable, str(Path(__file__).parents[3] / "tests" / "pure.py"))
)
_SHALLOW = 1  # takes the time of clearing the table, which does not depend on the depth


@click.command(context_settings=WIDE)
@count_option("--depth", 6, "Depth of the bench.", least=2)
@count_option("--rounds", 3, "Measurements of each mode.")
@lolli_option
def modes(depth: int, rounds: int, lolli: Program) -> None:
    """Run a shallow bench compiled and as plain Python. Both must search the same number of nodes.

    The speed excludes a bench of depth 1, because plain Python clears the hash table slowly.
    """
    programs = [lolli, PLAIN]
    whole = alternate([partial(_bench, program, str(depth), _OURS) for program in programs], rounds)
    fixed = [_bench(program, str(_SHALLOW), _OURS) for program in programs]
    counts = {bench.nodes for column in whole for bench in column}
    if len(counts) != 1 or fixed[0].nodes != fixed[1].nodes:
        raise click.ClickException(f"the node counts differ: {sorted(counts)}")
    speeds = [
        [(bench.nodes - base.nodes) / max(bench.seconds - base.seconds, 1e-3) for bench in column]
        for column, base in zip(whole, fixed, strict=True)
    ]
    rows = [
        [
            program.name,
            f"{column[0].nodes:,}",
            millions(median(speed)),
            ratio(speeds[0], speed),
        ]
        for program, column, speed in zip(programs, whole, speeds, strict=True)
    ]
    show(
        f"bench {depth} in both modes",
        ["", "nodes", "million/s", "compiled faster"],
        rows,
        rounds,
        f"Wall time without that of bench {_SHALLOW}.",
    )


_TOTAL = "Nodes searched: "


@dataclass(frozen=True, slots=True)
class _Count:
    leaves: int
    wall: float
    cpu: float


@click.command(context_settings=WIDE)
@count_option("--depth", 6, "Depth in plies.")
@rounds_option
@lolli_option
@peer_option("stockfish", "stockfish")
def perft(depth: int, rounds: int, lolli: Program, stockfish: Program | None) -> None:
    """Compare the speed of `go perft` from the start position."""
    programs = [lolli, *([stockfish] if stockfish else [])]
    columns = alternate([partial(_count, program, depth) for program in programs], rounds)
    if len({count.leaves for column in columns for count in column}) != 1:
        raise click.ClickException("the engines count different numbers of leaves")
    ours = columns[0]
    rows = []
    for program, column in zip(programs, columns, strict=True):
        same = column is ours
        rows.append(
            [
                program.name,
                f"{median(count.wall for count in column):.3f}",
                f"{median(count.cpu for count in column):.3f}",
                millions(median(count.leaves / count.wall for count in column)),
                NONE if same else ratio([each.wall for each in column], [each.wall for each in ours]),
                NONE if same else ratio([each.cpu for each in column], [each.cpu for each in ours]),
            ]
        )
    show(
        f"perft {depth} from the start position: {ours[0].leaves:,} leaves",
        ["", "wall, s", "cpu, s", "million/s", f"{FASTER}, wall", f"{FASTER}, cpu"],
        rows,
        rounds,
        "wall: wall time from `go perft` to the sum. cpu: user and system time, without that of a start.",
    )


def _count(program: Program, depth: int) -> _Count:
    started = start_up_cpu(program)
    before = children_seconds()
    with Talk(program.command) as talk:
        talk.ask("uci", "uciok")
        talk.ask("isready", "readyok")
        lines, wall = talk.ask(f"go perft {depth}", _TOTAL)
    return _Count(int(lines[-1].removeprefix(_TOTAL)), wall, max(children_seconds() - before - started, 1e-3))
