"""`scripts/lab bench-threads`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from statistics import mean
from typing import TYPE_CHECKING

import click

from engine.system import processors
from protocol.uci.bench import BRATKO_KOPEC
from scripts.laboratory.benchmarks.measuring import (
    Program,
    Talk,
    alternate,
    lolli_option,
    peer_option,
    ratio,
    rounds_option,
    show,
)
from scripts.laboratory.lab_options import WIDE, count_option

if TYPE_CHECKING:
    from collections.abc import Sequence

_FOUND = re.compile(r"^info (?=.*\bdepth (\d+)\b)(?=.*\bnodes (\d+)\b)")


@dataclass(frozen=True, slots=True)
class _Search:
    """What a search of one position reached, and its seconds from `go` to `bestmove`."""

    depth: int
    nodes: int
    seconds: float


def _counts(_ctx: object, _param: object, given: tuple[int, ...]) -> tuple[int, ...]:
    """One thread first: the others are compared with it. By default powers of two, one for each processor."""
    usual = (2**power for power in range(processors().bit_length()))
    return tuple(sorted({1, *(given or usual)}))


@click.command(context_settings=WIDE)
@click.option(
    "--threads",
    "counts",
    multiple=True,
    type=click.IntRange(1, 512),
    callback=_counts,
    help="Number of threads beside one; may be repeated.  [default: 2, 4, … up to the processors]",
)
@count_option("--movetime", 50, "Time of each search, in ms.")
@count_option("--hash", 64, "Size of the hash table, in MB.", to="megabytes")
@rounds_option
@lolli_option
@peer_option("stockfish", "stockfish")
def threads(
    counts: tuple[int, ...],
    movetime: int,
    megabytes: int,
    rounds: int,
    lolli: Program,
    stockfish: Program | None,
) -> None:
    """Compare searches by several threads with searches by one: nodes, and how deep they go.

    Searches of the 24 positions of Bratko and Kopec, with the hash table cleared before each. Short ones show
    what it costs to begin and to end with many threads, and whether these wait for each other meanwhile.
    """
    programs = [lolli, *([stockfish] if stockfish else [])]
    runs = [(program, count) for program in programs for count in counts]
    turns = [partial(_searches, program, count, movetime, megabytes) for program, count in runs]
    by_run = dict(zip(runs, alternate(turns, rounds), strict=True))
    show(
        f"{len(BRATKO_KOPEC)} searches of {movetime} ms",
        ["", "threads", "nodes", "times one", "depth", "ms"],
        [_row(program, count, by_run[program, count], by_run[program, 1]) for program, count in runs],
        rounds,
        "Means over the positions. Times one: as many nodes as with one thread, with (smallest … largest).",
    )


def _searches(program: Program, count: int, movetime: int, megabytes: int) -> list[_Search]:
    with Talk(program.command) as talk:
        talk.ask("uci", "uciok")
        talk.send(f"setoption name Hash value {megabytes}")
        talk.send(f"setoption name Threads value {count}")
        return [_position(talk, fen, movetime) for fen in BRATKO_KOPEC]


def _position(talk: Talk, fen: str, movetime: int) -> _Search:
    talk.send("ucinewgame")
    talk.send(f"position fen {fen}")
    talk.ask("isready", "readyok")
    lines, seconds = talk.ask(f"go movetime {movetime}", "bestmove")
    found = [match for line in lines if (match := _FOUND.match(line))]
    deepest = max((int(match[1]) for match in found), default=0)
    return _Search(deepest, max((int(match[2]) for match in found), default=0), seconds)


def _row(
    program: Program, count: int, searched: Sequence[list[_Search]], alone: Sequence[list[_Search]]
) -> list[str]:
    nodes, nodes_alone = (
        [mean(each.nodes for each in of_round) for of_round in by] for by in (searched, alone)
    )
    every = [each for of_round in searched for each in of_round]
    return [
        program.name,
        str(count),
        f"{mean(nodes):,.0f}",
        ratio(nodes, nodes_alone if count > 1 else nodes),
        f"{mean(each.depth for each in every):.2f}",
        f"{1000 * mean(each.seconds for each in every):.1f}",
    ]
