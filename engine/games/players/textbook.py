"""The textbook as players: what a search keeps during a game, its options, and how it is watched.

Searches to a fixed depth deepen iteratively; searches by random games get a new seed for each move.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from math import inf
from random import Random
from typing import Any, cast

from engine.games.fast.best_reply import BestReplySearch
from engine.games.limits import stricter
from engine.games.players import Player
from engine.games.rules.compiled_state import CompiledState
from engine.games.rules.game import Game, Move, State
from engine.games.search.alphabeta import alphabeta
from engine.games.search.basics import (
    Decision,
    Estimate,
    Meter,
    Result,
    Search,
    SearchLimits,
    SearchStoppedError,
    Tried,
)
from engine.games.search.best_reply import InTurn, best_reply
from engine.games.search.expectiminimax import expectiminimax
from engine.games.search.hooked_alphabeta import at_depth, hooked_alphabeta, never, unknown
from engine.games.search.iterative_deepening import deepen
from engine.games.search.monte_carlo import random_playout
from engine.games.search.ordering import as_they_come
from engine.games.search.recording import Recording, RecordingMeter
from engine.games.search.star1 import star1
from engine.games.search.threat_ads import RULES

OWN = "game"
_LISTED = 10  # moves that get an equity, besides the chosen one
_FOR_AN_EQUITY = 20_000  # nodes for what one move is worth; two plies of backgammon take about 1,000
WHOLE = 1_000_000
"""Nodes for the rest of a small game in one go: enough for minimax on all of tic-tac-toe (549,946) and for
alpha-beta on a pile of 20 (560,865)."""
NONE, THEORY, NAIVE = "none", "theory", "naive"
QUIET_PLIES = 4  # how many plies beyond the depth `quiet` goes on at most
_SEED_BITS = 62


class DeepeningPlayer(Player):
    """Deepens a search to a fixed depth; without limits it goes on to the end of a small game."""

    def __init__(
        self,
        game: Game[Any],
        make: Callable[[], Search],
        *,
        depth: int = 0,
        proves: bool = True,
        cautious: bool = True,
    ) -> None:
        """`make` makes a search that remembers no other game.

        `depth` in plies: search this deep at once, or as deep as the limits allow; 0 deepens iteratively.
        `proves`: whether the value is that of the game where no estimate was used. `cautious`: False for a
        search in a file, whose estimates may equal payoffs.
        """
        super().__init__()
        self._cautious = cautious and game.cautious
        self._game, self._make, self._depth, self._proves = game, make, depth, proves
        self._search = make()

    def new_game(self) -> None:
        self._search = self._make()

    def _choose(self, state: State, limits: SearchLimits, allowed: Collection[Move] | None) -> Decision:
        del allowed
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
        certain = self._proves and opposed and self._cautious
        return deepen(
            self._search,
            state,
            self._game.estimate,
            limits,
            partial(self.make_meter, stopped=self._stopped),
            first=first,
            proves=self._proves,
            payoffs=self._game.bounds(max(state.player, 0)) if certain else None,
        )


class SamplingPlayer(Player):
    """Lets a sampling search do its playouts, for each move with another seed drawn from the first."""

    samples = True

    def __init__(
        self,
        sample: Callable[..., Decision],
        seed: int,
        playouts: Callable[[State], int],
        *,
        has_nodes: bool = True,
    ) -> None:
        """`sample(state, meter, seed=…)` decides when the meter raises SearchStoppedError.

        `playouts`: how many where the limits are empty. `has_nodes`: whether there are nodes to be limited.
        """
        super().__init__()
        self._sample, self._playouts, self._has_nodes = sample, playouts, has_nodes
        self._random = Random(seed)

    def _choose(self, state: State, limits: SearchLimits, allowed: Collection[Move] | None) -> Decision:
        del allowed
        most = SearchLimits() if self._has_nodes else SearchLimits(playouts=limits.nodes)  # each is a node
        if not self._has_nodes:
            limits = replace(limits, nodes=None)
        limits = stricter(limits.with_playouts(self._playouts(state)), most)
        meter = self.make_meter(limits, stopped=self._stopped)
        decision = self._sample(state, meter, seed=self._random.getrandbits(_SEED_BITS))
        return replace(decision, seconds=meter.seconds, counts=meter.counts, limits=limits)


def with_equities(game: Game[Any], state: State, decision: Decision) -> Decision:
    """The decision, `tried` having the equities of the best moves in a game with dice, the best first.

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
    """Expectiminimax with the pruning `none`, `reset` (none across chance nodes), `star1` or `naive`.

    `bounds`: the least and greatest payoff of the first player, as `0,10`, or OWN for the game's. Raises
    ValueError where they do not include those of the game.
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
        bounded = payoffs if pruning == "star1" else None
        return star1(state, depth, estimate, meter, payoffs=bounded, naive=pruning == NAIVE)

    return search


def best_reply_with_lists(game: Game[Any], rule: str) -> Search:
    """Best-Reply Search and Threat-ADS; each player's list of opponents lives as long as the search.

    `rule` is one of `threat_ads.RULES`; any other asks the opponents in the order of turns.
    """
    lists: dict[int, InTurn] = {}

    def search(state: State, depth: int, estimate: Estimate, meter: Meter) -> Result:
        me = state.player
        opponents = lists.setdefault(me, RULES.get(rule, InTurn)(me, game.players))
        return best_reply(state, depth, estimate, meter, opponents)

    return search


def fast_best_reply(rule: str) -> Search:
    """The same with the compiled twin, for compiled states."""
    searches: dict[int, BestReplySearch] = {}

    def search(state: State, depth: int, estimate: Estimate, meter: Meter) -> Result:
        compiled = cast("CompiledState", state)
        if state.player not in searches:
            searches[state.player] = BestReplySearch(compiled, rule)
        twin = searches[state.player]
        result = twin.search(compiled, depth, meter)
        if twin.estimated:
            estimate(state)  # so that `deepen` learns that deeper may be different
        return result

    return search


def alphabeta_with(game: Game[Any], look_up: str, cut_off: str, extend: str, random_games: int = 0) -> Search:
    """Alpha-beta with hooks chosen by the names of options.

    `look_up`: NONE, THEORY, or the file of an endgame table. `cut_off`: `depth`, or only where the position
    is `quiet`. `extend`: `none`, `forced` or `noisy` moves, by a ply. `random_games`: how many stand in for
    the game's estimate. Raises TableFileError, and ValueError without a theory.
    """
    if (look_up, cut_off, extend, random_games) == (NONE, "depth", NONE, 0):
        return alphabeta
    if look_up == THEORY and game.known(game.start()) is None:
        raise ValueError(f"no theory of {game.title} tells who wins")
    table = None
    if look_up not in {NONE, THEORY}:
        from engine.games.players.solvers import load_table  # noqa: PLC0415 - solvers are seldom needed

        table = load_table(look_up, game)
    known = table.look_up if table else game.known if look_up == THEORY else unknown

    def quiet(state: State, depth: int) -> bool:
        return depth <= 0 and (depth <= -QUIET_PLIES or not game.noisy(state))

    def forced(state: State, move: Move, child: State) -> int:
        del move, child
        return int(len(state.moves()) == 1)

    def noisy(state: State, move: Move, child: State) -> int:
        del child
        return int(move in game.noisy(state))

    def search(state: State, depth: int, estimate: Estimate, meter: Meter) -> Result:
        # What is known of `state` itself is not used: a move is wanted, too.
        def known_below(reached: State) -> Sequence[float] | None:
            return None if reached is state else known(reached)

        def shortest_win_first(reached: State, moves: Sequence[Move]) -> Iterable[Move]:
            at_root = table is not None and reached is state and table.verdict(reached) is not None
            return table.ordered(reached) if table is not None and at_root else moves

        return hooked_alphabeta(
            state,
            depth,
            mean_of_random_games(random_games, estimate, meter) if random_games else estimate,
            meter,
            order=shortest_win_first if table else as_they_come,
            cut_off=quiet if cut_off == "quiet" else at_depth,
            extend={NONE: never, "forced": forced, "noisy": noisy}[extend],
            look_up=unknown if known is unknown else known_below,
        )

    return search


def mean_of_random_games(games: int, estimate: Estimate, meter: Meter) -> Estimate:
    """The mean payoffs of random games and one draw, so that even all wins are not a sure win.

    For payoffs that add up to 0. A state has the same games whenever it is estimated.
    """

    def mean(state: State) -> Sequence[float]:
        estimate(state)  # so that `deepen` knows of it
        payoffs = []
        for seed in range(games):
            meter.play_out()
            payoffs.append(random_playout(state, seed))
        return [sum(each) / (games + 1) for each in zip(*payoffs, strict=True)]

    return mean


WATCHABLE = (
    *("minimax", "alphabeta", "enhanced", "expectiminimax", "maxn", "paranoid", "bestreply", "threat-ads"),
    *("montecarlo", "uct", "puct"),
)
"""The searchers that play from the textbook."""
SAMPLING = ("montecarlo", "uct", "puct")  # those of them whose nodes have visits and a mean, not a value


def textbook_of(searcher: str) -> str | None:
    """The searcher that can be watched in place of its compiled twin; None for all that are not twins."""
    name = searcher.removesuffix("-fast")
    return name if name != searcher and name in WATCHABLE else None


def watch(
    searcher: str, player: Player, state: State, limits: SearchLimits, max_player: int | None = None
) -> tuple[Decision, list[Recording]]:
    """The decision of a searcher of WATCHABLE, and its finished searches, one for each depth.

    `state` has a player to move; `max_player` is as in RecordingMeter.
    """
    meters: list[RecordingMeter] = []

    def make_meter(limits: SearchLimits, stopped: Callable[[], bool] | None) -> RecordingMeter:
        meters.append(
            RecordingMeter(
                limits,
                stopped,
                vectors=searcher == "maxn",
                negamax=searcher == "enhanced",
                max_player=max_player,
            )
        )
        return meters[-1]

    player.make_meter = make_meter
    decision = player.choose(state, limits)
    return decision, [each for meter in meters for each in meter.recordings if each.finished]
