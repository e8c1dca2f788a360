"""`scripts/lab match-mcts`: Lolli's tree search against OpenSpiel's, with both rules side by side."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass, field
from importlib import import_module
from random import Random
from typing import TYPE_CHECKING, Any, Protocol

import click

from engine.games.players.catalogue import game
from engine.games.players.searcher_options import OptionError
from engine.games.players.searchers import player
from engine.games.textbook.search import SearchLimits
from protocol.cli.shared_options import named_values
from scripts.laboratory.lab_options import (
    WIDE,
    amount_option,
    choice_option,
    count_option,
    require_even,
    seed_option,
)
from scripts.laboratory.long_run import RunDisplay, exit_status
from scripts.laboratory.statistics import elo_of, share_interval, share_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from engine.games.rules.game import Game, State


pyspiel: Any = import_module("pyspiel")  # it has no annotations

_MOST_SIMULATIONS = 1 << 30
_MEGABYTES = 1000
_EXPLORATION = 2.0  # OpenSpiel's default, for payoffs from -1 to 1; it corresponds to our 1.0 for win rates


@dataclass(frozen=True, slots=True)
class MoveBudget:
    """The limit of a move: seconds or, if given, simulations."""

    seconds: float = 1.0
    simulations: int | None = None


class Side(Protocol):
    """A player that counts its simulations."""

    simulations: int

    def begin(self, seed: int) -> None:
        """Start a new game."""

    def choose(self, state: State, theirs: Any) -> int:
        """A move in `state`, which is `theirs` for OpenSpiel."""


class Lolli:
    """Lolli's tree search."""

    def __init__(self, game: Game[Any], budget: MoveBudget, options: Mapping[str, str]) -> None:
        """Raises OptionError."""
        self._game, self._options = game, options
        self._limits = SearchLimits(
            seconds=budget.seconds if budget.simulations is None else None, playouts=budget.simulations
        )
        self.simulations = 0
        self.begin(0)

    def begin(self, seed: int) -> None:
        """See Side."""
        self._player = player(self._game, "uct-fast", seed, self._options)

    def choose(self, state: State, theirs: Any) -> int:
        """See Side."""
        del theirs
        decision = self._player.choose(state, self._limits)
        self.simulations += decision.counts.playouts
        move: int = decision.move
        return move


class OpenSpiel:
    """OpenSpiel's MCTSBot: UCT with a solver and one random game per simulation."""

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


class RulesError(RuntimeError):
    """OpenSpiel's rules differ from ours."""


@dataclass(slots=True)
class MatchScore:
    """The points of the first side in each game: 1, ½ or 0. Both games of a pair have the same opening."""

    points: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """The share of the points."""
        return sum(self.points) / len(self.points)

    def line(self) -> str:
        """One line of text."""
        wins, draws = self.points.count(1.0), self.points.count(0.5)
        losses = len(self.points) - wins - draws
        elo, low, high = map(elo_of, (self.rate, *share_interval(self.points)))
        return (
            f"+{wins} ={draws} -{losses}  {share_text(self.points)}  Elo {elo:+.0f} [{low:+.0f}, {high:+.0f}]"
        )


def play_match(
    game: Game[Any], theirs: Any, sides: tuple[Side, Side], games: int, *, plies: int, seed: int
) -> Iterator[float]:
    """The points of the first side in each game; it moves first in even ones.

    `theirs` is OpenSpiel's game. Both games of a pair begin with the same `plies` random moves. Raises
    RulesError.
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
                raise RulesError(f"different legal moves after {mirror.history()}")
            move = order[state.player].choose(state, mirror)
            state = state.play(move)
            mirror.apply_action(move)
        if not mirror.is_terminal() or list(state.payoff()) != mirror.returns():
            raise RulesError(f"different results of {mirror.history()}")
        yield (state.payoff()[number % 2] + 1) / 2


def speed(game: Game[Any], theirs: Any, side: Side) -> float:
    """Simulations per second in the start position."""
    side.begin(0)
    before, began = side.simulations, time.perf_counter()
    side.choose(game.start(), theirs.new_initial_state())
    return (side.simulations - before) / (time.perf_counter() - began)


THEIR_NAMES = {"connectfour": "connect_four", "othello": "othello"}


@click.command(context_settings=WIDE)
@choice_option("--game", THEIR_NAMES, "connectfour", "Game to play.", to="name")
@count_option("--games", 40, "Number of games, even.", least=2)
@amount_option("--seconds", 1.0, "Seconds of each move.", above_least=True)
@count_option("--simulations", None, "Simulations of each move of both sides, instead of a time.")
@count_option("--plies", 4, "Random plies at the start of each pair.", least=0, most=6)
@click.option(
    "--option", "options", multiple=True, metavar="NAME=VALUE", help="Option of the tree search; repeatable."
)
@seed_option("openings and both sides")
@click.option("--json", "as_json", is_flag=True, help="Print only the result, as JSON.")
def match_mcts(
    name: str,
    games: int,
    seconds: float,
    simulations: int | None,
    plies: int,
    options: tuple[str, ...],
    seed: int,
    as_json: bool,
) -> None:
    """Play Lolli's tree search against OpenSpiel's MCTSBot: UCT with a solver, written in C++.

    Both have the same time for a move, and make as many simulations as they can. The games come in pairs with
    the same opening and reversed sides. Percentages and Elo are Lolli's, with 95% intervals.
    """
    require_even(games, "openings")
    ours, budget, score = game(name), MoveBudget(seconds, simulations), MatchScore()
    theirs = pyspiel.load_game(THEIR_NAMES[name])
    try:
        sides = Lolli(ours, budget, named_values("--option", options)), OpenSpiel(THEIR_NAMES[name], budget)
    except OptionError as error:
        raise click.UsageError(str(error)) from error
    speeds: list[float] = []

    def play_on() -> None:
        speeds.extend(speed(ours, theirs, side) for side in sides)
        if not as_json:
            display.say(f"simulations per second at the start: {speeds[0]:,.0f} and {speeds[1]:,.0f}")
        for points in play_match(ours, theirs, sides, games, plies=plies, seed=seed):
            score.points.append(points)
            if not as_json:
                display.show(len(score.points), score.line())

    with RunDisplay("games", games, 0, 10) as display:
        status = exit_status(play_on, display.say, RulesError)
    if score.points and (status == 0 or not as_json):
        report(score, speeds, as_json=as_json)
    sys.exit(status)


def report(score: MatchScore, speeds: list[float], *, as_json: bool) -> None:
    """Print the result."""
    if not as_json:
        print(score.line())
        return
    print(
        json.dumps(
            {
                "games": len(score.points),
                "wins": score.points.count(1.0),
                "draws": score.points.count(0.5),
                "rate": score.rate,
                "interval": share_interval(score.points),
                "simulations per second": speeds,
            }
        )
    )
