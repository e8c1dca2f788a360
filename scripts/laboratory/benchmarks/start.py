"""scripts/bench_start."""

from __future__ import annotations

import shlex
import subprocess
import time
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import click

from .engine import Program, Talk, lolli_option, peer_option
from .figures import FASTER, NONE, alternate, milliseconds, ratio, show

if TYPE_CHECKING:
    from collections.abc import Sequence

RUN = Program("scripts/run", (str(Path(__file__).parents[2] / "run"),))


WORDS = (("--help",), ("analyse", "startpos", "--depth", "1"))  # the commands that people wait for


@click.command()
@click.option("--rounds", type=click.IntRange(1), default=50, show_default=True, help="Starts of each.")
@lolli_option
@peer_option("stockfish", "stockfish")
def command(rounds: int, lolli: Program, stockfish: Program | None) -> None:
    """Take the time from the start of the process to its first answer.

    That is `uciok` of lolli, scripts/run and Stockfish, and the first output of two commands of the shell,
    which have no peer, all by turns. Each has been started before: what is measured is a start from the
    files in memory.
    """
    programs = [lolli, RUN, *([stockfish] if stockfish else [])]
    commands = [(*lolli.command, *words) for words in WORDS]
    turns = [
        *(partial(_to_uciok, program) for program in programs),
        *(partial(_to_output, words) for words in commands),
    ]
    for turn in turns:
        turn()
    columns = alternate(turns, rounds)
    rows = [
        [*_figures(program.name, column), NONE if program is lolli else ratio(column, columns[0])]
        for program, column in zip(programs, columns, strict=False)
    ]
    head = ["", "median", "best", "worst"]
    show("From start to uciok, ms", [*head, FASTER], rows, rounds, "By the clock.")
    rows = [
        _figures(shlex.join(("lolli", *words)), column)
        for words, column in zip(WORDS, columns[len(programs) :], strict=True)
    ]
    show("From start to the first output, ms", head, rows, rounds, "By the clock, to a pipe.")


def _figures(name: str, column: Sequence[float]) -> list[str]:
    return [name, *(milliseconds(figure) for figure in (median(column), min(column), max(column)))]


def _to_uciok(program: Program) -> float:
    with Talk(program.command) as talk:
        talk.send("uci")
        _, arrived = talk.until("uciok")
        return talk.seconds_to(arrived)


def _to_output(words: Sequence[str]) -> float:
    """Seconds from the start of a command to the first byte that it writes. It runs to its end."""
    started = time.monotonic()
    with subprocess.Popen(words, bufsize=0, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        first = process.stdout.read(1) if process.stdout else b""
        seconds = time.monotonic() - started
        process.communicate()
    if process.returncode or not first:
        raise click.ClickException(f"{shlex.join(words)} fails")
    return seconds
