"""What every search is given, and what it finds: limits, a meter that counts nodes, and the result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, field, replace
from math import inf
from operator import add, sub
from time import monotonic
from typing import Protocol, TypeAlias, TypeVar

from engine.games.rules.game import OVER, Move, State

Estimate: TypeAlias = Callable[[State], Sequence[float]]
"""One number for each player: what a state may be worth, without looking ahead."""
Found: TypeAlias = tuple[float, tuple[Move, ...]]
"""The value of a state for MAX, and the best line from there."""
Search: TypeAlias = Callable[[State, int, Estimate, "Meter"], "Result"]
"""A search to a fixed depth: `search(state, depth, estimate, meter)`."""

T = TypeVar("T")

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

    def with_playouts(self, playouts: int) -> SearchLimits:
        """These limits with `playouts`, if neither playouts nor seconds nor nodes are limited."""
        if self.playouts is None and self.seconds is None and self.nodes is None:
            return replace(self, playouts=playouts)
        return self


@dataclass(frozen=True, slots=True)
class Counts:
    """What a search has done.

    `expanded`: nodes whose moves were looked at; leaves: where the game was over or the search went no
    deeper. Playouts are random games, or simulations of a tree search.
    """

    visited: int = 0
    expanded: int = 0
    leaves: int = 0
    playouts: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(*map(add, astuple(self), astuple(other)))

    def __sub__(self, other: Counts) -> Counts:
        return Counts(*map(sub, astuple(self), astuple(other)))


class Simulated(Protocol):
    """A node on the path of a simulation: a state, and the move that led to it.

    It may have a `prior`, the probability that a policy gave to the move, and a `policy`: that of each move
    from here.
    """

    state: State
    move: Move


class Meter:
    """Counts the nodes of one search, and ends it by SearchStoppedError. RecordingMeter also takes notes."""

    def __init__(self, limits: SearchLimits | None = None, stopped: Callable[[], bool] | None = None) -> None:
        """The clock starts here. `stopped()` is asked every now and then whether to end the search."""
        limits = limits or SearchLimits()
        self._stopped = stopped
        self._began = monotonic()
        self._seconds = limits.seconds
        self._most_nodes = limits.nodes
        self._most_playouts = inf if limits.playouts is None else limits.playouts
        self._next_look = self._after_nodes(_LOOK_EVERY)  # how many nodes there are then
        self.visited = 0
        self.expanded = 0
        self.leaves = 0
        self.playouts = 0

    @property
    def seconds(self) -> float:
        return monotonic() - self._began

    @property
    def counts(self) -> Counts:
        return Counts(self.visited, self.expanded, self.leaves, self.playouts)

    def visit(self, state: State | None = None, depth: int = 0) -> None:  # noqa: ARG002 - for other meters
        """Count a node that is entered, with `depth` plies left. Raises SearchStoppedError."""
        visited = self.visited
        if visited >= self._next_look:
            self._pause()
        self.visited = visited + 1

    def expand(
        self,
        moves: Iterable[T] = (),
        alpha: float | None = None,  # noqa: ARG002
        beta: float | None = None,  # noqa: ARG002
    ) -> Iterable[T]:
        """Count a node whose moves are looked at, and return them as they are, at CHANCE with probabilities.

        The window at first is from `alpha` to `beta`.
        """
        self.expanded += 1
        return moves

    def ask(
        self,
        opponents: Iterable[int],  # noqa: ARG002
        replies: Iterable[T],
        alpha: float,  # noqa: ARG002
        beta: float,  # noqa: ARG002
    ) -> Iterable[T]:
        """Count a node whose moves are those of several opponents, in the order in which they are asked.

        Return the replies as they are: opponent, move, and the state after it.
        """
        self.expanded += 1
        return replies

    def leaf(self, value: float | Sequence[float]) -> None:  # noqa: ARG002
        """Count a node that is evaluated without searching deeper; `value`, or one for each player."""
        self.leaves += 1

    def known(self, value: float) -> None:  # noqa: ARG002
        """Count a node that is left with what a table says of it."""
        self.leaves += 1

    def update(
        self, best: float | Sequence[float], alpha: float | None = None, beta: float | None = None
    ) -> None:
        """A better value was backed up, and the window is now from `alpha` to `beta`."""

    def cut(self, alpha: float, beta: float) -> None:
        """The rest of the moves is pruned, by this window."""

    def leave(self, value: float | Sequence[float]) -> None:
        """A node that was expanded is left with its value."""

    def verify(self, moves: Iterable[T]) -> Iterable[T]:
        """The moves, as they are, of a look aside: what is found has no part in the node's own value."""
        return moves

    def simulate(
        self, path: Sequence[Simulated], results: Sequence[float], exploration: float | None = None
    ) -> None:
        """A simulation was counted in the nodes of `path`, each player's result: from 0 to 1, PUCT's from -1.

        `exploration` is the c of the upper confidence bounds.
        """

    def sample(self, state: State, move: Move, results: Sequence[float]) -> None:
        """A random game after a move of `state` had this result, a payoff for each player."""

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
        if self.playouts >= self._most_playouts:
            raise SearchStoppedError
        self.look()
        self.playouts += 1

    def look(self) -> None:
        """Look at the clock, and whether to stop. Raises SearchStoppedError."""
        if self._seconds is not None and self.seconds >= self._seconds:
            raise SearchStoppedError
        if self._stopped is not None and self._stopped():
            raise SearchStoppedError

    def looking(self, items: Iterable[T]) -> Iterator[T]:
        """The items as they are, with a look every now and then. Raises SearchStoppedError."""
        for count, item in enumerate(items):
            if count % _LOOK_EVERY == 0:
                self.look()
            yield item

    def _pause(self) -> None:
        if self._most_nodes is not None and self.visited >= self._most_nodes:
            raise SearchStoppedError
        self.look()
        self._next_look = self._after_nodes(self.visited + _LOOK_EVERY)

    def _after_nodes(self, nodes: int) -> int:
        return nodes if self._most_nodes is None else min(nodes, self._most_nodes)


def sensible_moves(state: State) -> Sequence[Move]:
    """The moves of a state less those that do only harm, where it knows of any."""
    own: Callable[[], Sequence[Move]] = getattr(state, "sensible_moves", state.moves)
    return own()


def leaf_values(state: State, depth: int, estimate: Estimate, meter: Meter) -> Sequence[float] | None:
    """One number for each player if the search goes no deeper, else None. Counts the node.

    The payoffs where the game is over (the lecture's terminal test and utility), the estimate where no plies
    are left (cut-off and evaluation). Raises SearchStoppedError.
    """
    meter.visit(state, depth)
    if state.player == OVER:
        values = state.payoff()
    elif depth <= 0:
        values = estimate(state)
    else:
        return None
    meter.leaf(values)
    return values


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
    """What sampling has found out about one root move: its visits, and the mean payoff of the mover.

    `prior`: the probability that a policy gives to it; None where there is no policy. `line`: the move and
    what is expected after it; empty where that is not known.
    """

    move: Move
    visits: int
    mean: float
    prior: float | None = None
    line: tuple[Move, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """What a player has decided.

    `value`, `values` and `line` are as in Result; `depth` is the last one finished, 0 for a searcher without
    depths; `exact`: the value is that of the game, with no estimate in it. `counts` are those of all depths,
    `last_depth` of the last one finished. `limits` are those that held. `tried` are the root moves, the most
    visited first; empty where nothing is sampled. `evaluated`: a network evaluated the leaves, so playouts
    are simulations, not random games.
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
    evaluated: bool = False
