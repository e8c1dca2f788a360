"""Alpha-beta: minimax without the moves that cannot matter, for two players whose payoffs add up to 0.

alpha is what MAX is sure of, beta what MIN is sure of; where they meet, the rest of the moves is pruned, and
the value is still that of minimax (Knuth and Moore 1975). It looks at b^d leaves when the worst move always
comes first, at b^⌈d/2⌉ + b^⌊d/2⌋ - 1 when the best one does. Fail-soft: a value outside the window is a bound
on the true one, the tightest that was found.
"""

from math import inf

from engine.games.rules.game import CHANCE, NotApplicableError, State
from engine.games.search.basics import Estimate, Found, Meter, Result, leaf_values


def alphabeta(state: State, depth: int, estimate: Estimate, meter: Meter) -> Result:
    """The value of `state` for the player to move, `depth` plies deep, and the line of play.

    Where nobody is to move, MAX is the first player. Of equally good moves the first counts. Raises
    NotApplicableError where chance is to move, SearchStoppedError where the meter says so.
    """
    max_player = max(state.player, 0)

    def value(state: State, depth: int, alpha: float, beta: float) -> Found:
        values = leaf_values(state, depth, estimate, meter)
        if values is not None:
            return values[max_player], ()
        if state.player == CHANCE:
            raise NotApplicableError("alpha-beta does not work with chance: use expectiminimax")
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

    return Result(*value(state, depth, -inf, inf))
