"""`scripts/lab bench-threads`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from statistics import mean, median
from typing import TYPE_CHECKING

import click

from engine.system import processors
from protocol.uci.bench import BRATKO_KOPEC
from scripts.laboratory.benchmarks.measuring import (
    Program,
    Talk,
    alternate,
    lolli_option,
    milliseconds,
    peer_option,
    ratio,
    rounds_option,
    show,
)
from scripts.laboratory.lab_options import WIDE, count_option

if TYPE_CHECKING:
    from collections.abc import Sequence

_DEPTH = re.compile(r"^info (?=.*\bdepth (\d+)\b)(?!.*\b(?:lower|upper)bound\b)")
_NODES = re.compile(r"^info .*\bnodes (\d+)\b")


@dataclass(frozen=True, slots=True)
class _Reached:
    """How far searches came, and their seconds from `go` to `bestmove`: the mean of all positions.

    Of the depths it is the median: where a mate is found, they grow without end.
    """

    depth: float
    nodes: float
    seconds: float


def _counts(_ctx: object, _param: object, given: tuple[int, ...]) -> tuple[int, ...]:
    """The numbers of threads, 1 always among them; by default powers of two up to the processors."""
    usual = (2**power for power in range(processors().bit_length()))
    return tuple(sorted({1, *(given or usual)}))


@click.command(context_settings=WIDE)
@click.option(
    "--threads",
    "counts",
    multiple=True,
    type=click.IntRange(1, 512),
    callback=_counts,
    help="Number of threads to compare with one; may be repeated.  [default: powers of two]",
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
    what it costs to begin and to end with many threads, and whether they wait for one another.
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
        "Of each round the mean over the positions, of depths the median. Times one: the nodes divided by "
        "those with one thread (smallest … largest).",
    )


def _searches(program: Program, count: int, movetime: int, megabytes: int) -> _Reached:
    with Talk(program.command) as talk:
        talk.ask("uci", "uciok")
        talk.send(f"setoption name Hash value {megabytes}")
        talk.send(f"setoption name Threads value {count}")
        found = [_search(talk, fen, movetime) for fen in BRATKO_KOPEC]
    depths, nodes, seconds = zip(*found, strict=True)
    return _Reached(median(depths), mean(nodes), mean(seconds))


def _search(talk: Talk, fen: str, movetime: int) -> tuple[int, int, float]:
    """Depth, nodes and seconds of one search."""
    talk.send("ucinewgame")
    talk.send(f"position fen {fen}")
    talk.ask("isready", "readyok")
    lines, seconds = talk.ask(f"go movetime {movetime}", "bestmove")
    depth, nodes = (
        max((int(match[1]) for line in lines if (match := told.match(line))), default=0)
        for told in (_DEPTH, _NODES)
    )
    return depth, nodes, seconds


def _row(program: Program, count: int, rounds: Sequence[_Reached], alone: Sequence[_Reached]) -> list[str]:
    nodes, nodes_alone = ([reached.nodes for reached in of] for of in (rounds, alone))
    return [
        program.name,
        str(count),
        f"{median(nodes):,.0f}",
        ratio(nodes, nodes_alone if count > 1 else nodes),
        f"{median(reached.depth for reached in rounds):.1f}",
        milliseconds(median(reached.seconds for reached in rounds)),
    ]
