"""Flat Monte-Carlo: random games after each move, and then the move that has done best.

No tree: the opponents are taken to move at random for ever, so more games do not lead to perfect play
(Abramson 1990; Brügmann 1993).
"""

from __future__ import annotations

from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING

from engine.games.textbook.limits import SearchStoppedError
from engine.games.textbook.playout import random_playout
from engine.games.textbook.result import Decision, Tried

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine.games.rules.interface import State
    from engine.games.textbook.limits import Meter


def monte_carlo(
    state: State,
    meter: Meter,
    *,
    seed: int = 0,
    playout: Callable[[State, int], Sequence[float]] = random_playout,
) -> Decision:
    """The move with the highest mean payoff for the player to move, any number of players, chance or not.

    Each move in turn has a random game until the meter says stop; 50 games a move are a limit of 50 times as
    many playouts as there are moves. Of equals the first; the seed of game number i is seed·2³² + i.
    """
    moves, me = state.moves(), state.player
    after = [state.play(move) for move in moves]
    totals, games = [0.0] * len(moves), [0] * len(moves)
    with suppress(SearchStoppedError):
        for number in count():
            i = number % len(moves)
            meter.play_out()
            totals[i] += playout(after[i], (seed << 32) + number)[me]
            games[i] += 1
    tried = [Tried(moves[i], games[i], totals[i] / games[i]) for i in range(len(moves)) if games[i]]
    if not tried:
        return Decision(moves[0])
    best = max(tried, key=lambda each: each.mean)
    most_first = sorted(tried, key=lambda each: -each.visits)
    return Decision(best.move, best.mean, line=(best.move,), tried=tuple(most_first))
