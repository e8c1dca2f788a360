"""Minimax: the player at the root does the best that all the others together allow.

With two players and payoffs that add up to 0 this is perfect play (von Neumann 1928; Shannon 1950); with
more players it is the paranoid view of the game. All b^d leaves are looked at: b moves, d plies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.games.rules.interface import CHANCE, OVER, NotApplicableError
from engine.games.textbook.result import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine.games.rules.interface import Move, State
    from engine.games.textbook.limits import Meter


def minimax(state: State, depth: int, estimate: Callable[[State], Sequence[float]], meter: Meter) -> Result:
    """The value of a state so many plies deep, and the line of play, for the player to move there.

    That player is MAX; where nobody is to move, the first player. `estimate` is asked at the last ply.
    Raises NotApplicableError where chance is to move, SearchStoppedError where the meter says so.
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
        if state.player == CHANCE:
            raise NotApplicableError("minimax knows nothing of chance: take expectiminimax")
        meter.expand()
        better = max if state.player == me else min
        outcomes = []
        for move in state.moves():
            value, line = search(state.play(move), depth - 1)
            outcomes.append((value, (move, *line)))
        return better(outcomes, key=lambda outcome: outcome[0])

    return Result(*search(state, depth))
