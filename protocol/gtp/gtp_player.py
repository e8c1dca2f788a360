"""The player behind `genmove`: a searcher with its options, a level, limits, and its last search."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from engine.games.players.levels import levels
from engine.games.players.player import decide
from engine.games.players.searcher_options import OptionError
from engine.games.players.searchers import SEARCHERS, current_name
from engine.games.players.sliced import SlicedPlayer
from engine.games.rules.game import NotApplicableError
from engine.games.search.basics import Decision, SearchLimits, sensible_moves
from engine.games.search.iterative_deepening import DEEPEST
from protocol.gtp.parser import GtpError
from protocol.text import quoted
from protocol.writer import report_error

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from engine.games.players.levels import Level
    from engine.games.players.player import Player
    from engine.games.players.searcher_options import Value
    from engine.games.players.searchers import Algorithm
    from engine.games.rules.game import Game, Move, State


# As good as no limit, and small enough for the counters and clocks of compiled searchers.
LONGEST = 1e8  # seconds
MOST = 2_000_000_000  # nodes, or playouts
_NAMES = ("seconds", "depth", "nodes", "playouts")  # of SearchLimits, in their order


@dataclass(frozen=True, slots=True)
class LastSearch:
    """The result of a search from `state` by the searcher of that name."""

    searcher: str
    state: State
    decision: Decision


@dataclass(frozen=True, slots=True)
class Watch:
    """Who wants to hear, about every so many seconds, what a search has found so far."""

    interval: float
    tell: Callable[[Decision], None]


class GtpPlayer:
    """Finds moves in one game. `stop` may be called from any thread, all other methods from one only."""

    def __init__(self, game: Game[Any], seed: int, limits: SearchLimits | None = None) -> None:
        """A player of the highest level, with `limits` in place of the level's if given."""
        self.game = game
        self.set_limits(limits)
        self.level: Level | None = None
        self.last: LastSearch | None = None
        self._seed = seed
        self._choosing: Player | None = None
        self._stopped = False
        self.hopeless: dict[int, int] = {}
        """By player of the game: the playouts of its last searches in a row that found it lost."""
        best = self.levels[-1]
        self._take(best.searcher, best.options)
        self._usual = best.limits

    @property
    def levels(self) -> Sequence[Level]:
        """The levels of the game, weakest first."""
        return levels(self.game)

    @cached_property
    def fitting(self) -> list[Algorithm]:
        """The searchers that can play the game, whatever its options; finding out may take a second."""
        return [each for each in SEARCHERS.values() if each.obstacle(self.game) is None]

    @property
    def keeps_tree(self) -> bool:
        """Whether a search goes on with the tree of the one before."""
        return bool(self._values.get("reuse", False))

    @property
    def asked(self) -> dict[str, int]:
        """The options that were given and say how long to search."""
        algorithm, values = SEARCHERS[self.searcher], self._values
        given = {name.lower() for name in self.options}
        return {
            option.name: int(values[option.name])
            for option in algorithm.options
            if option.limits and option.name in given and values[option.name]
        }

    def set_limits(self, limits: SearchLimits | None) -> None:
        """Set the limits of all searches, clamped; None for those of the level."""
        self.limits = None if limits is None else clamped(limits)

    def use(self, name: str, options: Mapping[str, str]) -> None:
        """Play by the searcher of that name. Raises GtpError.

        Options that say how long to search take the place of limits that were set before.
        """
        name = current_name(name)
        if name not in SEARCHERS:
            available = ", ".join(each.name for each in self.fitting)
            raise GtpError(f"unknown searcher {quoted(name)}; available: {available}")
        try:
            self._take(name, options)
        except NotApplicableError as error:
            raise GtpError(f"{name}: {error}") from None
        except OptionError as error:
            raise GtpError(str(error)) from None
        self.level, self._usual = None, SearchLimits()
        if self.asked:
            self.limits = None

    def use_level(self, number: int) -> None:
        """Play at level `number`. Raises GtpError."""
        known = {level.number: level for level in self.levels}
        if number not in known:
            raise GtpError(f"the level must be from 1 to {len(known)}")
        self.level = known[number]
        self._take(self.level.searcher, self.level.options)
        self._usual = self.level.limits

    def adopt(self, game: Game[Any]) -> None:
        """Go on with other rules of the same game."""
        self.game = game
        self._take(self.searcher, self.options)

    def new_game(self) -> None:
        """Forget what was learned in the last game."""
        self._player.new_game()
        self.last = None
        self.hopeless.clear()

    def limits_within(self, seconds: float | None) -> SearchLimits:
        """The limits of a search for which the clock allows `seconds`, None without a clock.

        Limits that were chosen, by themselves, with a level or as an option of the searcher, hold beside each
        other and beside the clock; default ones do not.
        """
        asked = SearchLimits(depth=self.asked.get("depth"), playouts=self.asked.get("playouts"))
        if seconds is None:
            return stricter(asked, self.limits or self._usual)
        chosen = stricter(asked, self.limits or (self.level.limits if self.level else SearchLimits()))
        return replace(chosen, seconds=min(seconds, chosen.seconds or seconds, LONGEST))

    def choose(
        self,
        state: State,
        seconds: float | None,
        watch: Watch | None = None,
        *,
        allowed: frozenset[Move] | None = None,
        cleaning: bool = False,
    ) -> Decision:
        """A move, also where the search fails, which is reported on stderr. See `limits_within`.

        `watch` hears what has been found so far, if the searcher keeps its tree. `allowed`: the moves to
        choose from, if it `can_avoid`; None: all. `cleaning` is as in Game.ending.
        """
        limits, player = self.limits_within(seconds), self._player
        if watch is not None and self.keeps_tree:
            limits = limits.with_playouts(int(self._values["playouts"]))
            player = SlicedPlayer(player, watch.interval, watch.tell)
        return self._search(player, state, limits, allowed, cleaning=cleaning)

    def analyse(self, state: State, seconds: float, allowed: frozenset[Move] | None = None) -> Decision:
        """What a search of that many seconds finds; what the last search learned may help."""
        return self._search(self._player, state, SearchLimits(seconds=seconds), allowed, to_play=False)

    @property
    def can_avoid(self) -> bool:
        """Whether the searcher can be told which moves to search."""
        return hasattr(self._player, "allowed")

    def choose_again(self, state: State) -> Decision:
        """A move that is the same each time, unless a limit in seconds is set."""
        fresh = SEARCHERS[self.searcher].player(self.game, self._seed, self.options)
        return self._search(fresh, state, self.limits_within(None))

    def stop(self) -> None:
        """Have the search that is going on, if any, end soon."""
        self._stopped = True
        choosing = self._choosing
        if choosing is not None:
            choosing.stop()

    @property
    def _values(self) -> Mapping[str, Value]:
        return SEARCHERS[self.searcher].values(self.game, self.options)

    def _take(self, name: str, options: Mapping[str, str]) -> None:
        self._player = SEARCHERS[name].player(self.game, self._seed, options)
        self.searcher, self.options = name, dict(options)
        self.hopeless.clear()

    def _search(
        self,
        player: Player,
        state: State,
        limits: SearchLimits,
        allowed: frozenset[Move] | None = None,
        *,
        cleaning: bool = False,
        to_play: bool = True,
    ) -> Decision:
        searcher: Any = self._player
        self._stopped, self._choosing = False, player
        try:
            if allowed is not None:
                searcher.allowed = allowed
            if to_play:
                decision = decide(
                    *(self.game, player, state, limits),
                    allowed=allowed,
                    stopped=lambda: self._stopped,
                    cleaning=cleaning,
                )
            else:
                decision = player.choose(state, limits)
        except Exception as error:  # noqa: BLE001 - whatever it is, the game goes on
            report_error("the search failed", error)
            moves = sensible_moves(state)
            decision = Decision(next(move for move in moves if allowed is None or move in allowed))
        finally:
            self._choosing = None
            if allowed is not None:
                searcher.allowed = None
        self.last = LastSearch(self.searcher, state, decision)
        return decision


def stricter(one: SearchLimits, other: SearchLimits) -> SearchLimits:
    """The stricter of both for each limit."""
    pairs = [
        [value for value in (getattr(one, name), getattr(other, name)) if value is not None]
        for name in _NAMES
    ]
    return SearchLimits(*(min(pair, default=None) for pair in pairs))


def clamped(limits: SearchLimits) -> SearchLimits:
    """SearchLimits of the same effect, none of them too large for a searcher."""

    def at_most(value: int | None, most: int) -> int | None:
        return None if value is None else min(value, most)

    return SearchLimits(
        None if limits.seconds is None else min(limits.seconds, LONGEST),
        at_most(limits.depth, DEEPEST),
        at_most(limits.nodes, MOST),
        at_most(limits.playouts, MOST),
    )
