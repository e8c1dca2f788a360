"""Max-N: every player looks after itself alone.

Minimax for any number of players: the value of a state is a vector, one number for each player, and whoever
is to move takes the move whose vector is greatest in their own place. Nothing is assumed about the sum of
the payoffs. With two players whose payoffs add up to 0 it is minimax.

Source: C. A. Luckhardt and K. B. Irani, An Algorithmic Solution of N-Person Games, AAAI-86.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.games.rules.interface import CHANCE, OVER
from engine.games.textbook.result import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine.games.rules.interface import Move, State
    from engine.games.textbook.limits import Meter


def maxn(state: State, depth: int, estimate: Callable[[State], Sequence[float]], meter: Meter) -> Result:
    """What every player gets if each maximises its own share for `depth` plies; then `estimate` tells.

    Of moves that are equally good for the mover the first counts, whatever they do to the others; so the
    others' values may depend on the order of the moves. `value` is that of the player to move, or the first
    player's where nobody is. The line ends where chance comes in, whose moves are no plies.
    Raises SearchStoppedError where the meter says so.
    """
    values, line = _search(state, depth, estimate, meter)
    return Result(values[max(state.player, 0)], line, tuple(values))


def _search(
    state: State, depth: int, estimate: Callable[[State], Sequence[float]], meter: Meter
) -> tuple[Sequence[float], tuple[Move, ...]]:
    meter.visit()
    if state.player == OVER or depth == 0:
        meter.leaf()
        return (state.payoff() if state.player == OVER else estimate(state)), ()
    meter.expand()
    if state.player == CHANCE:
        outcomes = [
            (chance, _search(state.play(move), depth, estimate, meter)[0]) for move, chance in state.chances()
        ]
        return _average(outcomes), ()
    best: Sequence[float] = ()
    line: tuple[Move, ...] = ()
    for move in state.moves():
        values, rest = _search(state.play(move), depth - 1, estimate, meter)
        if not best or values[state.player] > best[state.player]:
            best, line = values, (move, *rest)
    return best, line


def _average(outcomes: Sequence[tuple[float, Sequence[float]]]) -> tuple[float, ...]:
    """The mean of vectors that come each with its probability."""
    players = range(len(outcomes[0][1]))
    return tuple(sum(chance * values[player] for chance, values in outcomes) for player in players)
