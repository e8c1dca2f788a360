"""`lolli effort`: how many nodes searchers need to each depth, beside what theory says."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import click
from rich.box import SIMPLE_HEAD
from rich.table import Column, Table

from engine.games.rules.game import Game, NotApplicableError, State
from engine.games.search.basics import Counts, SearchLimits
from engine.games.searchers import SEARCHERS
from lolli.cli.contest import Entrant, EntrantError, entrants
from lolli.cli.shared_options import MOST_NODES, bad_input, game_options, json_option, number_option
from lolli.cli.terminal.screen import output
from lolli.cli.trees import preferred_searcher

_USUAL_DEPTH, _USUAL_NODES = 4, 1_000_000
_HALVINGS = 60  # of an interval: as exact as a double
_OPPOSED = ("minimax", "alphabeta", "enhanced")
_HEADS = ("searcher", "plies", "nodes", "leaves", "b*")
_THEORY_HEADS = ("theory, leaves", "plies", "b", "at best", "(2b-1)^(d/2)", "b^(3d/4)", "b^d")
_ROUNDED_FROM = 100  # leaves by theory are shown without decimals


class Effort(NamedTuple):
    """One search: nodes visited, leaves among them, and the effective branching factor b*."""

    searcher: str
    plies: int
    nodes: int
    leaves: int
    b: float


class Theory(NamedTuple):
    """Leaves of alpha-beta in a uniform tree with `b` moves, and of minimax, `all`.

    `two_plies`: where the number of plies is even, what two of them at best need, to the power of their half.
    """

    searcher: str
    plies: int
    b: float
    at_best: float
    two_plies: float | None
    at_random: float
    all: int


@click.command(
    epilog="""\b
Examples:
  lolli effort
  lolli effort --game "tree ordered" alphabeta
  lolli effort --game connectfour --depth 6 minimax alphabeta enhanced enhanced:killers=off
  lolli effort --game backgammon --moves 31 --depth 1 expectiminimax:pruning=none expectiminimax
  lolli effort --game virus --players 3 --size 5 maxn paranoid bestreply"""
)
@click.argument("searchers", nargs=-1, metavar="[SEARCHER[:OPTION=VALUE...]]...")
@game_options("tictactoe")
@number_option(
    "--depth",
    least=1,
    most=60,
    default=_USUAL_DEPTH,
    help="Search 1 to N plies deep, or to the end of the tree.",
)
@number_option(
    "--nodes",
    least=1,
    default=_USUAL_NODES,
    help="Leave out a searcher from the depth that takes more nodes.",
)
@json_option("Print JSON, an object a row.")
def command(game: Any, state: Any, searchers: Sequence[str], depth: int, nodes: int, as_json: bool) -> None:
    """Count the nodes that searchers need to each depth, and their effective branching factor.

    A row is a searcher at a depth, without iterative deepening: the nodes visited, among them the leaves, and
    the effective branching factor b*: a uniform tree of that depth with b* moves everywhere has as many
    nodes. If minimax is among the searchers, a table of theory follows. It takes b from minimax's leaves,
    b^d, and shows what alpha-beta needs: at best (Knuth and Moore); with each two plies at their best,
    (2b - 1)^(d/2); and with the moves in random order.

    SEARCHER is as in `lolli tournament`. By default minimax, alphabeta and enhanced, or the searcher of
    `lolli tree` where these cannot play. The same command prints the same numbers.
    """
    with bad_input(EntrantError):
        fitting = [name for name in _OPPOSED if SEARCHERS[name].obstacle(game) is None]
        chosen = entrants(searchers or fitting or [preferred_searcher(game)], game, SearchLimits())
        if state.player < 0:
            raise EntrantError("no player is to move there")
        rows = [row for each in chosen for row in efforts(game, state, each, depth, min(nodes, MOST_NODES))]
        if not rows:
            raise EntrantError(f"no search is finished within {nodes:,} nodes")
    theory = [by_theory(row.leaves, row.plies) for row in rows if row.searcher == "minimax"]
    if as_json:
        for row in [*(row._asdict() for row in rows), *(row._asdict() for row in theory)]:
            click.echo(json.dumps(row))
        return
    for heads, found in ((_HEADS, rows), (_THEORY_HEADS, theory)):
        table = Table(*(Column(head, justify="right") for head in heads), box=SIMPLE_HEAD, pad_edge=False)
        table.columns[0].justify = "left"
        for each in found:
            table.add_row(*map(_cell, each))
        if found:
            output().print(table)


def efforts(game: Game[Any], state: State, entrant: Entrant, depth: int, nodes: int) -> Iterator[Effort]:
    """Searches of 1 to `depth` plies, up to the end of the tree or the first that takes more than `nodes`."""
    before = Counts()
    for plies in range(1, depth + 1):
        player = entrant.at_depth(plies).player(game, 0)
        try:
            decision = player.choose(state, SearchLimits(nodes=nodes))
        except NotApplicableError as error:
            raise EntrantError(f"{entrant.label}: {error}") from None
        counts = decision.counts
        if not decision.depth or counts == before:  # the same again: the tree is not deeper
            return
        before = counts
        branching = effective_branching_factor(counts.visited, plies)
        yield Effort(entrant.label, plies, counts.visited, counts.leaves, branching)


def effective_branching_factor(nodes: int, depth: int) -> float:
    """The b with 1 + b + b² + … + b^depth = `nodes`, the root among them; 0 for the root alone."""
    low, high = 0.0, float(nodes)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        total = 0.0
        for _ in range(depth + 1):
            total = total * middle + 1
        low, high = (middle, high) if total < nodes else (low, middle)
    return low


def by_theory(leaves: int, depth: int) -> Theory:
    """What alpha-beta needs in a uniform tree of this depth in which minimax has `leaves` leaves."""
    b = leaves ** (1 / depth)
    best = b ** ((depth + 1) // 2) + b ** (depth // 2) - 1
    two_plies = None if depth % 2 else (2 * b - 1) ** (depth // 2)
    return Theory("alpha-beta", depth, b, best, two_plies, b ** (3 * depth / 4), leaves)


def _cell(cell: str | float | None) -> str:
    if not isinstance(cell, int | float):
        return cell or ""
    decimals = 0 if isinstance(cell, int) or cell >= _ROUNDED_FROM else 2
    return f"{cell:,.{decimals}f}"
