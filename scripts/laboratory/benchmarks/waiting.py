"""`scripts/lab bench-start` and `bench-stop`: how long users and clients wait for an answer."""

from __future__ import annotations

import random
import shlex
import subprocess
import time
from contextlib import ExitStack
from functools import partial
from itertools import cycle
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import click

from protocol.uci.bench import POSITIONS
from scripts.laboratory.benchmarks.measuring import (
    FASTER,
    Program,
    Talk,
    alternate,
    lolli_option,
    milliseconds,
    peer_option,
    ratio,
    show,
    worst_of_100,
)
from scripts.laboratory.lab_options import WIDE, count_option, seed_option

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


RUN = Program("scripts/run", (str(Path(__file__).parents[2] / "run"),))


WORDS = (("--help",), ("analyse", "startpos", "--depth", "1"))  # commands that a user waits for


@click.command(context_settings=WIDE)
@count_option("--rounds", 50, "Starts of each program.")
@lolli_option
@peer_option("stockfish", "stockfish")
def start(rounds: int, lolli: Program, stockfish: Program | None) -> None:
    """Measure the time from the start of a process to its first answer.

    The answer is `uciok` of lolli, scripts/run and Stockfish, and the first output of two commands, which
    have no peer. Each has been started before, so its files are in memory.
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
        [*_figures(program.name, column), ratio(column, columns[0])]
        for program, column in zip(programs, columns, strict=False)
    ]
    head = ["", "median", "best", "worst"]
    show("From start to uciok, ms", [*head, FASTER], rows, rounds, "Wall time.")
    rows = [
        _figures(shlex.join(("lolli", *words)), column)
        for words, column in zip(WORDS, columns[len(programs) :], strict=True)
    ]
    show(
        "From start to the first output, ms", head, rows, rounds, "Wall time, with standard output to a pipe."
    )


def _figures(name: str, column: Sequence[float]) -> list[str]:
    return [name, *(milliseconds(figure) for figure in (median(column), min(column), max(column)))]


def _to_uciok(program: Program) -> float:
    with Talk(program.command) as talk:
        talk.send("uci")
        _, arrived = talk.until("uciok")
        return talk.seconds_to(arrived)


def _to_output(words: Sequence[str]) -> float:
    """Seconds from the start of a command to its first byte of output. The command runs to its end."""
    started = time.monotonic()
    with subprocess.Popen(words, bufsize=0, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        first = process.stdout.read(1) if process.stdout else b""
        seconds = time.monotonic() - started
        process.communicate()
    if process.returncode or not first:
        raise click.ClickException(f"{shlex.join(words)} failed")
    return seconds


_LIVELY = POSITIONS[:32]  # undecided middle games
_ALMOST_NO_CLOCK = "go wtime 1 btime 1"


@click.command(context_settings=WIDE)
@count_option("--rounds", 100, "Measurements of each kind.")
@count_option("--longest", 300, "Longest time from `go infinite` to `stop`, in ms.", least=10)
@seed_option("these times")
@lolli_option
@peer_option("stockfish", "stockfish")
def stop(rounds: int, longest: int, seed: int, lolli: Program, stockfish: Program | None) -> None:
    """Measure the time from `stop` to `bestmove`, after 10 ms to --longest of `go infinite`.

    Also the time from `go wtime 1 btime 1`, with almost no time left, to `bestmove`. All engines search the
    same positions with one thread.
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
        "Wall time.",
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
