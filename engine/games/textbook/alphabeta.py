"""Alpha-beta: minimax without the moves that cannot matter, for two players whose payoffs add up to 0.

alpha is what MAX has for certain, beta what MIN will let through at most; where they meet, the rest of the
moves is left out, and the value is still that of minimax (Knuth and Moore 1975). Between b^d leaves, when
the worst move always comes first, and b^⌈d/2⌉ + b^⌊d/2⌋ - 1, when the best does. Fail-soft: below the root
a value outside the window is the tightest bound that was found.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from engine.games.rules.interface import CHANCE, OVER, NotApplicableError
from engine.games.textbook.ordering import as_they_come
from engine.games.textbook.result import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from engine.games.rules.interface import Move, State
    from engine.games.textbook.limits import Meter


def at_depth(state: State, depth: int) -> bool:  # noqa: ARG001 - other cut-offs look at the state
    """The plain cut-off: no plies are left."""
    return depth <= 0


def never(state: State, move: Move, after: State) -> int:  # noqa: ARG001 - other extensions look at them
    """The plain extension: none."""
    return 0


def unknown(state: State) -> Sequence[float] | None:  # noqa: ARG001 - tables look at the state
    """The plain look-up: nothing is known beforehand."""
    return None


def alphabeta(
    state: State,
    depth: int,
    estimate: Callable[[State], Sequence[float]],
    meter: Meter,
    *,
    order: Callable[[State, Sequence[Move]], Iterable[Move]] = as_they_come,
    cut_off: Callable[[State, int], bool] = at_depth,
    extend: Callable[[State, Move, State], int] = never,
    look_up: Callable[[State], Sequence[float] | None] = unknown,
) -> Result:
    """The value of a state so many plies deep, and the line of play, for the player to move there.

    That player is MAX; where nobody is to move, the first player. `order`: the moves, the most promising
    first. `cut_off`: whether to estimate a state with so many plies left, by default if there are none.
    `extend`: how many plies more a move of a state deserves that leads to another. `look_up`: the payoffs
    with best play where they are known. Raises NotApplicableError where chance is to move,
    SearchStoppedError where the meter says so.
    """
    me = max(state.player, 0)

    def search(state: State, depth: int, alpha: float, beta: float) -> tuple[float, tuple[Move, ...]]:
        meter.visit()
        known = state.payoff() if state.player == OVER else look_up(state)
        if known is None and cut_off(state, depth):
            known = estimate(state)
        if known is not None:
            meter.leaf()
            return known[me], ()
        if state.player == CHANCE:
            raise NotApplicableError("alpha-beta is unsound across chance: take expectiminimax")
        meter.expand()
        maximising = state.player == me
        best, line = -inf if maximising else inf, ()
        for move in order(state, state.moves()):
            after = state.play(move)
            value, rest = search(after, depth - 1 + extend(state, move, after), alpha, beta)
            if value > best if maximising else value < best:
                best, line = value, (move, *rest)
            if maximising:
                alpha = max(alpha, best)
            else:
                beta = min(beta, best)
            if alpha >= beta:
                break
        return best, line

    return Result(*search(state, depth, -inf, inf))
