"""`lolli trace`: a search of the textbook as lines, one a step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from lolli.cli.shared_options import watch_options

if TYPE_CHECKING:
    from lolli.cli.trees import WatchedSearch


@click.command(
    epilog="""\b
Examples:
  lolli trace
  lolli trace --game "tree reordered" alphabeta
  lolli trace --game tree --set "tree=max(min(3,5),min(2,9))" minimax
  lolli trace --game tictactoe --moves "B2 A1" alphabeta:depth=3
  lolli trace --game tictactoe uct:playouts=20
  diff <(lolli trace minimax) <(lolli trace alphabeta)"""
)
@watch_options
def command(search: WatchedSearch) -> None:
    """Print what a searcher of the textbook does, one line a step, in the order in which it does it.

    A step is named first, then the node, by the moves from the root, then what there is to say:

    \b
      enter      the player to move, and the plies left
      inherit    the window of alpha and beta, from the node above
      estimate   the value of a leaf: a payoff, an estimate, or an entry of the table
      update     the value backed up so far, and the window that it leaves
      cut        the window that prunes, and the moves that are pruned
      return     the value of the node

    \b
      select     UCT or PUCT goes on to a child: its visits, mean and upper bound, and PUCT's prior
      expand     a new node
      simulate   the result of a random game, or what the network says of PUCT's leaf
      back up    the visits and the mean of a node after it

    Values and windows are MAX's, also those of negamax; MAX is the player to move at the root, but in a tree
    of two players always the first. Max-N has a number for each player, and means are of the player who
    moved. SEARCHER is as in `lolli tournament`; where nothing limits it, it searches trees and other short
    games to their end, else it looks 2 plies ahead, or makes 30 simulations; a search ends after 100,000
    nodes at the latest, unless `nodes` says otherwise. After iterative deepening only the last depth that was
    finished is shown; with --fixed-depth there is only one. The same command prints the same lines,
    unless limited by `seconds`.
    """
    from lolli.cli.trees import trace_lines  # noqa: PLC0415 - not for --help

    for line in trace_lines(search):
        click.echo(line)
