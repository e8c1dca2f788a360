"""Nodes and time to a depth, and strength with the same time a move."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from statistics import mean
from typing import TYPE_CHECKING, Any

from engine.games.players.catalogue import game as make_game
from engine.games.rules.interface import CHANCE, OVER
from engine.games.textbook.limits import Limits
from protocol.cli.tournaments.contest import Contest
from protocol.cli.tournaments.entrant import entrants
from protocol.cli.tournaments.run import Tournament
from protocol.cli.tournaments.schedule import games, schedule
from protocol.cli.tournaments.standings import Standings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from engine.games.rules.interface import Game, State
    from scripts.laboratory.games.searchers.families import SearcherSetting

_MOST_DRAWS = 10_000  # of positions, until enough have a player to move


@dataclass(frozen=True, slots=True)
class SearchEffort:
    """Means of one search to a depth: nodes visited, expanded, leaves, and seconds."""

    searcher: str
    depth: int
    visited: float
    expanded: float
    leaves: float
    seconds: float


def efforts(setting: SearcherSetting, positions: int, seed: int) -> Iterator[SearchEffort]:
    """One after the other; all on the same positions."""
    game = make_game(setting.game, setting.seats)
    states = list(_positions(game, setting, positions, seed))
    for text, depth in setting.depths:
        (entrant,) = entrants([text], game, Limits())
        found = []
        for state in states:
            player = entrant.player(game, seed)
            found.append(player.choose(state, Limits(depth=depth)))
        yield SearchEffort(
            text,
            depth,
            mean(each.counts.visited for each in found),
            mean(each.counts.expanded for each in found),
            mean(each.counts.leaves for each in found),
            mean(each.seconds for each in found),
        )


def strength(
    setting: SearcherSetting, seconds: float, rounds: int, jobs: int, ended: Callable[[], None]
) -> Standings:
    """Everybody against everybody; `ended` is told of each game."""
    game = make_game(setting.game, setting.seats)
    contest = Contest(
        setting.game,
        game.players,
        {},
        setting.size,
        entrants(setting.players, game, Limits(seconds=seconds)),
        opening_plies=2,
        seed=1,
    )
    standings = Standings(contest)

    def add(played: Any) -> None:
        standings.add(played)
        ended()

    Tournament(contest, jobs).run(schedule(len(setting.players), game.players, rounds), add)
    return standings


def count_games(setting: SearcherSetting, rounds: int) -> int:
    """How many games `strength` plays."""
    return games(len(setting.players), make_game(setting.game, setting.seats).players, rounds)


def _positions(game: Game[Any], setting: SearcherSetting, count: int, seed: int) -> Iterator[State]:
    """States after random moves, with a player to move and a choice."""
    chooser = Random(seed)
    made = 0
    for _ in range(_MOST_DRAWS):
        state = game.start(setting.size)
        plies = 0
        while state.player != OVER and (plies < setting.plies or state.player == CHANCE):
            state = state.play(chooser.choice(state.moves()))
            plies += 1
        if state.player >= 0 and len(state.moves()) > 1:
            yield state
            made += 1
        if made == count:
            return
