"""Searchers as players: what all of them have in common, and how a move is decided."""

from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, replace
from random import Random
from time import monotonic
from typing import Any

from engine.games.rules.game import OVER, Game, Move, State
from engine.games.search.basics import (
    Counts,
    Decision,
    Meter,
    SearchLimits,
    SearchStoppedError,
    sensible_moves,
)

_FOR_AN_ENDING = 0.5  # share of a move's time for checking whether the game is settled


class Player:
    """A searcher in a game. All methods but `stop` are for one thread.

    `make_meter(limits, stopped=…)` makes the meter that a search in Python reports to.
    """

    can_avoid = False  # whether it plays only moves that are `allowed`
    samples = False  # whether it values moves by playouts

    def __init__(self) -> None:
        self.make_meter: Callable[..., Meter] = Meter
        self._stop = False

    def choose(
        self,
        state: State,
        limits: SearchLimits,
        *,
        allowed: Collection[Move] | None = None,
        stopped: Callable[[], bool] | None = None,
    ) -> Decision:
        """Decide in a state with a player, not chance, to move; the decision always has a legal move.

        Where the limits are empty, the player's own depth or number of playouts holds. `allowed`: the root
        moves to search, if it `can_avoid`; None: all. If `stopped()` is true when the choice begins, it ends
        at once: a caller that sets this flag before it calls `stop` loses no stop.
        """
        self._stop = False
        if stopped is not None and stopped():
            self._stop = True
        return self._choose(state, limits, allowed)

    def stop(self) -> None:
        """End the choice under way; from any thread. Without effect where there is none."""
        self._stop = True

    def new_game(self) -> None:
        """Forget what was learned."""

    def _choose(self, state: State, limits: SearchLimits, allowed: Collection[Move] | None) -> Decision:
        raise NotImplementedError

    def _stopped(self) -> bool:
        return self._stop


class RandomPlayer(Player):
    """Plays any sensible move, the weakest player, against which all others are measured."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._random = Random(seed)

    def _choose(self, state: State, limits: SearchLimits, allowed: Collection[Move] | None) -> Decision:
        del limits, allowed
        return Decision(self._random.choice(sensible_moves(state)))


@dataclass(frozen=True, slots=True)
class Watch:
    """A progress callback and its interval in seconds."""

    interval: float
    tell: Callable[[Decision], None]


def decide(
    game: Game[Any],
    player: Player,
    state: State,
    limits: SearchLimits,
    *,
    allowed: Collection[Move] | None = None,
    stopped: Callable[[], bool] | None = None,
    watch: Watch | None = None,
    cleaning: bool = False,
) -> Decision:
    """What a player decides.

    The `ending` of a settled game is played unless a player that samples finds it wrong: where it wins, he
    looks for a refutation, in what is left of the time for the ending; else for a move that wins, in the rest
    of the move's time. With `cleaning` the ending is played at once. `last_move` is played if it brings at
    least as much as the search expects. `stopped` is as in Player; a `stop` ends one of these searches only.
    `watch` hears what has been found so far, of a player that goes on with its tree.
    """

    def may(found: tuple[Move, float | None] | None) -> bool:
        return found is not None and (allowed is None or found[0] in allowed)

    def ended(move: Move, payoff: float | None, check: Counts) -> Decision:
        counts = Counts(playouts=check.playouts)  # the nodes were not visited for this move
        return Decision(move, payoff, line=(move,), seconds=meter.seconds, counts=counts, limits=limits)

    most = None if limits.seconds is None else limits.seconds * _FOR_AN_ENDING
    meter, ending = Meter(SearchLimits(seconds=most), stopped=stopped), None
    with suppress(SearchStoppedError):
        ending = game.ending(state, meter.look, cleaning=cleaning)
    checking = Counts()
    if ending is not None and may(ending):
        move, payoff = ending
        after = state.play(move)
        if cleaning or payoff is None or not player.samples or (payoff > 0 and after.player == OVER):
            return ended(move, payoff, checking)
        if payoff > 0:
            rest = replace(limits, seconds=None if most is None else max(0.0, most - meter.seconds))
            reply = player.choose(after, rest, stopped=stopped)
            checking = reply.counts
            if not _expects_a_win(reply):
                return ended(move, payoff, checking)
            ending = None
    spent = meter.seconds
    left = replace(limits, seconds=None if limits.seconds is None else max(0.0, limits.seconds - spent))
    if watch is None:
        decision = player.choose(state, left, allowed=allowed, stopped=stopped)
    else:
        decision = choose_in_slices(player, state, left, watch, allowed=allowed, stopped=stopped)
    held = replace(decision.limits, seconds=limits.seconds)
    seconds, counts = decision.seconds + spent, decision.counts + checking
    decision = replace(decision, seconds=seconds, counts=counts, limits=held)
    if ending is not None and may(ending) and not _expects_a_win(decision):
        return ended(*ending, decision.counts)
    last = game.last_move(state) if decision.tried else None
    if last is not None and may(last) and decision.value is not None and decision.value <= last[1]:
        return replace(decision, move=last[0], value=last[1], line=(last[0],))
    return decision


def _expects_a_win(decision: Decision) -> bool:
    return bool(decision.tried) and decision.value is not None and decision.value > 0


def choose_in_slices(
    player: Player,
    state: State,
    limits: SearchLimits,
    watch: Watch,
    *,
    allowed: Collection[Move] | None = None,
    stopped: Callable[[], bool] | None = None,
) -> Decision:
    """Have a player search again and again for an interval, up to the limits of the whole search.

    It must go on with its tree, or each slice starts from scratch. `watch` hears of every slice but the last,
    whose decision is the result. Without seconds, nodes or playouts among the limits it ends when stopped.
    """
    began, spent = monotonic(), Counts()
    while True:
        left = _less(limits, spent, monotonic() - began)
        seconds = watch.interval if left.seconds is None else min(watch.interval, left.seconds)
        found = player.choose(state, replace(left, seconds=seconds), allowed=allowed, stopped=stopped)
        spent += found.counts
        decision = replace(found, counts=spent, seconds=monotonic() - began, limits=limits)
        can_do_no_more = not found.counts.playouts and found.seconds < seconds
        if found.exact or can_do_no_more or _is_reached(limits, decision) or (stopped and stopped()):
            return decision
        watch.tell(decision)
        if stopped and stopped():  # while it was told
            return decision


def _less(limits: SearchLimits, spent: Counts, seconds: float) -> SearchLimits:
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
