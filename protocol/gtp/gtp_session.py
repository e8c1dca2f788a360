"""What the commands of GTP act on: the match, the player, the clocks. Nothing here reads or writes lines."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from time import monotonic
from typing import TYPE_CHECKING, Any

from engine.games.rules.game import CHANCE
from protocol.gtp.clock import clock_after, full_clock, moves_to_go, seconds_for_move
from protocol.gtp.gtp_player import GtpPlayer
from protocol.gtp.match import Match, roll
from protocol.gtp.parser import GtpError
from protocol.gtp.replies import GAME_OVER, colour_name

if TYPE_CHECKING:
    from engine.games.rules.game import Game, Move, State
    from engine.games.search.basics import Decision, SearchLimits
    from protocol.gtp.clock import Clock, TimeControl
    from protocol.gtp.gtp_player import Watch
    from protocol.gtp.match import Setup
    from protocol.gtp.rules import Rules

PASSED = "pass"
RESIGN = "resign"
_ENOUGH = 500  # playouts, of as many searches in a row as it takes, after which a player may resign


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
        """The game of the match."""
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
        rules = replace(self.rules, options={**self.rules.options, "komi": str(komi)})
        self.match = self.match.replayed(rules.game())
        self.rules, self._chosen = rules, self.game
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
        """Set the time control, and the clocks of all players."""
        self.control = None if control.unlimited else control
        self.reset_clocks()

    def reset_clocks(self) -> None:
        """Set the clocks as at the beginning of a game."""
        control = self.control
        self.clocks = {} if control is None else {n: full_clock(control) for n in range(self.game.players)}

    def roll(self) -> str:
        """Roll the dice; the text of the roll. Raises GtpError."""
        state = self._turned(CHANCE)
        move = roll(state, self._random.random)
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
        began = monotonic() if began is None else began
        if self._has_passed(player):
            return PASSED
        state = self._turned(player)
        seconds = self._seconds_for(player)
        if seconds is not None:
            seconds = max(0.0, seconds - (monotonic() - began))
        decision = self.player.choose(state, seconds, watch, allowed=allowed, cleaning=cleaning)
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
            return self.game.text(state, roll(state, Random(self._seed).random))
        if self._has_passed(player):
            return PASSED
        state = self._turned(player)
        return self.game.text(state, self.player.choose_again(state).move)

    def to_analyse(self, player: int | None) -> State:
        """The state with that player to move; None for whoever's turn it is. Raises GtpError."""
        state = self._turned(max(0, self.match.state.player) if player is None else player)
        if state.player == CHANCE:
            raise GtpError("the dice are not a player")
        return state

    def _has_passed(self, player: int) -> bool:
        """Whether all players have passed, and there is no move left to play."""
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
