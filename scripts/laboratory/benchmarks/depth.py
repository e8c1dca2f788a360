"""`scripts/lab bench-depth`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from statistics import geometric_mean
from typing import TYPE_CHECKING

import click

from engine.board.fen import START_FEN
from protocol.uci.bench import BRATKO_KOPEC
from scripts.laboratory.benchmarks.measuring import (
    NONE,
    Program,
    Talk,
    alternate,
    lolli_option,
    peer_option,
    show,
)
from scripts.laboratory.lab_options import WIDE, count_option

if TYPE_CHECKING:
    from collections.abc import Sequence

_POSITIONS = (START_FEN, *BRATKO_KOPEC[:20])
_PLIES = 5  # the last plies, for the branching factor
_DEPTH = re.compile(r"^info (?=.*\bdepth (\d+)\b)(?!.*\b(?:lower|upper)bound\b)(?=.*\bnodes (\d+)\b).*\bpv\b")


@dataclass(frozen=True, slots=True)
class _Depths:
    """A search of one position: its seconds, and the nodes up to each depth."""

    seconds: float
    nodes: dict[int, int]


@click.command(context_settings=WIDE)
@count_option("--depth", 12, "Depth of the searches, in plies.", least=2)
@count_option("--hash", 64, "Size of the hash table, in MB.", to="megabytes")
@lolli_option
@peer_option("stockfish", "stockfish")
def depth(depth: int, megabytes: int, lolli: Program, stockfish: Program | None) -> None:
    """Compare the nodes and time of a search to --depth: the start position and 20 of Bratko and Kopec's.

    One thread, with the hash table cleared before each position. A depth means something else for each
    engine, since they extend and prune differently.
    """
    programs = [lolli, *([stockfish] if stockfish else [])]
    turns = [partial(_search, program, depth, megabytes) for program in programs]
    searched = [rounds[0] for rounds in alternate(turns, 1)]
    show(
        f"{len(_POSITIONS)} positions to depth {depth}",
        ["", "nodes", "per position", "ms", "per position", "branching"],
        [_row(program.name, column, depth) for program, column in zip(programs, searched, strict=True)],
        None,
        "Per position: geometric means. Branching: the geometric mean of N(d)/N(d - 1) over the last "
        f"{min(_PLIES, depth - 1)} plies, with N(d) for all nodes up to depth d.",
    )


def _search(program: Program, depth: int, megabytes: int) -> list[_Depths]:
    with Talk(program.command) as talk:
        talk.ask("uci", "uciok")
        talk.send(f"setoption name Hash value {megabytes}")
        return [_position(talk, fen, depth) for fen in _POSITIONS]


def _position(talk: Talk, fen: str, depth: int) -> _Depths:
    talk.send("ucinewgame")
    talk.send(f"position fen {fen}")
    talk.ask("isready", "readyok")
    lines, seconds = talk.ask(f"go depth {depth}", "bestmove")
    found = (_DEPTH.match(line) for line in lines)
    return _Depths(seconds, {int(match[1]): int(match[2]) for match in found if match})


def _row(name: str, searched: Sequence[_Depths], depth: int) -> list[str]:
    nodes = [max(each.nodes.values()) for each in searched if each.nodes]
    shallow = max(depth - _PLIES, 1)
    growth = [
        (each.nodes[depth] / each.nodes[shallow]) ** (1 / (depth - shallow))
        for each in searched
        if {depth, shallow} <= each.nodes.keys()  # a mate found early may end it
    ]
    return [
        name,
        f"{sum(nodes):,}",
        f"{geometric_mean(nodes):,.0f}" if nodes else NONE,
        f"{1000 * sum(each.seconds for each in searched):.0f}",
        f"{1000 * geometric_mean(each.seconds for each in searched):.1f}",
        f"{geometric_mean(growth):.2f}" if growth else NONE,
    ]
