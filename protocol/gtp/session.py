"""What the commands of GTP act on: the game, the player, the clocks. Nothing here reads or writes lines."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from time import monotonic
from typing import TYPE_CHECKING, Any

from engine.games.rules.game import CHANCE
from protocol.gtp.clock import after, seconds_for_move, wound
from protocol.gtp.colours import colour_name
from protocol.gtp.lines import GtpError
from protocol.gtp.match import Match, sample
from protocol.gtp.pace import moves_to_go
from protocol.gtp.thinker import Thinker

if TYPE_CHECKING:
    from engine.games.rules.game import Game, State
    from engine.games.textbook.search import Decision, SearchLimits
    from protocol.gtp.clock import Clock, TimeControl
    from protocol.gtp.match import Setup
    from protocol.gtp.rules import Rules

NO_MORE = "pass"
GAME_OVER = "the game is over"
RESIGN = "resign"
_ENOUGH = 500  # random games of all moves together, by which one may give up


class GtpSession:
    """One game after the other, whatever they are."""

    def __init__(
        self,
        rules: Rules,
        size: int | None = None,
        *,
        seed: int = 0,
        limits: SearchLimits | None = None,
        resign_below: float = 0.0,
    ) -> None:
        """`limits` and `resign_below` are for every move of every game; see is_hopeless. Raises SizeError."""
        self.rules = rules
        self.match = Match(rules.game(), size)
        self.thinker = Thinker(self.game, seed, limits)
        self.control: TimeControl | None = None
        self.clocks: dict[int, Clock] = {}
        self.resign_below = resign_below
        self._seed = seed
        self._random = Random(seed)

    @property
    def game(self) -> Game[Any]:
        """What is played."""
        return self.match.game

    def set_game(self, rules: Rules) -> None:
        """Play another game from its beginning, on its usual board, at its best. Raises SizeError."""
        match = Match(rules.game())
        self.thinker = Thinker(match.game, self._seed, self.thinker.limits)
        self.match, self.rules = match, rules
        self.wind_clocks()

    def begin(self, size: int | None, setup: Setup | None = None) -> None:
        """Begin again. Raises SizeError, IllegalMoveError, NotApplicableError."""
        self.match = Match(self.game, size, setup)
        self.thinker.new_game()
        self.wind_clocks()

    def set_komi(self, komi: float) -> None:
        """Go on with another komi; in a game without that changes nothing. Raises SizeError."""
        if self.game.komi is None:
            return
        rules = replace(self.rules, options={**self.rules.options, "komi": str(komi)})
        self.match = self.match.replayed(rules.game())
        self.rules = rules
        self.thinker.adopt(self.game)

    def take_over(self, rules: Rules, match: Match) -> None:
        """Go on with a game that was begun elsewhere."""
        self.rules, self.match = rules, match
        self.thinker.adopt(self.game)
        self.thinker.new_game()
        self.wind_clocks()

    def set_time(self, control: TimeControl) -> None:
        """Set the clocks of all players."""
        self.control = None if control.unlimited else control
        self.wind_clocks()

    def wind_clocks(self) -> None:
        """Set them as at the beginning of a game."""
        control = self.control
        self.clocks = {} if control is None else {n: wound(control) for n in range(self.game.players)}

    def roll(self) -> str:
        """Let chance decide, and tell what came. Raises GtpError."""
        state = self._turned(CHANCE)
        move = sample(state, self._random.random)
        text = self.game.text(state, move)
        self.match.play(state, move)
        return text

    def generate(self, player: int) -> str:
        """Find a move for a player, play it, and tell it, or `resign`; the clock runs. Raises GtpError."""
        began = monotonic()
        if self._has_passed(player):
            return NO_MORE
        state = self._turned(player)
        decision = self.thinker.choose(state, self._seconds_for(player))
        if is_hopeless(self.game, decision, self.resign_below):
            text = RESIGN
        else:
            text = self.game.text(state, decision.move)
            self.match.play(state, decision.move)
        if self.control is not None:
            self.clocks[player] = after(self.clocks[player], self.control, monotonic() - began)
        return text

    def suggest(self, player: int) -> str:
        """Find a move, always the same one, without playing it. Raises GtpError."""
        if player == CHANCE:
            state = self._turned(player)
            return self.game.text(state, sample(state, Random(self._seed).random))
        if self._has_passed(player):
            return NO_MORE
        state = self._turned(player)
        return self.game.text(state, self.thinker.choose_again(state).move)

    def _has_passed(self, player: int) -> bool:
        """Whether all have passed, and nothing can be played any more."""
        return self.match.over and self.match.has_points and self.match.turned(player) is None

    def _turned(self, player: int) -> State:
        state: State | None = self.match.turned(player)
        if state is not None:
            return state
        if self.match.over:
            raise GtpError(GAME_OVER)
        players = self.game.players
        waiting = colour_name(self.match.state.player, players)
        raise GtpError(f"it is the turn of {waiting}, not of {colour_name(player, players)}")

    def _seconds_for(self, player: int) -> float | None:
        if self.control is None:
            return None
        match = self.match
        size = match.size or next(iter(match.game.sizes), None)
        to_go = moves_to_go(match.game.name, size, match.game.players, len(match.played))
        return seconds_for_move(self.clocks[player], self.control, to_go)


def is_hopeless(game: Game[Any], decision: Decision, below: float) -> bool:
    """Whether to give up a game of two, the chance of winning being smaller than `below`, 0 … 1.

    Only random games, enough of them, tell that chance: the mean payoff of the move most tried, on a scale
    from the game's least, 0, to its greatest, 1.
    """
    if not decision.tried or game.players != 2 or not game.zero_sum:
        return False
    best = decision.tried[0]
    least, greatest = game.payoffs
    enough = sum(each.visits for each in decision.tried) >= _ENOUGH
    return enough and best.mean - least < below * (greatest - least)
