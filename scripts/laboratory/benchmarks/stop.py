"""scripts/bench_stop."""

from __future__ import annotations

import random
import time
from contextlib import ExitStack
from functools import partial
from itertools import cycle
from statistics import median
from typing import TYPE_CHECKING

import click

from protocol.uci.bench import POSITIONS

from .engine import Program, Talk, lolli_option, peer_option
from .figures import alternate, milliseconds, show, worst_of_100

if TYPE_CHECKING:
    from collections.abc import Iterator

_LIVELY = POSITIONS[:32]  # neither decided nor at the end of the game
_ALMOST_NO_CLOCK = "go wtime 1 btime 1"


@click.command()
@click.option("--rounds", type=click.IntRange(1), default=100, show_default=True, help="Of each kind.")
@click.option("--longest", type=click.IntRange(10), default=300, show_default=True, help="Wait, in ms.")
@click.option("--seed", type=int, default=1, show_default=True, help="Of the waits.")
@lolli_option
@peer_option("stockfish", "stockfish")
def command(rounds: int, longest: int, seed: int, lolli: Program, stockfish: Program | None) -> None:
    """Take the time from `stop` to `bestmove`, after 10 ms to --longest of `go infinite`.

    And from `go wtime 1 btime 1`, a clock that is all but gone, to `bestmove`. The engines have their turns
    in the same positions; one thread each.
    """
    programs = [lolli, *([stockfish] if stockfish else [])]
    chooser = random.Random(seed)
    waits = [chooser.uniform(0.01, longest / 1000) for _ in range(rounds)]
    with ExitStack() as stack:
        talks = [stack.enter_context(Talk(program.command)) for program in programs]
        for talk in talks:
            talk.ask("uci", "uciok")
        stops = alternate([partial(_stop, talk, cycle(_LIVELY), iter(waits)) for talk in talks], rounds)
        moves = alternate([partial(_hurry, talk, cycle(_LIVELY)) for talk in talks], rounds)
    rows = [
        [f"{program.name}: {what}", *map(milliseconds, (median(times), worst_of_100(times), max(times)))]
        for what, columns in (("stop", stops), (_ALMOST_NO_CLOCK, moves))
        for program, times in zip(programs, columns, strict=True)
    ]
    show(
        "To bestmove, ms",
        ["", "median", "99 of 100 within", "worst"],
        rows,
        rounds,
        "By the clock.",
    )


def _stop(talk: Talk, positions: Iterator[str], waits: Iterator[float]) -> float:
    _set_up(talk, next(positions))
    talk.send("go infinite")
    time.sleep(next(waits))
    return talk.ask("stop", "bestmove")[1]


def _hurry(talk: Talk, positions: Iterator[str]) -> float:
    _set_up(talk, next(positions))
    return talk.ask(_ALMOST_NO_CLOCK, "bestmove")[1]


def _set_up(talk: Talk, fen: str) -> None:
    talk.send(f"position fen {fen}")
    talk.ask("isready", "readyok")
