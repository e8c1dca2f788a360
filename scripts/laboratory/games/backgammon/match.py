"""Games of backgammon in pairs with the same dice, sides exchanged, and what they say about strength."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from statistics import fmean
from typing import TYPE_CHECKING, TypeAlias

from engine.games.rules.interface import CHANCE, OVER
from scripts.laboratory.matches.statistics import pair_margin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from engine.games.rules.backgammon.game import BackgammonGame
    from engine.games.rules.backgammon.rules import Backgammon

    Chooser: TypeAlias = Callable[[Backgammon], int]

_WIDEST = 6  # points between winning and losing a backgammon


@dataclass(slots=True)
class BackgammonScore:
    """The points of one of two players, negative where it lost, in the order of the games."""

    points: list[float] = field(default_factory=list)

    @property
    def wins(self) -> int:
        """How many games were won."""
        return sum(points > 0 for points in self.points)

    def line(self) -> str:
        """Points and wins a game, each with its 95% interval; pairs of games are what is independent."""
        won = [float(points > 0) for points in self.points]
        return (
            f"{len(self.points)} games: {_mean(self.points, _WIDEST, '+.3f')} points a game,"
            f" {_mean([100 * each for each in won], 100, '.1f')} % won"
        )


def _mean(values: list[float], widest: float, form: str) -> str:
    """The mean, and how far the 95% interval reaches to either side."""
    pairs = [fmean(values[i : i + 2]) for i in range(0, len(values) - 1, 2)]
    return f"{fmean(values):{form}} ± {pair_margin(pairs, widest):{form.lstrip('+')}}"


def play_match(
    game: BackgammonGame, ours: Chooser, theirs: Chooser, games: int, seed: int
) -> Iterator[float]:
    """Our points in each of an even number of games. In the second of a pair the sides are exchanged."""
    for pair in range(games // 2):
        dice = f"{seed} {pair}"
        yield play(game, (ours, theirs), Random(dice))
        yield -play(game, (theirs, ours), Random(dice))


def play(game: BackgammonGame, players: tuple[Chooser, Chooser], dice: Random) -> float:
    """The payoff of the first player."""
    state = game.start()
    while state.player != OVER:
        if state.player == CHANCE:
            rolls, weights = zip(*state.chances(), strict=True)
            move = dice.choices(rolls, weights)[0]
        else:
            move = players[state.player](state)
        state = state.play(move)
    return state.payoff()[0]
