"""scripts/bench_start."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from statistics import median

import click

from .engine import Program, Talk, lolli_option, peer_option
from .figures import FASTER, NONE, alternate, milliseconds, ratio, show

RUN = Program("scripts/run", (str(Path(__file__).parent.parent / "run"),))


@click.command()
@click.option("--rounds", type=click.IntRange(1), default=50, show_default=True, help="Starts of each.")
@lolli_option
@peer_option("stockfish", "stockfish")
def command(rounds: int, lolli: Program, stockfish: Program | None) -> None:
    """Take the time from the start of the process to `uciok`: lolli, scripts/run and Stockfish by turns.

    Each has been started before: what is measured is a start from the files in memory.
    """
    programs = [lolli, RUN, *([stockfish] if stockfish else [])]
    for program in programs:
        _start(program)
    columns = alternate([partial(_start, program) for program in programs], rounds)
    rows = [
        [
            program.name,
            milliseconds(median(column)),
            milliseconds(min(column)),
            milliseconds(max(column)),
            NONE if program is lolli else ratio(column, columns[0]),
        ]
        for program, column in zip(programs, columns, strict=True)
    ]
    show(
        "From start to uciok, ms",
        ["", "median", "best", "worst", FASTER],
        rows,
        rounds,
        "By the clock.",
    )


def _start(program: Program) -> float:
    with Talk(program.command) as talk:
        talk.send("uci")
        _, arrived = talk.until("uciok")
        return talk.seconds_to(arrived)
