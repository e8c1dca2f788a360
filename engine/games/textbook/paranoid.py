"""Paranoid: the player to move is MAX, and all others together are MIN.

All others are taken to have joined forces to minimise MAX's payoff. So one number is enough, and alpha-beta
prunes as with two players: with n players it looks at no more than b^(d (n - 1) / n) leaves at best. With two
players whose payoffs add up to 0 it is alpha-beta.

Source: N. R. Sturtevant and R. E. Korf, On Pruning Techniques for Multi-Player Games, AAAI-2000.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.games.textbook.star1 import star1

if TYPE_CHECKING:
    from engine.games.rules.game import State
    from engine.games.textbook.search import Estimate, Meter, Result


def paranoid(state: State, depth: int, estimate: Estimate, meter: Meter) -> Result:
    """What the player to move is sure of for `depth` plies, whatever all others do, and the line of play.

    In the recursion of `star1` everybody but MAX is MIN already: that is all there is to Paranoid. Nothing is
    pruned across chance nodes, whose moves are not plies; the line ends there. Raises SearchStoppedError
    where the meter says so.
    """
    return star1(state, depth, estimate, meter)
