"""Levels of difficulty: for each game a ladder of searchers, chosen by what kind of game it is.

A level is a searcher, its options, and limits in depth or playouts, not in time: a level is as strong on
every machine.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from engine.general.limits import Limits
from engine.general.searchers import SEARCHERS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.games.interface import Game


@dataclass(frozen=True, slots=True)
class Level:
    """How to play at a level; 1 is the weakest."""

    number: int
    searcher: str
    options: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)


_Rung = tuple[str, Limits]

_WEAKEST: tuple[_Rung, ...] = (("random", Limits(playouts=1)),)

_SAMPLING: tuple[_Rung, ...] = tuple(
    ("treesearch", Limits(playouts=playouts)) for playouts in (30, 100, 300, 1_000, 3_000, 10_000, 100_000)
)
"""Two players, compiled states."""

_DEEPENING: tuple[_Rung, ...] = (
    ("alphabeta", Limits(depth=1)),
    ("alphabeta", Limits(depth=2)),
    ("alphabeta", Limits(depth=4)),
    ("enhanced", Limits(depth=6)),
    ("enhanced", Limits(nodes=100_000)),
)
"""Two players, read state by state."""

_CHANCE: tuple[_Rung, ...] = (
    ("uct", Limits(playouts=30)),
    ("expectiminimax", Limits(depth=1)),
    ("expectiminimax", Limits(depth=2)),
)
"""Two players and chance."""

_MANY: tuple[_Rung, ...] = (
    ("maxn", Limits(depth=1)),
    ("maxn", Limits(depth=2)),
    ("paranoid", Limits(depth=2)),
    ("bestreply", Limits(depth=3)),
    ("paranoid", Limits(depth=4)),
)
"""More than two players."""

_UNEQUAL: tuple[_Rung, ...] = (
    ("maxn", Limits(depth=1)),
    ("maxn", Limits(depth=2)),
    ("maxn", Limits(depth=4)),
    ("maxn", Limits(nodes=100_000)),
)
"""Payoffs that do not add up to 0."""


def levels(game: Game[Any]) -> tuple[Level, ...]:
    """All levels of a game, the weakest first."""
    rungs = (*_WEAKEST, *_ladder(game))
    possible = [
        (name, limits)
        for name, limits in rungs
        if name in SEARCHERS and SEARCHERS[name].obstacle(game) is None
    ]
    return tuple(Level(i + 1, name, limits=limits) for i, (name, limits) in enumerate(possible))


def _ladder(game: Game[Any]) -> tuple[_Rung, ...]:
    if not game.zero_sum:
        return _UNEQUAL
    if game.players > 2:
        return _MANY
    if game.chance:
        return _CHANCE
    can_sample = "treesearch" in SEARCHERS and SEARCHERS["treesearch"].obstacle(game) is None
    return _SAMPLING if can_sample else _DEEPENING
