"""Star1: expectiminimax with alpha-beta pruning, sound because the payoffs are bounded (Ballard 1983).

A chance node may be left as soon as its value is outside the window even if all outcomes that were not
looked at were as bad, or as good, as payoffs can be. Without bounds nothing can be concluded from some of
the outcomes: the window is opened wide again at each chance node.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any

from engine.games.rules.interface import CHANCE, OVER
from engine.games.textbook.expectiminimax import expectiminimax
from engine.games.textbook.ordering import as_they_come
from engine.games.textbook.result import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from engine.games.rules.interface import Game, Move, State
    from engine.games.textbook.deepening import Search
    from engine.games.textbook.limits import Meter

    Found = tuple[float, tuple[Move, ...]]


def star1(
    state: State,
    depth: int,
    estimate: Callable[[State], Sequence[float]],
    meter: Meter,
    *,
    payoffs: tuple[float, float] | None = None,
    order: Callable[[State, Sequence[Move]], Iterable[Move]] = as_they_come,
) -> Result:
    """What `expectiminimax` finds, mostly with fewer nodes.

    `payoffs` are the least and the greatest, which no estimate exceeds; without them there is no pruning
    across chance nodes. `order`: the moves, the most promising first. Raises SearchStoppedError.
    """
    least, greatest = payoffs or (-inf, inf)
    searching = _Star1(max(state.player, 0), estimate, meter, order, least, greatest)
    return Result(*searching.search(state, depth, -inf, inf))


def pruned(game: Game[Any], pruning: str) -> Search:
    """The search of a game with no pruning, `reset` with none across chance nodes, or `star1`."""
    if pruning == "none":
        return expectiminimax
    return partial(star1, payoffs=game.payoffs if pruning == "star1" else None)


@dataclass(frozen=True, slots=True)
class _Star1:
    """One search, for the player `me`."""

    me: int
    estimate: Callable[[State], Sequence[float]]
    meter: Meter
    order: Callable[[State, Sequence[Move]], Iterable[Move]]
    least: float
    greatest: float

    def search(self, state: State, depth: int, alpha: float, beta: float) -> Found:
        """The value; outside the window, a bound."""
        self.meter.visit()
        if state.player == OVER:
            self.meter.leaf()
            return state.payoff()[self.me], ()
        if depth <= 0:
            self.meter.leaf()
            return self.estimate(state)[self.me], ()
        self.meter.expand()
        if state.player != CHANCE:
            return self._decided(state, depth, alpha, beta)
        if self.greatest == inf:
            return self._expected_of_all(state, depth), ()
        return self._expected(state, depth, alpha, beta), ()

    def _decided(self, state: State, depth: int, alpha: float, beta: float) -> Found:
        maximising = state.player == self.me
        best, line = -inf if maximising else inf, ()
        for move in self.order(state, state.moves()):
            value, rest = self.search(state.play(move), depth - 1, alpha, beta)
            if value > best if maximising else value < best:
                best, line = value, (move, *rest)
            if maximising:
                alpha = max(alpha, best)
            else:
                beta = min(beta, best)
            if alpha >= beta:
                break
        return best, line

    def _expected(self, state: State, depth: int, alpha: float, beta: float) -> float:
        total, left = 0.0, 1.0  # expected of the outcomes looked at; the probability of the others
        for move, share in state.chances():
            if share <= 0:
                continue
            left = max(0.0, left - share)
            too_low = (alpha - total - left * self.greatest) / share  # even if the others were the best
            too_high = (beta - total - left * self.least) / share  # even if they were the worst
            window = max(too_low, self.least), min(too_high, self.greatest)
            value, _ = self.search(state.play(move), depth, *window)
            total += share * value
            if value <= too_low:  # a rounded sum must not come out inside the window
                return min(total + left * self.greatest, alpha)
            if value >= too_high:
                return max(total + left * self.least, beta)
        return total

    def _expected_of_all(self, state: State, depth: int) -> float:
        return sum(
            share * self.search(state.play(move), depth, -inf, inf)[0] for move, share in state.chances()
        )
