"""Expectiminimax: minimax for two players and chance, who is a player that means neither good nor ill.

The value of a chance node is the expected one. So payoffs mean more than their order: only positive affine
transforms of them (a·x + b, a > 0) are sure to keep the decisions. b^m n^m leaves are looked at: b moves and
n outcomes, m times (Michie 1966). See `star1` for how to leave some out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.games.rules.interface import CHANCE, OVER
from engine.games.textbook.result import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine.games.rules.interface import Move, State
    from engine.games.textbook.limits import Meter


def expectiminimax(
    state: State, depth: int, estimate: Callable[[State], Sequence[float]], meter: Meter
) -> Result:
    """The value of a state so many moves deep, and the line of play as far as it is certain.

    It is seen by the player to move, who is MAX; where nobody is, by the first. What chance does is not
    counted as a move: after the last move comes the estimate, before chance. Raises SearchStoppedError.
    """
    me = max(state.player, 0)

    def search(state: State, depth: int) -> tuple[float, tuple[Move, ...]]:
        meter.visit()
        if state.player == OVER:
            meter.leaf()
            return state.payoff()[me], ()
        if depth <= 0:
            meter.leaf()
            return estimate(state)[me], ()
        meter.expand()
        if state.player == CHANCE:
            return sum(share * search(state.play(move), depth)[0] for move, share in state.chances()), ()
        better = max if state.player == me else min
        outcomes = []
        for move in state.moves():
            value, line = search(state.play(move), depth - 1)
            outcomes.append((value, (move, *line)))
        return better(outcomes, key=lambda outcome: outcome[0])

    return Result(*search(state, depth))
