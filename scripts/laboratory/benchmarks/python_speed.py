"""`scripts/lab bench-python`: `lolli.Engine` beside the same over UCI, and positions by the million."""

from __future__ import annotations

import random
from array import array
from dataclasses import dataclass, field
from statistics import median
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

import chess
import chess.engine
import click
import psutil

from lolli import Engine, evaluate_many, legal_moves, legal_moves_many, pack
from scripts.laboratory.benchmarks.measuring import (
    FASTER,
    Program,
    alternate,
    lolli_option,
    millions,
    milliseconds,
    ratio,
    rounds_option,
    show,
)
from scripts.laboratory.lab_options import OPENINGS, WIDE, count_option, seed_option
from scripts.laboratory.openings import OpeningSuite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_PLIES = 60
"""The length of a game from which positions are taken."""
_GOOD = 3
"""A move is one of this many that lead to the best static values."""
_WORDS = ("time", "nps")  # what differs from search to search
_TOO_SLOW = 60.0  # seconds that python-chess waits for an answer


def some_positions(count: int, seed: int) -> list[chess.Board]:
    """Boards of games from the suite of openings, in the order of the games, without their moves."""
    suite = OpeningSuite.read(OPENINGS, chess960=False)
    rng, found = random.Random(seed), list[chess.Board]()
    for index in suite.order(seed):
        found += _played(suite.opening(index).board(), rng)
        if len(found) >= count:
            break
    return found[:count]


def _played(board: chess.Board, rng: random.Random) -> Iterator[chess.Board]:
    for _ in range(_PLIES):
        yield board.copy(stack=False)
        children = []
        for move in legal_moves(board):
            child = board.copy(stack=False)
            child.push(move)
            children.append(child)
        if not children or board.is_insufficient_material():
            return
        values = evaluate_many(children)
        best = sorted(range(len(children)), key=values.__getitem__)[:_GOOD]
        board = children[rng.choice(best)]


def _without_time(info: Any) -> dict[str, Any]:
    return {name: value for name, value in info.items() if name not in _WORDS}


@dataclass(frozen=True, slots=True)
class SearchCost:
    """Seconds on the clock and of the processor for a position, by round."""

    clock: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)


def compare_engines(
    boards: Sequence[chess.Board], nodes: int, command: Sequence[str], rounds: int
) -> tuple[SearchCost, SearchCost]:
    """What the search of a board takes here and over UCI; a round is a share of the boards.

    Each board is searched by both, one after the other. Raises click.ClickException where they find
    something different.
    """
    limit = chess.engine.Limit(nodes=nodes)
    figures = SearchCost(), SearchCost()
    size = len(boards) // rounds
    with Engine() as here, chess.engine.SimpleEngine.popen_uci([*command], timeout=_TOO_SLOW) as there:
        engines: tuple[Engine | chess.engine.SimpleEngine, ...] = here, there
        their_process = psutil.Process(there.transport.get_pid())
        for number in range(rounds):
            spent = [[0.0, 0.0], [0.0, 0.0]]
            for board in boards[number * size : (number + 1) * size]:
                found = []
                for engine, seconds in zip(engines, spent, strict=True):
                    before = perf_counter(), _processor(their_process)
                    found.append(_without_time(engine.analyse(board, limit)))
                    seconds[0] += perf_counter() - before[0]
                    seconds[1] += _processor(their_process) - before[1]
                if found[0] != found[1]:
                    raise click.ClickException(f"{board.fen()}: another result over UCI")
            for figure, (clock, processor) in zip(figures, spent, strict=True):
                figure.clock.append(clock / size)
                figure.processor.append(processor / size)
    return figures


def _processor(their_process: psutil.Process) -> float:
    """The processor time of this process and of the other one; it advances in steps of a hundredth."""
    times = their_process.cpu_times()
    return process_time() + times.user + times.system


def rates(boards: list[chess.Board], million: int, rounds: int) -> list[tuple[str, int, list[float]]]:
    """What is done, with how many positions, and positions a second of processor time for each round."""
    packed = bytes(pack(boards))
    rows = [packed[at : at + 32] for at in range(0, len(packed), 32)]
    random.Random(1).shuffle(rows)
    copies = -(-million // len(boards))
    ordered, shuffled = packed * copies, b"".join(rows) * copies
    out = array("i", bytes(4 * len(boards) * copies))
    kinds: list[tuple[str, int, Callable[[], object]]] = [
        (
            "evaluate_many, arrays, in the order of games",
            copies,
            lambda: evaluate_many(ordered, out=out),
        ),
        ("evaluate_many, arrays, shuffled", copies, lambda: evaluate_many(shuffled, out=out)),
        ("evaluate_many, chess.Boards", 1, lambda: evaluate_many(boards)),
        ("evaluate_many, linear, arrays", 1, lambda: evaluate_many(packed, evaluator="linear")),
        ("pack, chess.Boards", 1, lambda: pack(boards)),
        ("legal_moves_many, arrays", 1, lambda: legal_moves_many(packed)),
        ("legal_moves, chess.Boards", 1, lambda: [legal_moves(board) for board in boards]),
        ("python-chess's legal_moves", 1, lambda: [[*board.legal_moves] for board in boards]),
    ]
    columns = alternate([_timed(call) for _, _, call in kinds], rounds)
    return [
        (name, len(boards) * times, [len(boards) * times / seconds for seconds in column])
        for (name, times, _), column in zip(kinds, columns, strict=True)
    ]


def _timed(call: Callable[[], object]) -> Callable[[], float]:
    def timed() -> float:
        began = process_time()
        call()
        return process_time() - began

    return timed


@click.command(context_settings=WIDE)
@lolli_option
@rounds_option
@count_option("--positions", 1000, "Positions to search.", least=10)
@count_option("--nodes", 10_000, "Nodes for each of them.")
@count_option("--boards", 50_000, "Positions to evaluate; they are repeated up to a million.", least=10)
@count_option("--million", 1_000_000, "At least so many positions at once from arrays.")
@seed_option("the games")
def python(
    lolli: Program, rounds: int, positions: int, nodes: int, boards: int, million: int, seed: int
) -> None:
    """Compare `lolli.Engine` with the same engine over UCI, and count positions evaluated per second.

    The positions are from games that begin with the project's openings. Each is searched in this process and
    by a process that python-chess drives, one after the other; both must find the same.
    """
    several = some_positions(max(positions, boards), seed)
    chosen = random.Random(seed).sample(several, positions)
    here, there = compare_engines(chosen, nodes, lolli.command, rounds)
    show(
        f"{positions:,} positions, {nodes:,} nodes each",
        ["", "ms a position", f"{FASTER} than UCI", "ms of the processor", "less than UCI"],
        [
            [
                name,
                *(milliseconds(median(each.clock)), ratio(each.clock, here.clock)),
                *(milliseconds(median(each.processor)), ratio(each.processor, here.processor)),
            ]
            for name, each in (("lolli.Engine", here), (f"{lolli.name} over UCI", there))
        ],
        rounds,
        "Both found the same in all positions. Processor time over UCI is that of both processes.",
    )
    counted = rates(several[:boards], million, rounds)
    show(
        "Positions by the million, one processor",
        ["", "positions", "million a second"],
        [[name, f"{count:,}", millions(median(column))] for name, count, column in counted],
        rounds,
        f"Processor time; {boards:,} different positions.",
    )
