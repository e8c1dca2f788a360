"""Games between two sides, kept by our rules and OpenSpiel's at once."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any

from scripts.laboratory.matches.statistics import elo_of, pair_margin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.games.rules.interface import Game
    from scripts.laboratory.games.mcts.sides import Side


class RulesError(RuntimeError):
    """OpenSpiel's rules are others than ours."""


@dataclass(slots=True)
class MatchScore:
    """Points of the first side, 1, ½ or 0 a game; the two games of a pair share an opening."""

    points: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """The share of the points."""
        return sum(self.points) / len(self.points)

    @property
    def margin(self) -> float:
        """Half of the 95% interval of the rate, from pairs, whose games are not independent."""
        return pair_margin([(a + b) / 2 for a, b in zip(self.points[::2], self.points[1::2], strict=False)])

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the rate, within 0 … 1."""
        return max(self.rate - self.margin, 0.0), min(self.rate + self.margin, 1.0)

    def line(self) -> str:
        """For people."""
        wins, draws = self.points.count(1.0), self.points.count(0.5)
        losses = len(self.points) - wins - draws
        elo, low, high = map(elo_of, (self.rate, *self.interval))
        return (
            f"+{wins} ={draws} -{losses}  {100 * self.rate:.1f}% ± {100 * self.margin:.1f}"
            f"  Elo {elo:+.0f} [{low:+.0f}, {high:+.0f}]"
        )


def play_match(
    game: Game[Any], theirs: Any, sides: tuple[Side, Side], games: int, *, plies: int, seed: int
) -> Iterator[float]:
    """The points of the first side, game after game; it begins in games with even numbers.

    `theirs` is OpenSpiel's game. Each pair of games begins with the same random moves, `plies` of them.
    Raises RulesError.
    """
    for number in range(games):
        opening = Random(f"{seed}/{number // 2}")
        state, mirror = game.start(), theirs.new_initial_state()
        for _ in range(plies):
            move = opening.choice(state.moves())
            state = state.play(move)
            mirror.apply_action(move)
        for i, side in enumerate(sides):
            side.begin(2 * (seed + number) + i)
        order = sides if number % 2 == 0 else sides[::-1]
        while state.player >= 0:
            if list(state.moves()) != list(mirror.legal_actions()):
                raise RulesError(f"other legal moves after {mirror.history()}")
            move = order[state.player].choose(state, mirror)
            state = state.play(move)
            mirror.apply_action(move)
        if not mirror.is_terminal() or list(state.payoff()) != mirror.returns():
            raise RulesError(f"another result of {mirror.history()}")
        yield (state.payoff()[number % 2] + 1) / 2


def speed(game: Game[Any], theirs: Any, side: Side) -> float:
    """Simulations a second in the starting position."""
    side.begin(0)
    before, began = side.simulations, time.perf_counter()
    side.choose(game.start(), theirs.new_initial_state())
    return (side.simulations - before) / (time.perf_counter() - began)
