"""What every search is given, and what it finds: limits, a meter that counts nodes, and the result."""

from __future__ import annotations

from dataclasses import astuple, dataclass, field
from operator import add, sub
from time import monotonic
from typing import TYPE_CHECKING, TypeAlias

from engine.games.rules.game import OVER

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine.games.rules.game import Move, State

    Estimate: TypeAlias = Callable[[State], Sequence[float]]
    """One number for each player: what a state may be worth, without looking ahead."""
    Found: TypeAlias = tuple[float, tuple[Move, ...]]
    """The value of a state for MAX, and the best line from there."""
    Search: TypeAlias = Callable[[State, int, Estimate, "Meter"], "Result"]
    """A search to a fixed depth: `search(state, depth, estimate, meter)`."""

_LOOK_EVERY = 64  # nodes between looks at the clock
_COMPILED_LOOK_EVERY = 4096


class SearchStoppedError(Exception):
    """A limit is reached, or `stop` was called: what the search was about to find out is lost."""


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """Where a search ends: at whichever limit comes first; None is no limit.

    `seconds` from the beginning, `depth` in plies, `nodes` visited, `playouts` of sampling searchers.
    """

    seconds: float | None = None
    depth: int | None = None
    nodes: int | None = None
    playouts: int | None = None


@dataclass(frozen=True, slots=True)
class Counts:
    """What a search has done.

    Nodes visited; nodes expanded, that is, whose moves were looked at; and leaves, where the game was over
    or the search went no deeper. Playouts are random games, or simulations of a tree search.
    """

    visited: int = 0
    expanded: int = 0
    leaves: int = 0
    playouts: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(*map(add, astuple(self), astuple(other)))

    def __sub__(self, other: Counts) -> Counts:
        return Counts(*map(sub, astuple(self), astuple(other)))


class Meter:
    """Counts the nodes of one search, and ends it by SearchStoppedError."""

    def __init__(self, limits: SearchLimits | None = None, stopped: Callable[[], bool] | None = None) -> None:
        """The clock starts here. `stopped()` is asked every now and then whether to end the search."""
        self._limits = limits or SearchLimits()
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
        """The counts up to this moment."""
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
        """Count the nodes of a compiled search since it last called this."""
        self.visited += visited
        self.expanded += expanded
        self.leaves += leaves

    def allowance(self) -> int:
        """How many nodes a compiled search may visit before it asks again. Raises SearchStoppedError."""
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
        """Look at the clock, and whether to stop. Raises SearchStoppedError."""
        if self._limits.seconds is not None and self.seconds >= self._limits.seconds:
            raise SearchStoppedError
        if self._stopped is not None and self._stopped():
            raise SearchStoppedError


def leaf_values(state: State, depth: int, estimate: Estimate, meter: Meter) -> Sequence[float] | None:
    """One number for each player if the search goes no deeper, else None. Counts the node.

    The payoffs where the game is over (the lecture's terminal test and utility), the estimate where no plies
    are left (cut-off and evaluation). Raises SearchStoppedError.
    """
    meter.visit()
    if state.player == OVER:
        meter.leaf()
        return state.payoff()
    if depth <= 0:
        meter.leaf()
        return estimate(state)
    meter.expand()
    return None


@dataclass(frozen=True, slots=True)
class Result:
    """The value of a state, and the line of play that leads to it: the first move is the one to play.

    `value` is for the player to move at the root; `values`, where a searcher has them, are for each player.
    The line is empty where the game is over or no move was looked at.
    """

    value: float
    line: tuple[Move, ...] = ()
    values: tuple[float, ...] | None = None


@dataclass(frozen=True, slots=True)
class Tried:
    """What sampling has found out about one root move: its visits, and the mean payoff of the mover."""

    move: Move
    visits: int
    mean: float


@dataclass(frozen=True, slots=True)
class Decision:
    """What a player has decided.

    `value`, `values` and `line` are as in Result; `depth` is the last one finished, 0 for a searcher without
    depths; `exact`: the value is that of the game, with no estimate in it. `counts` are those of all depths,
    `last_depth` those of the last one finished alone. `limits` are those that held, the player's own where
    none were given. `tried` are the root moves, the most visited first; empty where nothing is sampled.
    """

    move: Move
    value: float | None = None
    values: Sequence[float] | None = None
    line: tuple[Move, ...] = ()
    depth: int = 0
    exact: bool = False
    seconds: float = 0.0
    counts: Counts = field(default_factory=Counts)
    last_depth: Counts | None = None
    limits: SearchLimits = field(default_factory=SearchLimits)
    tried: tuple[Tried, ...] = ()
