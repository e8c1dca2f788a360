"""Paranoid: the player to move is MAX, and all others together are MIN.

All others are taken to have joined forces to minimise MAX's payoff. So one number is enough, and alpha-beta
prunes as with two players: with n players it looks at no more than b^(d (n - 1) / n) leaves at best. With two
players whose payoffs add up to 0 it is alpha-beta.

Source: N. R. Sturtevant and R. E. Korf, On Pruning Techniques for Multi-Player Games, AAAI-2000.
"""

from math import inf

from engine.games.rules.game import CHANCE, State
from engine.games.search.basics import Estimate, Found, Meter, Result, leaf_values


def paranoid(state: State, depth: int, estimate: Estimate, meter: Meter) -> Result:
    """What the player to move is sure of for `depth` plies, whatever all others do, and the line of play.

    Nothing is pruned across chance nodes, whose moves are not plies; the line ends there. Raises
    SearchStoppedError where the meter says so.
    """
    max_player = max(state.player, 0)

    def value(state: State, depth: int, alpha: float, beta: float) -> Found:
        values = leaf_values(state, depth, estimate, meter)
        if values is not None:
            return values[max_player], ()
        if state.player == CHANCE:
            return expected_value(state, depth), ()
        search = max_value if state.player == max_player else min_value
        return search(state, depth, alpha, beta)

    def max_value(state: State, depth: int, alpha: float, beta: float) -> Found:
        best, line = -inf, ()
        for move in meter.expand(state.moves(), alpha, beta):
            found, rest = value(state.play(move), depth - 1, alpha, beta)
            if found > best:
                best, line = found, (move, *rest)
                alpha = max(alpha, best)
                meter.update(best, alpha, beta)
            if alpha >= beta:
                meter.cut(alpha, beta)
                break
        meter.leave(best)
        return best, line

    def min_value(state: State, depth: int, alpha: float, beta: float) -> Found:
        best, line = inf, ()
        for move in meter.expand(state.moves(), alpha, beta):
            found, rest = value(state.play(move), depth - 1, alpha, beta)
            if found < best:
                best, line = found, (move, *rest)
                beta = min(beta, best)
                meter.update(best, alpha, beta)
            if alpha >= beta:
                meter.cut(alpha, beta)
                break
        meter.leave(best)
        return best, line

    def expected_value(state: State, depth: int) -> float:
        outcomes = meter.expand(state.chances())
        expected = sum(chance * value(state.play(move), depth, -inf, inf)[0] for move, chance in outcomes)
        meter.leave(expected)
        return expected

    return Result(*value(state, depth, -inf, inf))
