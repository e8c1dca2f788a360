"""Random games for any number of players: what a searcher has to get right, in small."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING, Any

from engine.games.rules.game import CHANCE, OVER, NotApplicableError

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Rules:
    """What is random; shares are of all states, in percent."""

    seed: int
    players: int
    plies: int = 6
    most_moves: int = 4
    zero_sum: bool = True
    chance: int = 0
    over: int = 5
    eliminating: int = 0
    immobile: int = 0
    coarse: bool = False


@dataclass(frozen=True, slots=True)
class RandomState:
    """What has been played so far, by whom; the rest is drawn from it.

    Players take turns, those who have dropped out are passed over; chance may come before the next player.
    """

    rules: Rules
    player: int = 0
    path: tuple[tuple[int, int], ...] = ()
    out: frozenset[int] = frozenset()
    before_chance: int = 0

    def _draw(self, what: str, *more: int) -> Random:
        return Random(f"{self.rules.seed} {self.path} {what} {more}")

    def moves(self) -> Sequence[int]:
        """At least one, unless the rules let players be immobile out of their turn."""
        if self.player == OVER:
            return ()
        lot = self._draw("moves", self.player)
        asked_out_of_turn = bool(self.path) and self.player != self._next()
        if asked_out_of_turn and lot.randrange(100) < self.rules.immobile:
            return ()
        return tuple(range(lot.randint(1, self.rules.most_moves)))

    def play(self, move: int) -> RandomState:
        """Whoever is on the move may knock somebody out, and the next one may have to wait for chance."""
        after = replace(self, path=(*self.path, (self.player, move)), before_chance=0)
        lot = after._draw("after")
        mover = self.before_chance if self.player == CHANCE else self.player
        playing = [player for player in range(self.rules.players) if player not in self.out]
        if self.player >= 0 and lot.randrange(100) < self.rules.eliminating:
            playing.remove(lot.choice(playing))
            after = replace(after, out=frozenset(range(self.rules.players)) - frozenset(playing))
        if len(after.path) >= self.rules.plies or len(playing) < 2 or lot.randrange(100) < self.rules.over:
            return replace(after, player=OVER)
        if self.player != CHANCE and lot.randrange(100) < self.rules.chance:
            return replace(after, player=CHANCE, before_chance=mover)
        return replace(after, player=after._following(mover))

    def chances(self) -> Sequence[tuple[int, float]]:
        weights = [self._draw("chance", move).randint(1, 5) for move in self.moves()]
        return [(move, weight / sum(weights)) for move, weight in enumerate(weights)]

    def payoff(self) -> Sequence[float]:
        """From -1 to 1; coarse ones are often equal."""
        return self.estimate()

    def estimate(self) -> Sequence[float]:
        players = self.rules.players
        lot = self._draw("worth")
        coarse = self.rules.coarse
        worth = [float(lot.randint(-2, 2)) if coarse else lot.uniform(-1, 1) for _ in range(players)]
        if self.rules.zero_sum and players == 2:
            return (worth[0], -worth[0])
        mean = sum(worth) / players if self.rules.zero_sum else 0.0
        return tuple(one - mean for one in worth)

    def turn(self, player: int) -> RandomState:
        """Has a meaning as long as there is no chance."""
        if player in self.out or self.rules.chance:
            raise NotApplicableError
        return replace(self, player=player)

    def _next(self) -> int:
        return self._following(self.path[-1][0])

    def _following(self, player: int) -> int:
        players = self.rules.players
        order = [(player + i) % players for i in range(1, players + 1)]
        return next(each for each in order if each not in self.out)


def estimate(state: Any) -> Sequence[float]:
    worth: Sequence[float] = state.estimate()
    return worth
