"""scripts/bench_modes."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

import click

from .engine import Program, lolli_option
from .figures import NONE, alternate, millions, ratio, show

PLAIN = Program(
    "the same, as plain Python", (sys.executable, str(Path(__file__).parents[3] / "tests" / "pure.py"))
)
_RESULT = re.compile(r"(\d+) nodes (\d+) nps")
_SHALLOW = 1  # its time is that of clearing the table, which does not grow with the depth


@dataclass(frozen=True, slots=True)
class _Bench:
    nodes: int
    seconds: float


@click.command()
@click.option("--depth", type=click.IntRange(2), default=6, show_default=True)
@click.option("--rounds", type=click.IntRange(1), default=3, show_default=True, help="Turns of each.")
@lolli_option
def command(depth: int, rounds: int, lolli: Program) -> None:
    """Run a shallow bench compiled and as plain Python: the node count must be the same.

    The speed is that of the nodes beyond a bench 1 ply deep: plain Python clears the hash table slowly.
    """
    programs = [lolli, PLAIN]
    whole = alternate([partial(_bench, program, depth) for program in programs], rounds)
    fixed = [_bench(program, _SHALLOW) for program in programs]
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
            NONE if program is lolli else ratio(speeds[0], speed),
        ]
        for program, column, speed in zip(programs, whole, speeds, strict=True)
    ]
    show(
        f"bench {depth} in both modes",
        ["", "nodes", "million/s", "compiled faster"],
        rows,
        rounds,
        f"By the clock, less the time of bench {_SHALLOW}.",
    )


def _bench(program: Program, depth: int) -> _Bench:
    done = subprocess.run(
        [*program.command, "bench", str(depth)], capture_output=True, text=True, check=False
    )
    match = _RESULT.fullmatch(done.stdout.strip())
    if match is None:
        raise click.ClickException(f"{program.name}: {done.stderr.strip() or done.stdout.strip()}")
    nodes, speed = map(int, match.groups())
    return _Bench(nodes, nodes / max(speed, 1))
