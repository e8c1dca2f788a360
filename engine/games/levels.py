"""Levels of difficulty: for each game a ladder of searchers, chosen by what kind of game it is.

Levels limit depth, nodes or playouts, not time, and so are as strong on every machine. Not compiled, Go and
Connect Four lack their networks, and are weaker. Matches between neighbours confirmed the order on
tic-tac-toe, Othello, Connect Four, Virus (4 players), Focus (3) and, for `expectiminimax`, backgammon.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from engine.games.rules.game import OVER, Game
from engine.games.search.basics import SearchLimits
from engine.games.searchers import SEARCHERS, policy


@dataclass(frozen=True, slots=True)
class Level:
    """How to play at a level; 1 is the weakest."""

    number: int
    searcher: str
    options: Mapping[str, str] = field(default_factory=dict)
    limits: SearchLimits = field(default_factory=SearchLimits)


LONG = 280
"""Plies of a random game beyond which sampling is not used.

In Virus, over after 256 at the latest, it still wins; in Focus, which goes on for 300 and more, it lost to
Best-Reply Search three plies deep with fifty times the time.
"""
_Rung = tuple[str, SearchLimits]


def _rungs(searcher: str, limit: str, *numbers: int) -> tuple[_Rung, ...]:
    return tuple((searcher, SearchLimits(**{limit: number})) for number in numbers)


# Two players, compiled states.
_SAMPLING = _rungs("uct-fast", "playouts", 30, 100, 300, 1_000, 3_000, 10_000, 100_000)
# Othello.
_PATTERNS = (
    *_SAMPLING[:4],
    *_rungs("patterns", "depth", 2, 4),
    *_rungs("patterns", "nodes", 30_000, 300_000, 3_000_000),
)
# A network has learned on this very board, as in Connect Four; in Go UCT asks it.
_LEARNED = (*_SAMPLING[:4], *_rungs("puct-fast", "playouts", 100, 1_000, 10_000))
# Two players, states in Python.
_DEEPENING = (
    *_rungs("alphabeta", "depth", 1, 2, 4),
    ("enhanced", SearchLimits(depth=6, nodes=30_000)),
    ("enhanced", SearchLimits(nodes=100_000)),
)
# Dice.
_CHANCE = (
    *_rungs("montecarlo", "playouts", 30),
    *_rungs("uct", "playouts", 300),
    *_rungs("expectiminimax", "depth", 1, 2),
)
# More than two players; the same where random games end soon.
_MANY = (*_rungs("maxn", "depth", 1), *_rungs("bestreply-fast", "depth", 2, 3, 4))
_MANY_SAMPLING = (*_MANY[:2], *_rungs("uct-fast", "playouts", 1_000, 3_000, 10_000))
# Payoffs that do not add up to 0, and games of more than two players that are not compiled.
_UNEQUAL = (*_rungs("maxn", "depth", 1, 2, 4), *_rungs("maxn", "nodes", 100_000))


def levels(game: Game[Any]) -> tuple[Level, ...]:
    """All levels of a game, the weakest first."""
    rungs = (*_rungs("random", "playouts", 1), *_ladder(game))
    possible = [(name, limits) for name, limits in rungs if _can(name, game)]
    return tuple(Level(i + 1, name, limits=limits) for i, (name, limits) in enumerate(possible))


def _ladder(game: Game[Any]) -> tuple[_Rung, ...]:
    if not game.zero_sum:
        return _UNEQUAL
    if game.chance:
        solving = _rungs("maxn" if game.players > 2 else "expectiminimax", "nodes", 100_000)
        return (*_CHANCE, *solving) if game.name == "tree" else _CHANCE
    if _can("patterns", game):
        return _PATTERNS
    if _has_a_network_for_puct(game):
        return _LEARNED
    sampling = _can("uct-fast", game) and _is_soon_over(game)
    if game.players > 2:
        deepening = _MANY if _can("bestreply-fast", game) else _UNEQUAL
        return _MANY_SAMPLING if sampling else deepening
    return _SAMPLING if sampling else _DEEPENING


def _can(name: str, game: Game[Any]) -> bool:
    return name in SEARCHERS and SEARCHERS[name].obstacle(game) is None


def _has_a_network_for_puct(game: Game[Any]) -> bool:
    """Whether one is shipped for this board and compiled, and UCT does not ask it."""
    if not _can("puct-fast", game) or not policy(game):
        return False
    from engine.games.networks.file import KnownNetworks  # noqa: PLC0415 - seldom needed

    return KnownNetworks(game, "shipped").fitting(game.start()) is not None


def _is_soon_over(game: Game[Any]) -> bool:
    state, random = game.start(), Random(0)
    for _ in range(LONG):
        if state.player == OVER:
            break
        state = state.play(random.choice(state.moves()))
    return bool(state.player == OVER)
