"""The two who play, each asked for a move in a given time."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from engine.games.players.searchers import player
from engine.games.textbook.limits import Limits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.games.rules.interface import Game, State

pyspiel: Any = import_module("pyspiel")  # it has no annotations

_MOST_SIMULATIONS = 1 << 30
_MEGABYTES = 1000
_EXPLORATION = 2.0  # OpenSpiel's own default, for payoffs from -1 to 1: our 1.0 for win rates


@dataclass(frozen=True, slots=True)
class MoveBudget:
    """What a side may use for a move: seconds, or so many simulations."""

    seconds: float = 1.0
    simulations: int | None = None


class Side(Protocol):
    """Somebody who plays, and counts what that takes."""

    simulations: int

    def begin(self, seed: int) -> None:
        """A new game."""

    def choose(self, state: State, theirs: Any) -> int:
        """A move in a state, which `theirs` is in OpenSpiel's eyes."""


class Lolli:
    """Our tree search."""

    def __init__(self, game: Game[Any], budget: MoveBudget, options: Mapping[str, str]) -> None:
        """Raises OptionError."""
        self._game, self._options = game, options
        self._limits = Limits(
            seconds=budget.seconds if budget.simulations is None else None, playouts=budget.simulations
        )
        self.simulations = 0
        self.begin(0)

    def begin(self, seed: int) -> None:
        """See Side."""
        self._player = player(self._game, "treesearch", seed, self._options)

    def choose(self, state: State, theirs: Any) -> int:
        """See Side."""
        del theirs
        decision = self._player.choose(state, self._limits)
        self.simulations += decision.counts.playouts
        move: int = decision.move
        return move


class OpenSpiel:
    """OpenSpiel's MCTSBot, which is C++: UCT with a solver and one random game a simulation."""

    def __init__(self, game: str, budget: MoveBudget) -> None:
        self._game = pyspiel.load_game(game)
        self._budget = budget
        self.simulations = 0
        self.begin(0)

    def begin(self, seed: int) -> None:
        """See Side."""
        budget = self._budget
        self._bot = pyspiel.MCTSBot(
            self._game,
            pyspiel.RandomRolloutEvaluator(1, seed),
            _EXPLORATION,
            budget.simulations or _MOST_SIMULATIONS,
            _MEGABYTES,
            True,  # solve
            seed,
            False,  # verbose
            pyspiel.ChildSelectionPolicy.UCT,
            -1.0 if budget.simulations else budget.seconds,
        )

    def choose(self, state: State, theirs: Any) -> int:
        """See Side."""
        del state
        root = self._bot.mcts_search(theirs)
        self.simulations += root.explore_count
        move: int = root.best_child().action
        return move
