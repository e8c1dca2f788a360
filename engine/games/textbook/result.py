"""What a search finds out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.games.textbook.limits import Counts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.games.rules.interface import Move


@dataclass(frozen=True, slots=True)
class Result:
    """The value of a state, and the line of play that leads to it: the first move is the one to play.

    `value` is that of the player to move at the root; `values`, where a searcher has them, are those of all
    players. The line is empty where the game is over or no move was looked at.
    """

    value: float
    line: tuple[Move, ...] = ()
    values: tuple[float, ...] | None = None


@dataclass(frozen=True, slots=True)
class Tried:
    """What sampling knows of one root move: how often it was tried, and the mean payoff of the mover."""

    move: Move
    visits: int
    mean: float


@dataclass(frozen=True, slots=True)
class Decision:
    """What a player has decided.

    `value`, `values` and `line` are those of Result; `depth` is the last that was finished, 0 where there is
    no such thing; `exact` tells whether the value is that of the game, no estimate in it. `tried` are the
    root moves, the most visited first; empty where nothing is sampled.
    """

    move: Move
    value: float | None = None
    values: Sequence[float] | None = None
    line: tuple[Move, ...] = ()
    depth: int = 0
    exact: bool = False
    seconds: float = 0.0
    counts: Counts = field(default_factory=Counts)
    tried: tuple[Tried, ...] = ()
