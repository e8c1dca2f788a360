"""What a searcher that keeps its tree has found so far, told while it goes on."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING

from engine.games.search.basics import Counts

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.games.players.player import Player
    from engine.games.rules.game import State
    from engine.games.search.basics import Decision, SearchLimits


class SlicedPlayer:
    """Has a player search for a short time again and again, up to the limits of the whole search.

    It must go on with its tree, or each slice starts from scratch.
    """

    def __init__(self, player: Player, seconds: float, tell: Callable[[Decision], None]) -> None:
        """`tell` hears of every slice of so many `seconds` but the last, whose decision is the result."""
        self._player = player
        self._seconds = seconds
        self._tell = tell
        self._stopped = False

    def choose(self, state: State, limits: SearchLimits) -> Decision:
        """See Player. Without seconds, nodes or playouts among the limits it goes on until it is stopped."""
        self._stopped = False
        began, spent = monotonic(), Counts()
        while True:
            left = _less(limits, spent, monotonic() - began)
            seconds = self._seconds if left.seconds is None else min(self._seconds, left.seconds)
            found = self._player.choose(state, replace(left, seconds=seconds))
            spent += found.counts
            decision = replace(found, counts=spent, seconds=monotonic() - began, limits=limits)
            can_do_no_more = not found.counts.playouts and found.seconds < seconds
            if self._stopped or found.exact or can_do_no_more or _is_reached(limits, decision):
                return decision
            self._tell(decision)
            if self._stopped:  # while it was told
                return decision

    def stop(self) -> None:
        """See Player."""
        self._stopped = True
        self._player.stop()

    def new_game(self) -> None:
        """See Player."""
        self._player.new_game()


def _less(limits: SearchLimits, spent: Counts, seconds: float) -> SearchLimits:
    """What is left of the limits."""
    return replace(
        limits,
        seconds=None if limits.seconds is None else max(0.0, limits.seconds - seconds),
        nodes=None if limits.nodes is None else limits.nodes - spent.visited,
        playouts=None if limits.playouts is None else limits.playouts - spent.playouts,
    )


def _is_reached(limits: SearchLimits, so_far: Decision) -> bool:
    pairs = (
        (limits.seconds, so_far.seconds),
        (limits.nodes, so_far.counts.visited),
        (limits.playouts, so_far.counts.playouts),
    )
    return any(limit is not None and used >= limit for limit, used in pairs)
