"""Paranoid: all others are one opponent.

The searching player maximises its own payoff, and everybody else is taken to have joined forces in order to
minimise it. So one number is enough, and alpha-beta prunes as with two players. With n players it looks at
no more than b^(d (n - 1) / n) leaves at best. With two whose payoffs add up to 0 it is alpha-beta.

Source: N. R. Sturtevant and R. E. Korf, On Pruning Techniques for Multi-Player Games, AAAI-2000.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from engine.games.rules.interface import CHANCE, OVER
from engine.games.textbook.result import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine.games.rules.interface import Move, State
    from engine.games.textbook.limits import Meter

    Found = tuple[float, tuple[Move, ...]]  # the value, for the searching player, and the line


def paranoid(
    state: State,
    depth: int,
    estimate: Callable[[State], Sequence[float]],
    meter: Meter,
    *,
    pruning: bool = True,
) -> Result:
    """What the player to move is sure of whatever all others do for `depth` plies; then `estimate` tells.

    Where nobody is to move, it is the first player's value. `pruning` changes the counts, never the value.
    The line ends where chance comes in, whose moves are no plies. Raises SearchStoppedError where the meter
    says so.
    """
    search = _Search(max(state.player, 0), estimate, meter, pruning)
    return Result(*search.value(state, depth, -inf, inf))


@dataclass(frozen=True, slots=True)
class _Search:
    """All methods: exact inside the window of alpha and beta, else a bound on that side (fail-soft)."""

    me: int
    estimate: Callable[[State], Sequence[float]]
    meter: Meter
    pruning: bool

    def value(self, state: State, depth: int, alpha: float, beta: float) -> Found:
        self.meter.visit()
        if state.player == OVER or depth == 0:
            self.meter.leaf()
            return (state.payoff() if state.player == OVER else self.estimate(state))[self.me], ()
        self.meter.expand()
        if state.player == CHANCE:
            return self.mean(state, depth), ()
        return (self.most if state.player == self.me else self.least)(state, depth, alpha, beta)

    def most(self, state: State, depth: int, alpha: float, beta: float) -> Found:
        best, line = -inf, ()
        for move in state.moves():
            value, rest = self.value(state.play(move), depth - 1, max(alpha, best), beta)
            if value > best:
                best, line = value, (move, *rest)
            if self.pruning and best >= beta:
                break
        return best, line

    def least(self, state: State, depth: int, alpha: float, beta: float) -> Found:
        best, line = inf, ()
        for move in state.moves():
            value, rest = self.value(state.play(move), depth - 1, alpha, min(beta, best))
            if value < best:
                best, line = value, (move, *rest)
            if self.pruning and best <= alpha:
                break
        return best, line

    def mean(self, state: State, depth: int) -> float:
        """Weighted with the chances; the window is open again, for bounds of the parts bound no mean."""
        return sum(
            chance * self.value(state.play(move), depth, -inf, inf)[0] for move, chance in state.chances()
        )
