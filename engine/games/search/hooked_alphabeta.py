"""Alpha-beta with hooks: the order of moves, the cut-off, extensions and known values are passed in.

Without them it searches as `alphabeta` does, node by node.
"""

from collections.abc import Callable, Iterator, Sequence
from math import inf

from engine.games.rules.game import CHANCE, OVER, Move, NotApplicableError, State
from engine.games.search.basics import Estimate, Found, Meter, Result
from engine.games.search.ordering import Order, as_they_come


def at_depth(_state: State, depth: int) -> bool:
    """The usual cut-off: no plies are left."""
    return depth <= 0


def never(_state: State, _move: Move, _child: State) -> int:
    """The usual extension: none."""
    return 0


def unknown(_state: State) -> Sequence[float] | None:
    """The usual look-up: no payoffs are known beforehand."""
    return None


def hooked_alphabeta(
    state: State,
    depth: int,
    estimate: Estimate,
    meter: Meter,
    *,
    order: Order = as_they_come,
    cut_off: Callable[[State, int], bool] = at_depth,
    extend: Callable[[State, Move, State], int] = never,
    look_up: Callable[[State], Sequence[float] | None] = unknown,
) -> Result:
    """The value of `state` for the player to move, `depth` plies deep, and the line of play.

    Where nobody is to move, MAX is the first player. Raises NotApplicableError where chance is to move,
    SearchStoppedError where the meter says so.

    - `order(state, moves)`: the moves, the most promising first
    - `cut_off(state, depth)`: whether to estimate a state with `depth` plies left
    - `extend(state, move, child)`: by how many plies to extend `move`, which leads to `child`
    - `look_up(state)`: the payoffs with best play where they are known, else None
    """
    max_player = max(state.player, 0)

    def value(state: State, depth: int, alpha: float, beta: float) -> Found:
        meter.visit(state, depth)
        values = state.payoff() if state.player == OVER else None
        if values is None and (known := look_up(state)) is not None:
            meter.known(known[max_player])
            return known[max_player], ()
        if values is None and cut_off(state, depth):
            values = estimate(state)
        if values is not None:
            meter.leaf(values)
            return values[max_player], ()
        if state.player == CHANCE:
            raise NotApplicableError("alpha-beta does not work with chance: use expectiminimax")
        is_max = state.player == max_player
        best, line = -inf if is_max else inf, ()
        for move, child, left in children(state, depth, alpha, beta):
            found, rest = value(child, left, alpha, beta)
            if found > best if is_max else found < best:
                best, line = found, (move, *rest)
                alpha, beta = (max(alpha, best), beta) if is_max else (alpha, min(beta, best))
                meter.update(best, alpha, beta)
            if alpha >= beta:
                meter.cut(alpha, beta)
                break
        meter.leave(best)
        return best, line

    def children(state: State, depth: int, alpha: float, beta: float) -> Iterator[tuple[Move, State, int]]:
        """Each move with the state after it, and the plies that are left there."""
        for move in meter.expand(order(state, state.moves()), alpha, beta):
            child = state.play(move)
            yield move, child, depth - 1 + extend(state, move, child)

    return Result(*value(state, depth, -inf, inf))
