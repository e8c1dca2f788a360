"""What the commands of GTP act on: the match, the player behind `genmove`, the clocks. No lines are read."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from random import Random
from time import monotonic
from typing import Any

from engine.games.catalogue import Rules
from engine.games.levels import Level, levels
from engine.games.limits import clamped, limits_of, stricter
from engine.games.players import Player, Watch, decide
from engine.games.rules.game import CHANCE, Game, Move, NotApplicableError, State
from engine.games.rules.own import is_file
from engine.games.search.basics import Decision, SearchLimits, sensible_moves
from engine.games.search.monte_carlo import sampled
from engine.games.searchers import SEARCHERS, Algorithm, OptionError, Value, algorithm, current_name
from protocol.gtp.match import (
    Clock,
    Match,
    Setup,
    TimeControl,
    clock_after,
    full_clock,
    moves_to_go,
    seconds_for_move,
)
from protocol.gtp.parser import GAME_OVER, GtpError, colour_name
from protocol.text import quoted
from protocol.writer import report_error

PASSED = "pass"
RESIGN = "resign"
_ENOUGH = 500  # playouts, of as many searches in a row as it takes, after which a player may resign


@dataclass(frozen=True, slots=True)
class LastSearch:
    """The result of a search from `state` by the searcher of that name."""

    searcher: str
    state: State
    decision: Decision


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
        searcher, values = algorithm(self.searcher), self._values
        given = {name.lower() for name in self.options}
        return {
            option.name: int(values[option.name])
            for option in searcher.options
            if option.limits and option.name in given and values[option.name]
        }

    def set_limits(self, limits: SearchLimits | None) -> None:
        """Set the limits of all searches, clamped; they hold beside those of a level. None: no others."""
        self.limits = None if limits is None else clamped(limits)

    def use(self, name: str, options: Mapping[str, str]) -> None:
        """Play by the searcher of that name, or by the search in that file. Raises GtpError.

        Options that say how long to search take the place of limits that were set before.
        """
        name = current_name(name)
        if name not in SEARCHERS and not is_file(name):
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

    def adopt(self, game: Game[Any]) -> None:
        self.game = game
        self._take(self.searcher, self.options)

    def new_game(self) -> None:
        self._player.new_game()
        self.last = None
        self.hopeless.clear()

    def limits_within(self, seconds: float | None) -> SearchLimits:
        """The limits of a search for which the clock allows `seconds`, None without a clock.

        Limits that were chosen hold beside each other and beside the clock; default ones do not.
        """
        asked = SearchLimits(**{name: self.asked.get(name) for name in ("depth", "nodes", "playouts")})
        if self.level:
            return limits_of(self.level.limits, stricter(self.limits or SearchLimits(), asked), seconds)
        default = self._usual if seconds is None else SearchLimits()
        return limits_of(self.limits or default, asked, seconds)

    def choose(
        self,
        state: State,
        limits: SearchLimits,
        *,
        allowed: frozenset[Move] | None = None,
        watch: Watch | None = None,
        cleaning: bool = False,
    ) -> Decision:
        """A move, also where the search fails, which is reported on stderr. The arguments are as in `decide`.

        `watch` hears nothing unless the searcher keeps its tree.
        """
        if watch is not None and self.keeps_tree:
            limits = limits.with_playouts(int(self._values["playouts"]))
        else:
            watch = None
        search = partial(decide, self.game, watch=watch, cleaning=cleaning)
        return self._search(search, self._player, state, limits, allowed)

    def analyse(self, state: State, seconds: float, allowed: frozenset[Move] | None = None) -> Decision:
        """What a search of that many seconds finds; what the last search learned may help."""
        return self._search(Player.choose, self._player, state, SearchLimits(seconds=seconds), allowed)

    def choose_again(self, state: State) -> Decision:
        """A move that is the same each time, unless a limit in seconds is set."""
        fresh = algorithm(self.searcher).player(self.game, self._seed, self.options)
        return self._search(partial(decide, self.game), fresh, state, self.limits_within(None))

    @property
    def can_avoid(self) -> bool:
        return self._player.can_avoid

    def stop(self) -> None:
        self._stopped = True
        choosing = self._choosing
        if choosing is not None:
            choosing.stop()

    @property
    def _values(self) -> Mapping[str, Value]:
        return algorithm(self.searcher).values(self.game, self.options)

    def _take(self, name: str, options: Mapping[str, str]) -> None:
        self._player = algorithm(name).player(self.game, self._seed, options)
        self.searcher, self.options = name, dict(options)
        self.hopeless.clear()

    def _search(
        self,
        search: Callable[..., Decision],
        player: Player,
        state: State,
        limits: SearchLimits,
        allowed: frozenset[Move] | None = None,
    ) -> Decision:
        self._stopped, self._choosing = False, player
        try:
            decision = search(player, state, limits, allowed=allowed, stopped=lambda: self._stopped)
        except Exception as error:  # noqa: BLE001 - whatever it is, the game goes on
            report_error("the search failed", error)
            moves = sensible_moves(state)
            decision = Decision(next(move for move in moves if allowed is None or move in allowed))
        finally:
            self._choosing = None
        self.last = LastSearch(self.searcher, state, decision)
        return decision


class GtpSession:
    """One match after the other, of any games."""

    def __init__(
        self,
        rules: Rules,
        size: int | None = None,
        *,
        seed: int = 0,
        limits: SearchLimits | None = None,
        resign_below: float = 0.0,
    ) -> None:
        """`limits` and `resign_below`, see `is_hopeless`, hold for every game. Raises SizeError."""
        self.rules = rules
        self._chosen = rules.game()
        self.match = Match(self._chosen, size)
        self.player = GtpPlayer(self.game, seed, limits)
        self.control: TimeControl | None = None
        self.clocks: dict[int, Clock] = {}
        self.resign_below = resign_below
        self._seed = seed
        self._random = Random(seed)

    @property
    def game(self) -> Game[Any]:
        return self.match.game

    def set_game(self, rules: Rules) -> None:
        """Begin another game on its usual board, at the highest level. Raises SizeError."""
        match = Match(rules.game())
        self.player = GtpPlayer(match.game, self._seed, self.player.limits)
        self.match, self.rules, self._chosen = match, rules, match.game
        self.reset_clocks()

    def begin(self, size: int | None, setup: Setup | None = None) -> None:
        """Begin again, with the komi that was chosen. Raises what Match raises."""
        self.take_over(Match(self._chosen, size, setup))

    def set_komi(self, komi: float) -> None:
        """Go on with another komi; no effect in a game without komi. Raises SizeError."""
        if self.game.komi is None:
            return
        self.rules = replace(self.rules, options={**self.rules.options, "komi": str(komi)})
        chosen = own = self.rules.game()
        if self.game is not self._chosen:  # a game from a file, whose handicap stones are set up
            own = replace(self.rules, options={**self.rules.options, "handicap": "0"}).game()
        self.match, self._chosen = self.match.replayed(own), chosen
        self.player.adopt(self.game)

    def take_over(self, match: Match) -> None:
        """Go on with a match that was begun elsewhere; its komi holds for it alone."""
        if match.game is not self.game:
            self.player.adopt(match.game)
        self.match = match
        self.player.new_game()
        self.reset_clocks()

    def undo(self, moves: int = 1) -> None:
        """Take back moves and rolls: all of them or none. Raises GtpError."""
        self.match.undo(moves)
        self.player.hopeless.clear()

    def set_time(self, control: TimeControl) -> None:
        self.control = None if control.unlimited else control
        self.reset_clocks()

    def reset_clocks(self) -> None:
        control = self.control
        self.clocks = {} if control is None else {n: full_clock(control) for n in range(self.game.players)}

    def roll(self) -> str:
        """Roll the dice; the text of the roll. Raises GtpError."""
        state = self._turned(CHANCE)
        move = sampled(state, self._random)
        text = self.game.text(state, move)
        self.match.play(state, move)
        return text

    def generate(
        self,
        player: int,
        watch: Watch | None = None,
        began: float | None = None,
        *,
        allowed: frozenset[Move] | None = None,
        cleaning: bool = False,
    ) -> str:
        """Find a move for a player and play it; its text, or `resign`. The clock runs. Raises GtpError.

        `watch`, `allowed` and `cleaning` are as in GtpPlayer. `began`: when the clock began to run, by
        `monotonic`, if before now.
        """
        if player == CHANCE:
            raise GtpError("the dice are not a player")
        began = monotonic() if began is None else began
        if self._has_passed(player):
            return PASSED
        state = self._turned(player)
        seconds = self._seconds_for(player)
        if seconds is not None:
            seconds = max(0.0, seconds - (monotonic() - began))
        decision = self.player.choose(
            state, self.player.limits_within(seconds), allowed=allowed, watch=watch, cleaning=cleaning
        )
        if self._resigns(player, decision):
            text = RESIGN
        else:
            text = self.game.text(state, decision.move)
            self.match.play(state, decision.move)
        if self.control is not None:
            self.clocks[player] = clock_after(self.clocks[player], self.control, monotonic() - began)
        return text

    def _resigns(self, player: int, decision: Decision) -> bool:
        """Whether a player gives up: the searches of its last moves, this one included, were hopeless."""
        hopeless = self.player.hopeless
        if not is_hopeless(self.game, decision, self.resign_below):
            hopeless.pop(player, None)
            return False
        hopeless[player] = hopeless.get(player, 0) + decision.counts.playouts
        return hopeless[player] >= _ENOUGH

    def suggest(self, player: int) -> str:
        """The text of a move, the same one each time, which is not played. Raises GtpError."""
        if player == CHANCE:
            state = self._turned(player)
            return self.game.text(state, sampled(state, Random(self._seed)))
        if self._has_passed(player):
            return PASSED
        state = self._turned(player)
        return self.game.text(state, self.player.choose_again(state).move)

    def to_analyse(self, player: int | None) -> State:
        """The state with `player` to move; None: the player whose turn it is. Raises GtpError."""
        state = self._turned(max(0, self.match.state.player) if player is None else player)
        if state.player == CHANCE:
            raise GtpError("the dice are not a player")
        return state

    def _has_passed(self, player: int) -> bool:
        return self.match.over and self.match.has_points and self.match.turned(player) is None

    def _turned(self, player: int) -> State:
        state: State | None = self.match.turned(player)
        if state is not None:
            return state
        if self.match.over:
            raise GtpError(GAME_OVER)
        players = self.game.players
        to_move = colour_name(self.match.state.player, players)
        raise GtpError(f"{to_move} to move, not {colour_name(player, players)}")

    def _seconds_for(self, player: int) -> float | None:
        if self.control is None:
            return None
        match = self.match
        left = match.game.moves_left(match.state)
        to_go = moves_to_go(match.game.name, match.game.players, len(match.played), left)
        return seconds_for_move(self.clocks[player], self.control, to_go)


def is_hopeless(game: Game[Any], decision: Decision, below: float) -> bool:
    """Whether a search in a game of two finds a winning chance smaller than `below`, from 0 to 1.

    Only playouts give that chance: the mean payoff of the move tried most, or the value of another one that
    is played, scaled so that the game's least payoff is 0 and its greatest 1.
    """
    if not decision.tried or game.players != 2 or not game.zero_sum:
        return False
    best = decision.tried[0]
    least, greatest = game.payoffs
    value = best.mean if best.move == decision.move or decision.value is None else decision.value
    return value - least < below * (greatest - least)
