"""Max-N: every player looks after itself alone.

Minimax for any number of players: the value of a state is a vector, one number for each player, and every
player is MAX in its own place. Nothing is assumed about the sum of the payoffs. With two players whose
payoffs add up to 0 it is minimax.

Source: C. A. Luckhardt and K. B. Irani, An Algorithmic Solution of N-Person Games, AAAI-86.
"""

from collections.abc import Sequence

from engine.games.rules.game import CHANCE, Move, State
from engine.games.search.basics import Estimate, Meter, Result, leaf_values

Vector = Sequence[float]  # one number for each player


def maxn(state: State, depth: int, estimate: Estimate, meter: Meter) -> Result:
    """What each player gets if all maximise their own payoff for `depth` plies, and the line of play.

    Of moves that are equally good for the mover the first counts, whatever they do to the others; so the
    others' values may depend on the order of the moves. `value` is for the player to move, or for the first
    player where nobody is. The line ends at chance, whose moves are not plies. Raises SearchStoppedError
    where the meter says so.
    """

    def value(state: State, depth: int) -> tuple[Vector, tuple[Move, ...]]:
        values = leaf_values(state, depth, estimate, meter)
        if values is not None:
            return values, ()
        if state.player == CHANCE:
            return expected_value(state, depth), ()
        return max_value(state, depth)

    def max_value(state: State, depth: int) -> tuple[Vector, tuple[Move, ...]]:
        best: Vector = ()
        line: tuple[Move, ...] = ()
        for move in meter.expand(state.moves()):
            found, rest = value(state.play(move), depth - 1)
            if not best or found[state.player] > best[state.player]:
                best, line = found, (move, *rest)
                meter.update(best)
        meter.leave(best)
        return best, line

    def expected_value(state: State, depth: int) -> Vector:
        outcomes = meter.expand(state.chances())
        weighted = [
            [chance * each for each in value(state.play(move), depth)[0]] for move, chance in outcomes
        ]
        expected = tuple(map(sum, zip(*weighted, strict=True)))
        meter.leave(expected)
        return expected

    values, line = value(state, depth)
    return Result(values[max(state.player, 0)], line, tuple(values))
