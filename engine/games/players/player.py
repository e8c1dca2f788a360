"""A searcher in a game, as a player that can be asked for a move."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol

from engine.games.textbook.search import Decision, Meter

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.games.rules.game import Game, State
    from engine.games.textbook.search import SearchLimits


_NOTICED = 0.001  # seconds


class Player(Protocol):
    """All methods but `stop` are for one thread."""

    def choose(self, state: State, limits: SearchLimits) -> Decision:
        """Decide in a state with a player, not chance, to move; the decision always has a legal move.

        Where the limits are empty, the player's own depth or number of playouts holds.
        """

    def stop(self) -> None:
        """End the choice under way; from any thread. Without effect where there is none."""

    def new_game(self) -> None:
        """Forget what was learned."""


def decide(game: Game[Any], player: Player, state: State, limits: SearchLimits) -> Decision:
    """What a player decides; or at once, without a search, the `ending` of a settled game."""
    began = monotonic()
    ending = game.ending(state)
    spent = monotonic() - began
    if ending is not None:
        value = game.estimate(state)[state.player]
        return Decision(ending, value, line=(ending,), seconds=spent, limits=limits)
    if limits.seconds is None or spent < _NOTICED:
        return player.choose(state, limits)
    decision = player.choose(state, replace(limits, seconds=max(0.0, limits.seconds - spent)))
    return replace(decision, seconds=decision.seconds + spent, limits=limits)


class StoppablePlayer:
    """A player whose search looks at a flag, and reports to the meter that `make_meter` makes."""

    def __init__(self) -> None:
        self._stop = False
        self.make_meter: Callable[..., Meter] = Meter  # called as make_meter(limits, stopped=…)

    def choose(self, state: State, limits: SearchLimits) -> Decision:
        """See Player."""
        self._stop = False
        return self._choose(state, limits)

    def stop(self) -> None:
        """See Player."""
        self._stop = True

    def new_game(self) -> None:
        """See Player."""

    def _stopped(self) -> bool:
        return self._stop

    def _choose(self, state: State, limits: SearchLimits) -> Decision:
        raise NotImplementedError


class RandomPlayer(StoppablePlayer):
    """Plays any legal move, the weakest player, against which all others are measured."""

    def __init__(self, game: Game[Any], seed: int) -> None:
        del game
        super().__init__()
        self._random = Random(seed)

    def _choose(self, state: State, limits: SearchLimits) -> Decision:
        del limits
        return Decision(self._random.choice(state.moves()))
