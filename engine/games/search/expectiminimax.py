"""Expectiminimax: minimax for two players and chance, who is a player that means neither good nor ill.

The value of a chance node is the expected value. So payoffs mean more than their order: only positive affine
transforms of them (a·x + b, a > 0) are sure to keep the decisions. It looks at b^m n^m leaves: b moves and n
outcomes, m times (Michie 1966). `star1` prunes some of them.
"""

from math import inf

from engine.games.rules.game import CHANCE, State
from engine.games.search.basics import Estimate, Found, Meter, Result, leaf_values


def expectiminimax(state: State, depth: int, estimate: Estimate, meter: Meter) -> Result:
    """The value of `state` for the player to move, `depth` moves deep, and the line of play until chance.

    Where nobody is to move, MAX is the first player. What chance does is not counted as a move: after the
    last move comes the estimate, before chance. Raises SearchStoppedError where the meter says so.
    """
    max_player = max(state.player, 0)

    def value(state: State, depth: int) -> Found:
        values = leaf_values(state, depth, estimate, meter)
        if values is not None:
            return values[max_player], ()
        if state.player == CHANCE:
            return expected_value(state, depth), ()
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

    def expected_value(state: State, depth: int) -> float:
        outcomes = meter.expand(state.chances())
        expected = sum(chance * value(state.play(move), depth)[0] for move, chance in outcomes)
        meter.leave(expected)
        return expected

    return Result(*value(state, depth))
