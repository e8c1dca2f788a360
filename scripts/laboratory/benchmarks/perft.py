"""scripts/bench_perft."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from statistics import median

import click

from engine.system import children_seconds

from .engine import Program, Talk, lolli_option, peer_option, rounds_option, start_up_cpu
from .figures import FASTER, NONE, alternate, millions, ratio, show

_TOTAL = "Nodes searched: "


@dataclass(frozen=True, slots=True)
class _Count:
    leaves: int
    wall: float
    cpu: float


@click.command()
@click.option("--depth", type=click.IntRange(1), default=6, show_default=True)
@rounds_option
@lolli_option
@peer_option("stockfish", "stockfish")
def command(depth: int, rounds: int, lolli: Program, stockfish: Program | None) -> None:
    """Count the leaves DEPTH plies from the start position, with `go perft`, in each engine by turns."""
    programs = [lolli, *([stockfish] if stockfish else [])]
    columns = alternate([partial(_count, program, depth) for program in programs], rounds)
    if len({count.leaves for column in columns for count in column}) != 1:
        raise click.ClickException("the engines do not count the same")
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
        "wall: the clock, from `go perft` to the sum; cpu: user and system time, less that of a start.",
    )


def _count(program: Program, depth: int) -> _Count:
    started = start_up_cpu(program)
    before = children_seconds()
    with Talk(program.command) as talk:
        talk.ask("uci", "uciok")
        talk.ask("isready", "readyok")
        lines, wall = talk.ask(f"go perft {depth}", _TOTAL)
    return _Count(int(lines[-1].removeprefix(_TOTAL)), wall, max(children_seconds() - before - started, 1e-3))
