"""What a search has to keep to: the limits of one move, and the settings of all."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.search.handicap import FULL, Handicap


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one move. Times are in milliseconds; None means not given.

    `time` and `increment` are White's and Black's; a clock may show zero or less. `mate` is in moves. Unless
    `search_moves` is empty, only these root moves are searched.
    """

    time: tuple[int | None, int | None] = (None, None)
    increment: tuple[int, int] = (0, 0)
    moves_to_go: int | None = None
    depth: int | None = None
    nodes: int | None = None
    move_time: int | None = None
    mate: int | None = None
    infinite: bool = False
    ponder: bool = False
    search_moves: tuple[int, ...] = ()

    @property
    def endless(self) -> bool:
        """Whether only `stop` or `ponderhit` ends the search."""
        bounds = (*self.time, self.depth, self.nodes, self.move_time, self.mate)
        return self.infinite or self.ponder or all(bound is None for bound in bounds)


@dataclass(slots=True)
class Settings:
    """How to search, beyond the limits of one move; read when a search begins.

    `lines`: how many of the best lines to report. `move_overhead`: milliseconds lost between engine and
    clock. `nodes_time`: unless 0, this many nodes count as a millisecond of the clock, which makes games
    repeatable. `parameters`: those of engine.search.parameters that differ from the defaults. `handicap`: for
    moves to be played, so not while `analysing`.
    """

    threads: int = 1
    lines: int = 1
    move_overhead: int = 10
    nodes_time: int = 0
    parameters: Mapping[str, int] = field(default_factory=dict)
    handicap: Handicap = FULL
    analysing: bool = False
