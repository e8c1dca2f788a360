"""Minimax: MAX plays for the greatest value, MIN for the least.

MAX is the player to move at the root, MIN everybody else. With two players whose payoffs add up to 0 this is
perfect play (von Neumann 1928; Shannon 1950); with more players it is the paranoid view of the game. It looks
at all b^d leaves: b moves, d plies.
"""

from math import inf

from engine.games.rules.game import CHANCE, NotApplicableError, State
from engine.games.search.basics import Estimate, Found, Meter, Result, leaf_values


def minimax(state: State, depth: int, estimate: Estimate, meter: Meter) -> Result:
    """The value of `state` for the player to move, `depth` plies deep, and the line of play.

    Where nobody is to move, MAX is the first player. Of equally good moves the first counts. Raises
    NotApplicableError where chance is to move, SearchStoppedError where the meter says so.
    """
    max_player = max(state.player, 0)

    def value(state: State, depth: int) -> Found:
        values = leaf_values(state, depth, estimate, meter)
        if values is not None:
            return values[max_player], ()
        if state.player == CHANCE:
            raise NotApplicableError("minimax does not work with chance: use expectiminimax")
        return max_value(state, depth) if state.player == max_player else min_value(state, depth)

    def max_value(state: State, depth: int) -> Found:
        best, line = -inf, ()
        for move in meter.expand(state.moves()):
            found, rest = value(state.play(move), depth - 1)
            if found > best:
                best, line = found, (move, *rest)
                meter.update(best)
        meter.leave(best)
        return best, line

    def min_value(state: State, depth: int) -> Found:
        best, line = inf, ()
        for move in meter.expand(state.moves()):
            found, rest = value(state.play(move), depth - 1)
            if found < best:
                best, line = found, (move, *rest)
                meter.update(best)
        meter.leave(best)
        return best, line

    return Result(*value(state, depth))
