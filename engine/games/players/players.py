"""Searchers of each kind as players: what is the same for all that deepen, and for all that sample."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

from engine.games.players.random_choice import random_choice
from engine.games.textbook.deepening import deepen
from engine.games.textbook.limits import Limits, Meter
from engine.games.textbook.result import Decision

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.games.rules.interface import Game, State
    from engine.games.textbook.deepening import Search

    Sample = Callable[..., Decision]

USUAL_PLAYOUTS = Limits(playouts=1_000)
"""Of those that sample, where the limits say nothing."""
_SEED_BITS = 62


class Stoppable:
    """A player who can be told to stop while choosing."""

    def __init__(self) -> None:
        self._stop = False

    def choose(self, state: State, limits: Limits) -> Decision:
        """What to play; see Player."""
        self._stop = False
        return self._choose(state, limits)

    def stop(self) -> None:
        """Decide now; from any thread. Lost where nothing is being chosen."""
        self._stop = True

    def new_game(self) -> None:
        """Forget what was learned."""

    def _stopped(self) -> bool:
        return self._stop

    def _choose(self, state: State, limits: Limits) -> Decision:
        raise NotImplementedError


class RandomPlayer(Stoppable):
    """Any legal move; the same ones again for the same seed."""

    def __init__(self, game: Game[Any], seed: int) -> None:
        del game
        super().__init__()
        self._random = Random(seed)

    def _choose(self, state: State, limits: Limits) -> Decision:
        del limits
        return Decision(random_choice(state, self._random))


class DeepeningPlayer(Stoppable):
    """Deepens a search to a fixed depth."""

    def __init__(
        self, game: Game[Any], make: Callable[[], Search], *, depth: int = 0, proves: bool = True
    ) -> None:
        """`make` gives a search that knows nothing of other games.

        With a depth the search goes there at once, or only as deep as the limits say.
        """
        super().__init__()
        self._game, self._make, self._depth, self._proves = game, make, depth, proves
        self._search = make()

    def new_game(self) -> None:
        """Forget what was learned."""
        self._search = self._make()

    def _choose(self, state: State, limits: Limits) -> Decision:
        first = 1
        if self._depth:
            first = self._depth if limits.depth is None else max(1, min(self._depth, limits.depth))
            limits = replace(limits, depth=first)
        # Where one player's gain is not the other's loss, a best payoff may hang on what a third one expects.
        opposed = self._game.players == 2 and self._game.zero_sum
        payoffs = self._game.payoffs if self._proves and opposed else None
        return deepen(
            self._search,
            state,
            self._game.estimate,
            limits,
            self._stopped,
            first=first,
            proves=self._proves,
            payoffs=payoffs,
        )


class SamplingPlayer(Stoppable):
    """Lets a sampling search do its playouts, each time with another seed out of the first."""

    def __init__(self, sample: Sample, seed: int) -> None:
        """`sample(state, meter, seed=…)` decides by itself when the meter raises SearchStoppedError."""
        super().__init__()
        self._sample = sample
        self._random = Random(seed)

    def _choose(self, state: State, limits: Limits) -> Decision:
        meter = Meter(limits if limits != Limits() else USUAL_PLAYOUTS, self._stopped)
        decision = self._sample(state, meter, seed=self._random.getrandbits(_SEED_BITS))
        return replace(decision, seconds=meter.seconds, counts=meter.counts)
