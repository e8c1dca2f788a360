"""What a search tells: variations, reports, the outcome, the verdict of endgame tables."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from engine.board.position import Position
from engine.search.constants import INFINITE, MATE, MATE_BOUND, TABLEBASE_BOUND, TABLEBASE_WIN

REPORTED_WIN = 20000
"""Centipawns of a tablebase win that is not a mate yet, as other engines report it, less the plies to it."""

REPORTED_EDGE = 20
"""Centipawns of a win that the fifty-move rule turns into a draw: even, but one side has to take care."""


class Bound(Enum):
    """What a score says about the true value: it is equal to the score, at least the score, or at most."""

    EXACT = "exact"
    LOWER = "lower"
    UPPER = "upper"


@dataclass(frozen=True, slots=True)
class Score:
    """A value in centipawns from the point of view of the side to move at the root."""

    value: int

    def mate(self) -> int | None:
        """Moves to mate, negative when being mated, 0 when already mated; None when there is no mate."""
        if self.value > MATE_BOUND:
            return (MATE - self.value + 1) // 2
        if self.value < -MATE_BOUND:
            return -((MATE + self.value) // 2)
        return None


def reported(score: int) -> tuple[int, bool]:
    """A score of the search as it is reported, and whether it is a win by the endgame tables."""
    if not TABLEBASE_BOUND < abs(score) <= TABLEBASE_WIN:
        return score, False
    return (score - TABLEBASE_WIN + REPORTED_WIN if score > 0 else score + TABLEBASE_WIN - REPORTED_WIN), True


@dataclass(frozen=True, slots=True)
class Report:
    """One line of play as one finished depth sees it.

    `line` counts from 1, the best; `hashfull` is per mille; `table_hits` counts the endgame tables read. A
    score that is `known` comes from them: REPORTED_WIN or some plies less, REPORTED_EDGE, 0, or a
    negative of these.
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
class Variation:
    """A root move and its line, with its score in the deepest search that it was best in.

    `score` is in centipawns from the root side's view. Where `bound` is UPPER, it bounds the scores of all
    root moves, and `moves` come from an earlier depth unless there is only one root move. At `depth` 0
    nothing was searched.
    """

    moves: tuple[int, ...]
    depth: int = 0
    score: int = -INFINITE
    bound: Bound = Bound.EXACT

    @property
    def move(self) -> int:
        return self.moves[0]


@dataclass(frozen=True, slots=True)
class Progress:
    """The root move about to be searched; `number` counts from 1."""

    depth: int
    move: int
    number: int


@dataclass(frozen=True, slots=True)
class Iteration:
    """The best `lines`, best first, when a depth is finished or was cut short.

    Cut short (not `finished`), only the moves searched so far count, and `depth` is still the one before if
    they did not change the best line. Else `stable_depths` counts the depths before it that had the same best
    move, `fall` is the loss of score in centipawns since the depth before, and `share` the best move's share
    of this depth's nodes.
    """

    depth: int
    finished: bool
    lines: tuple[Variation, ...]
    stable_depths: int = 0
    fall: int = 0
    share: float = 0.0

    @property
    def best(self) -> Variation:
        """The line to play if the search ended here."""
        return self.lines[0]


Finding = Iteration | Variation | Progress
"""A depth; the best line whose score lies outside its window; the root move about to be searched."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The move to play, 0 if there is none, and the expected reply, 0 if unknown.

    `remark`: one line for the user, mostly empty.
    """

    best: int
    ponder: int
    remark: str = ""


class Listener(Protocol):
    """Receives what a search reports, in the search's own thread."""

    def report(self, report: Report) -> None:
        """A depth, or a line of it, is finished. At least one comes unless the opening book knew the move.

        If a search was too short for its first move, the score is the static value and the depth 1.
        """

    def progress(self, progress: Progress) -> None:
        """A root move is about to be searched; only in searches longer than three seconds."""

    def outcome(self, outcome: Outcome) -> None:
        """The search has ended; exactly once for each `go`."""

    def failed(self, error: BaseException) -> None:
        """The search has crashed; `outcome` follows with a legal move."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What endgame tables say about the moves at the root.

    Only the `best` moves are to be searched; the `others` are in order, best first. `values` has all of them,
    in centipawns from the mover's side; `hits` is how many tables were read.
    """

    best: tuple[int, ...]
    others: tuple[int, ...]
    values: dict[int, int]
    hits: int

    def score(self, move: int, searched: int) -> tuple[int, bool]:
        """The score of a move, and whether it is the tables'.

        The `searched` score counts only if it is a mate for the side that wins by the tables. A mate
        with the last ply that the fifty-move rule allows is a draw to them, so a mate counts there, too.
        """
        value = self.values[move]
        if value and abs(searched) > MATE_BOUND and (searched > 0) == (value > 0):
            return searched, False
        return value, True


class Tables(Protocol):
    """Endgame tables, to be asked in the search's own thread."""

    def verdict(
        self, position: Position, moves: Sequence[int], expired: Callable[[], bool]
    ) -> Verdict | None:
        """What the tables say about these legal moves. Never raises.

        None if a move is missing from the tables, or as soon as `expired` returns True.
        """

    def damage(self) -> str:
        """What has gone wrong since the last call, in one line; mostly empty."""
