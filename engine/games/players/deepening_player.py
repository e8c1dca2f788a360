"""Searches to a fixed depth as players: iterative deepening, and what a search keeps during a game."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any, cast

from engine.games.fast.best_reply import BestReplySearch
from engine.games.players.player import StoppablePlayer
from engine.games.search.basics import Meter, SearchLimits, SearchStoppedError, Tried
from engine.games.search.best_reply import InTurn, best_reply
from engine.games.search.expectiminimax import expectiminimax
from engine.games.search.iterative_deepening import deepen
from engine.games.search.star1 import star1
from engine.games.search.threat_ads import RULES

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.games.rules.compiled_state import CompiledState
    from engine.games.rules.game import Game, Move, State
    from engine.games.search.basics import Decision, Estimate, Result, Search


OWN = "game"
_LISTED = 10
"""Moves that get an equity, besides the chosen one."""
_FOR_AN_EQUITY = 20_000
"""Nodes for what one move is worth; two plies of backgammon take about 1,000."""
WHOLE = 1_000_000
"""Nodes for the rest of a small game in one go: enough for minimax on all of tic-tac-toe (549,946) and for
alpha-beta on a pile of 20 (560,865)."""


class DeepeningPlayer(StoppablePlayer):
    """Deepens a search to a fixed depth; without limits it goes on to the end of a small game."""

    def __init__(
        self, game: Game[Any], make: Callable[[], Search], *, depth: int = 0, proves: bool = True
    ) -> None:
        """`make` makes a search that remembers no other game.

        `depth` in plies: search this deep at once, or as deep as the limits allow; 0 deepens iteratively.
        `proves`: whether the value is that of the game where no estimate was used.
        """
        super().__init__()
        self._game, self._make, self._depth, self._proves = game, make, depth, proves
        self._search = make()

    def new_game(self) -> None:
        self._search = self._make()

    def _choose(self, state: State, limits: SearchLimits) -> Decision:
        if self._depth:
            depth = self._depth if limits.depth is None else max(1, min(self._depth, limits.depth))
            return self._deepened(state, replace(limits, depth=depth), first=depth)
        decision = self._deepened(state, limits)
        plies = self._game.plies_to_end(state)
        if decision.exact or not self._proves or plies is None or limits != SearchLimits():
            return decision
        whole = self._deepened(state, SearchLimits(depth=plies, nodes=WHOLE), first=plies)
        return replace(
            whole if whole.depth else decision,
            seconds=decision.seconds + whole.seconds,
            counts=decision.counts + whole.counts,
            limits=limits if whole.depth else decision.limits,
        )

    def _deepened(self, state: State, limits: SearchLimits, first: int = 1) -> Decision:
        # Unless the players' payoffs are opposed, a best payoff may hang on what a third player expects.
        opposed = self._game.players == 2 and self._game.zero_sum
        return deepen(
            self._search,
            state,
            self._game.estimate,
            limits,
            partial(self.make_meter, stopped=self._stopped),
            first=first,
            proves=self._proves,
            payoffs=self._game.bounds(max(state.player, 0)) if self._proves and opposed else None,
        )


def with_equities(game: Game[Any], state: State, decision: Decision) -> Decision:
    """The decision with what the best moves are worth, in a game with dice: `tried` has them, the best first.

    By expectiminimax, to the depth of the decision if that is exact, else to 2 plies at most.
    """
    if not game.chance or decision.tried or not decision.depth or game.players > 2 or not game.zero_sum:
        return decision

    def tried(move: Move, depth: int) -> Tried:
        meter, child = Meter(SearchLimits(nodes=_FOR_AN_EQUITY)), state.play(move)
        found = expectiminimax(child, depth - 1, game.estimate, meter)
        value = found.value if max(child.player, 0) == state.player else -found.value
        return Tried(move, meter.visited, value, line=(move, *found.line))

    best = sorted(state.moves(), key=lambda move: -tried(move, 1).mean)[:_LISTED]
    with suppress(SearchStoppedError):
        depth = decision.depth if decision.exact else min(decision.depth, 2)
        listed = [tried(move, depth) for move in {decision.move: None, **dict.fromkeys(best)}]
        return replace(decision, tried=tuple(sorted(listed, key=lambda each: -each.mean)))
    return decision


def with_pruning(game: Game[Any], pruning: str, bounds: str) -> Search:
    """Expectiminimax with the pruning `none`, `reset` (none across chance nodes), or `star1`.

    `bounds`: the least and the greatest payoff of the first player, as in `0,10`, or OWN for those of the
    game. Raises ValueError where they do not include those of the game.
    """
    least, greatest = game.bounds(0)
    if bounds != OWN:
        try:
            low, high = map(float, bounds.split(","))
        except ValueError:
            raise ValueError(f"bounds must be two numbers, as in 0,10, not {bounds[:40]!r}") from None
        if not -inf < low <= least <= greatest <= high < inf:
            raise ValueError(f"bounds must include the payoffs of the game, from {least:g} to {greatest:g}")
        least, greatest = low, high
    if pruning == "none":
        return expectiminimax

    def search(state: State, depth: int, estimate: Estimate, meter: Meter) -> Result:
        payoffs = (-greatest, -least) if state.player == 1 else (least, greatest)
        return star1(state, depth, estimate, meter, payoffs=payoffs if pruning == "star1" else None)

    return search


class BestReply:
    """Best-Reply Search and Threat-ADS for whoever is to move; each player's list lives as long as the game.

    `rule` is one of `threat_ads.RULES`; by default the opponents are asked in the order of turns.
    """

    def __init__(self, game: Game[Any], rule: str = "in-turn") -> None:
        self._players = game.players
        self._rule = rule
        self._lists: dict[int, InTurn] = {}

    def __call__(self, state: State, depth: int, estimate: Estimate, meter: Meter) -> Result:
        """See `best_reply`."""
        me = state.player
        opponents = self._lists.setdefault(me, RULES.get(self._rule, InTurn)(me, self._players))
        return best_reply(state, depth, estimate, meter, opponents)


class FastBestReply:
    """The same with the compiled twin, for compiled states."""

    def __init__(self, game: Game[Any], rule: str = "in-turn") -> None:
        del game
        self._rule = rule
        self._searches: dict[int, BestReplySearch] = {}

    def __call__(self, state: State, depth: int, estimate: Estimate, meter: Meter) -> Result:
        """See `best_reply`."""
        compiled = cast("CompiledState", state)
        search = self._searches.get(state.player)
        if search is None:
            search = self._searches[state.player] = BestReplySearch(compiled, self._rule)
        result = search.search(compiled, depth, meter)
        if search.estimated:
            estimate(state)  # so that `deepen` learns that deeper may be different
        return result
