"""A searcher in a game, as a player that can be asked for a move."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any, Protocol

from engine.games.search.basics import Decision, Meter, SearchLimits, SearchStoppedError, sensible_moves

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from engine.games.rules.game import Game, Move, State


_FOR_AN_ENDING = 0.5  # share of a move's time for checking whether the game is settled


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


def decide(
    game: Game[Any],
    player: Player,
    state: State,
    limits: SearchLimits,
    *,
    allowed: Collection[Move] | None = None,
    stopped: Callable[[], bool] | None = None,
    cleaning: bool = False,
) -> Decision:
    """What a player decides; in a game that is settled, its `ending` without a search.

    If `last_move` brings at least as much as the search expects, it is played. Moves that are not `allowed`
    never are. `stopped` is asked while the ending is looked for; `cleaning` is as in `ending`.
    """

    def may(found: tuple[Move, float | None] | None) -> bool:
        return found is not None and (allowed is None or found[0] in allowed)

    most = None if limits.seconds is None else limits.seconds * _FOR_AN_ENDING
    meter, ending = Meter(SearchLimits(seconds=most), stopped=stopped), None
    with suppress(SearchStoppedError):
        ending = game.ending(state, meter.look, cleaning=cleaning)
    spent = meter.seconds
    if ending is not None and may(ending):
        return Decision(ending[0], ending[1], line=(ending[0],), seconds=spent, limits=limits)
    left = None if limits.seconds is None else max(0.0, limits.seconds - spent)
    is_late = stopped is not None and stopped()
    decision = player.choose(state, replace(limits, seconds=0.0 if is_late else left))
    held = replace(decision.limits, seconds=limits.seconds)
    decision = replace(decision, seconds=decision.seconds + spent, limits=held)
    last = game.last_move(state) if decision.tried else None
    if last is not None and may(last) and decision.value is not None and decision.value <= last[1]:
        return replace(decision, move=last[0], value=last[1], line=(last[0],))
    return decision


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
    """Plays any sensible move, the weakest player, against which all others are measured."""

    def __init__(self, game: Game[Any], seed: int) -> None:
        del game
        super().__init__()
        self._random = Random(seed)

    def _choose(self, state: State, limits: SearchLimits) -> Decision:
        del limits
        return Decision(self._random.choice(sensible_moves(state)))
