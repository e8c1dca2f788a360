"""How long a search may go on, and the counting of what it does."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_LOOK_EVERY = 64  # nodes between looks at the clock
_COMPILED_LOOK_EVERY = 4096


class SearchStoppedError(Exception):
    """A limit is reached, or somebody has said stop: what the search was about to find out is lost."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Where a search ends: at whichever comes first; None is no limit.

    `seconds` from the beginning, `depth` in plies, `nodes` visited, `playouts` of sampling searchers.
    """

    seconds: float | None = None
    depth: int | None = None
    nodes: int | None = None
    playouts: int | None = None


@dataclass(frozen=True, slots=True)
class Counts:
    """What a search has done.

    Nodes visited; those expanded, that is, whose moves were looked at; and leaves, where the game was over
    or the search went no deeper. Playouts are random games, or simulations of a tree search.
    """

    visited: int = 0
    expanded: int = 0
    leaves: int = 0
    playouts: int = 0


class Meter:
    """Counts for one search, and stops it by SearchStoppedError."""

    def __init__(self, limits: Limits | None = None, stopped: Callable[[], bool] | None = None) -> None:
        """`stopped` is asked every now and then; the clock runs from here on."""
        self._limits = limits or Limits()
        self._stopped = stopped
        self._began = monotonic()
        self._most_nodes = self._limits.nodes
        self.visited = 0
        self.expanded = 0
        self.leaves = 0
        self.playouts = 0

    @property
    def seconds(self) -> float:
        """Since the search began."""
        return monotonic() - self._began

    @property
    def counts(self) -> Counts:
        """All of them, as they are now."""
        return Counts(self.visited, self.expanded, self.leaves, self.playouts)

    def visit(self) -> None:
        """Count a node that is entered. Raises SearchStoppedError."""
        if self._most_nodes is not None and self.visited >= self._most_nodes:
            raise SearchStoppedError
        self.visited += 1
        if self.visited % _LOOK_EVERY == 0:
            self.look()

    def expand(self) -> None:
        """Count a node whose moves are looked at."""
        self.expanded += 1

    def leaf(self) -> None:
        """Count a node that is judged as it stands."""
        self.leaves += 1

    def add(self, visited: int, expanded: int, leaves: int) -> None:
        """Count what a compiled search has done since it last said so."""
        self.visited += visited
        self.expanded += expanded
        self.leaves += leaves

    def allowance(self) -> int:
        """How many nodes a compiled search may visit until it asks again. Raises SearchStoppedError."""
        self.look()
        if self._most_nodes is None:
            return _COMPILED_LOOK_EVERY
        if self.visited >= self._most_nodes:
            raise SearchStoppedError
        return min(_COMPILED_LOOK_EVERY, self._most_nodes - self.visited)

    def play_out(self) -> None:
        """Count a random game. Raises SearchStoppedError where no more are allowed."""
        limits = self._limits
        if limits.playouts is not None and self.playouts >= limits.playouts:
            raise SearchStoppedError
        self.look()
        self.playouts += 1

    def look(self) -> None:
        """At the clock, and whether somebody has said stop. Raises SearchStoppedError."""
        if self._limits.seconds is not None and self.seconds >= self._limits.seconds:
            raise SearchStoppedError
        if self._stopped is not None and self._stopped():
            raise SearchStoppedError
