"""What can be chosen about a tree search."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TreeOptions:
    """By default plain UCT with a solver.

    `playouts`: simulations of a move where the limits tell neither their number nor a time nor a number of
    nodes. `exploration`: c in win rate + c·sqrt(ln N / n). `expand_after`: visits of a node before it gets
    children; 1 is the textbook. `rave`: the simulations after which AMAF and win rate weigh the same, 0 for
    no AMAF. `priors`: ask games that know some. `solver`: prove wins, draws and losses; only for two players,
    and with payoffs of -1, 0 and 1. `reuse`: keep what the tree knows from move to move. `by_win_rate`: play
    the move with the best mean, not the one most visited. `megabytes`: for nodes, or fewer
    where there is no memory for them; once they are used up, the tree grows no more.
    """

    playouts: int = 10_000
    exploration: float = 1.0
    expand_after: int = 1
    rave: float = 0.0
    priors: bool = True
    solver: bool = True
    reuse: bool = True
    by_win_rate: bool = False
    megabytes: int = 256
