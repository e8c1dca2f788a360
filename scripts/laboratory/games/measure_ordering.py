"""`scripts/lab measure-ordering`: the leaves that alpha-beta and Star1 visit, by the order of the moves."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import partial
from math import log
from random import Random
from statistics import mean
from typing import TYPE_CHECKING

import click

from engine.games.players.catalogue import game
from engine.games.rules.game import CHANCE
from engine.games.rules.tree import Tree, leaf, node
from engine.games.textbook.expectiminimax import expectiminimax
from engine.games.textbook.hooked_alphabeta import hooked_alphabeta
from engine.games.textbook.lookup import solve
from engine.games.textbook.minimax import minimax
from engine.games.textbook.ordering import by_value, shuffled
from engine.games.textbook.search import Meter
from engine.games.textbook.star1 import star1
from scripts.laboratory.lab_options import WIDE, count_option, seed_option
from scripts.laboratory.measuring import NONE, show

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.games.textbook.ordering import Order
    from engine.games.textbook.search import Result


_ESTIMATE = game("tree").estimate


@dataclass(frozen=True, slots=True)
class Measured:
    """Mean numbers of leaves in trees of one shape: without pruning, and in three orders of the moves."""

    breadth: int
    outcomes: int
    depth: int
    plain: float
    perfect: float
    random: float
    worst: float


def uniform_tree(random: Random, breadth: int, depth: int, outcomes: int = 1, player: int = 0) -> Tree:
    """A tree with `breadth` moves in each position, alternating players, and random payoffs from -1 to 1.

    With more than one outcome, a chance node with `outcomes` equally likely outcomes follows each move.
    """
    if depth == 0:
        payoff = random.uniform(-1, 1)
        return leaf((payoff, -payoff))

    def after() -> Tree:
        return uniform_tree(random, breadth, depth - 1, outcomes, 1 - player)

    def moved() -> Tree:
        if outcomes == 1:
            return after()
        return node(CHANCE, tuple(after() for _ in range(outcomes)), (1 / outcomes,) * outcomes)

    return node(player, tuple(moved() for _ in range(breadth)))


def measure(random: Random, breadth: int, depth: int, outcomes: int, trees: int) -> Measured:
    """The means over `trees` trees."""
    counts = [
        _leaves(random, uniform_tree(random, breadth, depth, outcomes), depth, chance=outcomes > 1)
        for _ in range(trees)
    ]
    return Measured(breadth, outcomes, depth, *map(mean, zip(*counts, strict=True)))


def _leaves(random: Random, tree: Tree, depth: int, *, chance: bool) -> tuple[int, int, int, int]:
    exact = solve(tree).__getitem__
    orders = (by_value(exact), shuffled(random), by_value(exact, worst_first=True))
    pruning = partial(star1, payoffs=(-1, 1)) if chance else hooked_alphabeta

    def count(search: Callable[..., Result], order: Order | None = None) -> int:
        meter = Meter()
        search(tree, depth + 1, _ESTIMATE, meter, **({} if order is None else {"order": order}))
        return meter.leaves

    # One ply deeper than the moves, to include the chance nodes after the last of them.
    plain = count(expectiminimax if chance else minimax)
    perfect, by_lot, worst = (count(pruning, order) for order in orders)
    return plain, perfect, by_lot, worst


@click.command(context_settings=WIDE)
@count_option("--breadth", 5, "Moves in each position: b.", least=2, most=40)
@count_option("--depth", 6, "Largest depth in plies: m.", most=20)
@count_option("--outcomes", 3, "Outcomes of each chance node: n.", least=2, most=40)
@count_option("--chance-depth", 3, "Largest depth in moves of trees with chance nodes: m.", most=10)
@count_option("--trees", 10, "Trees of each shape.")
@seed_option("the trees")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for each shape, not tables.")
def measure_ordering(
    breadth: int, depth: int, outcomes: int, chance_depth: int, trees: int, seed: int, as_json: bool
) -> None:
    """Count the leaves that alpha-beta and Star1 visit in random trees, by the order of the moves.

    The order is perfect with the best move first in all positions, and worst with the worst move first.
    """
    random = Random(seed)
    plain = [measure(random, breadth, m, 1, trees) for m in range(1, depth + 1)]
    chance = [measure(random, breadth, m, outcomes, trees) for m in range(1, chance_depth + 1)]
    if as_json:
        for measured in (*plain, *chance):
            click.echo(json.dumps(asdict(measured)))
        return
    show(
        f"Leaves of alpha-beta, {breadth} moves",
        ["plies", "minimax", "perfect", "b^(m/2)", "random", "b^(3m/4)", "exponent", "worst", "b^m"],
        [_plain_row(measured) for measured in plain],
        None,
        f"Means of {trees} trees. Perfect by theory: b^⌈m/2⌉ + b^⌊m/2⌋ - 1. Random is b^(exponent·m).",
    )
    show(
        f"Leaves of expectiminimax, {breadth} moves, then {outcomes} outcomes",
        ["moves", "expectiminimax", "b^m n^m", "Star1: perfect", "random", "worst"],
        [_chance_row(measured) for measured in chance],
        None,
        f"Means of {trees} trees.",
    )


def _plain_row(measured: Measured) -> list[str]:
    b, m = measured.breadth, measured.depth
    return [
        str(m),
        _count(measured.plain),
        _count(measured.perfect),
        _count(b ** (m / 2)),
        _count(measured.random),
        _count(b ** (3 * m / 4)),
        f"{log(measured.random, b) / m:.2f}" if m > 1 else NONE,
        _count(measured.worst),
        _count(b**m),
    ]


def _chance_row(measured: Measured) -> list[str]:
    power = (measured.breadth * measured.outcomes) ** measured.depth
    counts = (measured.plain, power, measured.perfect, measured.random, measured.worst)
    return [str(measured.depth), *map(_count, counts)]


def _count(number: float) -> str:
    return f"{number:,.0f}"
