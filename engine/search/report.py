"""What a search tells while it runs and when it ends."""

from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from engine.search.constants import MATE, MATE_BOUND


class Bound(Enum):
    """What a score says about the true value: it is this, at least this, or at most this."""

    EXACT = "exact"
    LOWER = "lower"
    UPPER = "upper"


@dataclass(frozen=True, slots=True)
class Score:
    """A value in centipawns from the point of view of the side to move at the root."""

    value: int

    def mate(self) -> int | None:
        """Moves to mate, negative when being mated, 0 when mated already; None when there is no mate."""
        if self.value > MATE_BOUND:
            return (MATE - self.value + 1) // 2
        if self.value < -MATE_BOUND:
            return -((MATE + self.value) // 2)
        return None


@dataclass(frozen=True, slots=True)
class Report:
    """One line of play as one finished depth sees it.

    `line` counts from 1, the best; `hashfull` is per mille; `table_hits` counts endgame tables. Where the
    score is `known` it is theirs, on the scale of engine.search.verdict.
    """

    depth: int
    seldepth: int
    line: int
    score: Score
    bound: Bound
    nodes: int
    milliseconds: int
    hashfull: int
    table_hits: int
    moves: tuple[int, ...]
    known: bool = False


@dataclass(frozen=True, slots=True)
class Progress:
    """The root move being searched: `number` counts from 1."""

    depth: int
    move: int
    number: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """The move to play, 0 where there is none, and the reply expected, 0 where none is known.

    `remark` is what else there is to say of it, a line; mostly nothing.
    """

    best: int
    ponder: int
    remark: str = ""


class Listener(Protocol):
    """Who hears what a search has to say; called from the search's own thread."""

    def report(self, report: Report) -> None:
        """A depth, or a line of it, is finished; heard at least once unless the opening book knew the move.

        Where a search is too short for its first move, the score is static and the depth 1.
        """

    def progress(self, progress: Progress) -> None:
        """A root move is begun; only heard of in searches longer than three seconds."""

    def outcome(self, outcome: Outcome) -> None:
        """The search has ended; once for each `go`."""

    def failed(self, error: BaseException) -> None:
        """The search has crashed; `outcome` follows with a legal move."""
