"""Star1: expectiminimax with alpha-beta pruning, sound because the payoffs are bounded (Ballard 1983).

A chance node is left as soon as its value is outside the window even if all outcomes that were not looked at
were as bad, or as good, as payoffs can be. Without bounds of the payoffs nothing can be concluded from some
of the outcomes: the window is opened wide again below each chance node.
"""

from collections.abc import Iterable
from math import inf

from engine.games.rules.game import CHANCE, State
from engine.games.search.basics import Estimate, Found, Meter, Result, leaf_values
from engine.games.search.ordering import Order, as_they_come


def star1(
    state: State,
    depth: int,
    estimate: Estimate,
    meter: Meter,
    *,
    payoffs: tuple[float, float] | None = None,
    order: Order = as_they_come,
    naive: bool = False,
) -> Result:
    """The value and the move of `expectiminimax`, mostly with fewer nodes.

    `payoffs`: the least and the greatest, which no estimate exceeds; None prunes nothing across chance nodes.
    `order(state, moves)`: the moves, the most promising first. `naive`: prune at chance nodes as at those of
    a player, a mistake that is here to be seen. Raises SearchStoppedError where the meter says so.
    """
    max_player = max(state.player, 0)

    def value(state: State, depth: int, alpha: float, beta: float) -> Found:
        values = leaf_values(state, depth, estimate, meter)
        if values is not None:
            return values[max_player], ()
        if state.player == CHANCE:
            return expected_value(state, depth, alpha, beta), ()
        search = max_value if state.player == max_player else min_value
        return search(state, depth, alpha, beta)

    def max_value(state: State, depth: int, alpha: float, beta: float) -> Found:
        best, line = -inf, ()
        for move in meter.expand(order(state, state.moves()), alpha, beta):
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
        for move in meter.expand(order(state, state.moves()), alpha, beta):
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

    def expected_value(state: State, depth: int, alpha: float, beta: float) -> float:
        outcomes = meter.expand(state.chances(), alpha, beta)
        if naive:
            return naive_value(
                ((chance, value(state.play(move), depth, alpha, beta)[0]) for move, chance in outcomes),
                alpha,
                beta,
                meter,
            )
        if payoffs is None:
            expected = sum(chance * value(state.play(move), depth, -inf, inf)[0] for move, chance in outcomes)
            meter.leave(expected)
            return expected
        least, greatest = payoffs
        expected, left = 0.0, 1.0  # of the outcomes looked at; the probability of the others
        for move, chance in outcomes:
            if chance <= 0:
                continue
            left = max(0.0, left - chance)
            too_low = (alpha - expected - left * greatest) / chance  # even if the others were the best
            too_high = (beta - expected - left * least) / chance  # even if they were the worst
            found, _ = value(state.play(move), depth, max(too_low, least), min(too_high, greatest))
            expected += chance * found
            if not too_low < found < too_high:  # a rounded sum must not come out inside the window
                low, high = min(expected + left * greatest, alpha), max(expected + left * least, beta)
                expected = low if found <= too_low else high
                meter.cut(alpha, beta)
                break
        meter.leave(expected)
        return expected

    return Result(*value(state, depth, -inf, inf))


def naive_value(outcomes: Iterable[tuple[float, float]], alpha: float, beta: float, meter: Meter) -> float:
    """The mean of outcomes, each a probability and a value, with the mistake: cut as at a player's node.

    One outcome outside the window says nothing of the mean, which the others can bring back into it.
    """
    expected = 0.0
    for chance, found in outcomes:
        if not alpha < found < beta:
            meter.cut(alpha, beta)
            expected = found
            break
        expected += chance * found
    meter.leave(expected)
    return expected
