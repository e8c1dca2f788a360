"""Random games: what sampling searchers judge a state by."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from engine.games.rules.interface import CHANCE, OVER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.games.rules.interface import Move, State


def random_playout(state: State, seed: int) -> Sequence[float]:
    """The payoffs after a random game from here, the same for the same seed.

    A compiled state plays it by itself, and may prefer sensible moves.
    """
    compiled = getattr(state, "playout", None)
    if compiled is not None:
        payoffs: Sequence[float] = compiled(seed)
        return payoffs
    random = Random(seed)
    while state.player != OVER:
        move = sampled(state, random) if state.player == CHANCE else random.choice(state.moves())
        state = state.play(move)
    return state.payoff()


def sampled(state: State, random: Random) -> Move:
    """One of the outcomes at CHANCE, by their probabilities."""
    outcomes, weights = zip(*state.chances(), strict=True)
    return random.choices(outcomes, weights)[0]
