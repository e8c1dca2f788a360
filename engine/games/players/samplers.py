"""The searchers that sample, as players with their own number of playouts."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from engine.games.compiled.tree_options import TreeOptions
from engine.games.compiled.tree_search import TreeSearch
from engine.games.players.players import SamplingPlayer
from engine.games.textbook.monte_carlo import monte_carlo
from engine.games.textbook.uct import uct
from engine.memory import LARGE, check

if TYPE_CHECKING:
    from engine.games.rules.interface import Game, State
    from engine.games.textbook.limits import Limits
    from engine.games.textbook.result import Decision


class MonteCarloPlayer(SamplingPlayer):
    """Flat Monte-Carlo with so many random games a move where the limits say nothing."""

    def __init__(self, game: Game[Any], seed: int, *, games: int) -> None:
        del game
        super().__init__(monte_carlo, seed)
        self._games = games

    def _choose(self, state: State, limits: Limits) -> Decision:
        limits = replace(limits, nodes=None)  # there is no tree whose nodes could be counted
        return super()._choose(state, with_playouts(limits, self._games * len(state.moves())))


class UctPlayer(SamplingPlayer):
    """UCT with so many playouts where the limits say nothing."""

    def __init__(self, game: Game[Any], seed: int, *, playouts: int, exploration: float, final: str) -> None:
        super().__init__(partial(uct, payoffs=game.payoffs, exploration=exploration, final=final), seed)
        self._playouts = playouts

    def _choose(self, state: State, limits: Limits) -> Decision:
        return super()._choose(state, with_playouts(limits, self._playouts))


def tree_search(game: Game[Any], seed: int, *, final: str, **options: Any) -> TreeSearch:
    """The compiled UCT; for its options see TreeOptions.

    Raises NoMemoryError where there is no memory for an unusually large tree. The usual one makes do with
    what there is when it is made.
    """
    if options["megabytes"] << 20 > LARGE:
        check(options["megabytes"] << 20)
    return TreeSearch(seed, game.payoffs, TreeOptions(by_win_rate=final == "rate", **options))


def with_playouts(limits: Limits, playouts: int) -> Limits:
    """Limits with a number of playouts where they tell neither that nor a time nor a number of nodes."""
    if limits.playouts is None and limits.seconds is None and limits.nodes is None:
        return replace(limits, playouts=playouts)
    return limits
