"""The limits of one move, the settings of all, and a handicap.

Weaker play still looks like chess: a handicap limits the nodes, asks for several lines, and adds a random
error to the score of each (L. L. Thurstone, "A law of comparative judgment", 1927). The error shrinks with
the lead, so that won games are won. With few pieces left, every level searches enough nodes to find a mate.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Self

from engine.search.report import Listener, Outcome, Progress, Report

if TYPE_CHECKING:
    from random import Random  # slow to load, and at full strength not needed

ELO_OF_LEVEL = (
    *(920, 1040, 1100, 1120, 1190, 1340, 1460, 1650, 1790, 1970),
    *(2130, 2290, 2480, 2610, 2750, 2860, 3000, 3080, 3130),
)
"""Elo of levels 1 … 19, found by `scripts/lab calibrate` in 4,638 games: ±55 to 105 (95%).

Opponents were neighbours and Stockfish 15.1 at Skill Levels 0 … 14 with 500,000 nodes a move, whose Elo its
developers measured on the scale of CCRL Blitz, for engines, to within 100.
"""

WEAKEST_LEVEL, FULL_STRENGTH = 1, 1 + len(ELO_OF_LEVEL)
WEAKEST_ELO, STRONGEST_ELO = ELO_OF_LEVEL[0], ELO_OF_LEVEL[-1]

USUAL_LEVEL = 5
USUAL_ELO = ELO_OF_LEVEL[USUAL_LEVEL - WEAKEST_LEVEL]  # the default for an opponent below full strength

FULL_SKILL = 20

_NODES = (60, 500_000)
_LINES = (10, 2)
_ERROR = (200.0, 3.0)
"""Of the weakest level and of the strongest below full strength; in between in geometric progression."""

_FEW_PIECES, _NODES_FOR_FEW = 5, 2_500
"""With at most _FEW_PIECES on the board, kings and pawns included, a search gets at least _NODES_FOR_FEW."""

_OPEN, _DECIDED = 200, 800
"""Centipawns of the best line: up to _OPEN the error counts in full, from _DECIDED on not at all."""


@dataclass(frozen=True, slots=True)
class Handicap:
    """How a weaker player differs from the engine at its best, which is `Handicap()`.

    A search is limited to `nodes` (None: only by its limits) and finds `lines` lines. Each score gets a
    normally distributed error of standard deviation `error` centipawns; the best line by these scores is
    played.
    """

    nodes: int | None = None
    lines: int = 1
    error: float = 0.0

    @classmethod
    def of_level(cls, level: float) -> Self:
        """The handicap of a level, 1 … 20 (full strength), or between two. Raises ValueError for others."""
        if not WEAKEST_LEVEL <= level <= FULL_STRENGTH:
            raise ValueError(f"the level must be from {WEAKEST_LEVEL} to {FULL_STRENGTH}, not {level:g}")
        if level > FULL_STRENGTH - 1:
            return cls()
        share = (level - WEAKEST_LEVEL) / (FULL_STRENGTH - 1 - WEAKEST_LEVEL)
        nodes, lines, error = (first * (last / first) ** share for first, last in (_NODES, _LINES, _ERROR))
        return cls(round(nodes), round(lines), error)

    @classmethod
    def of_elo(cls, elo: float) -> Self:
        """The handicap for a strength on the scale of ELO_OF_LEVEL.

        Raises ValueError outside WEAKEST_ELO … STRONGEST_ELO.
        """
        if not WEAKEST_ELO <= elo <= STRONGEST_ELO:
            raise ValueError(f"the Elo must be from {WEAKEST_ELO} to {STRONGEST_ELO}, not {elo:g}")
        below = min(bisect_right(ELO_OF_LEVEL, elo), len(ELO_OF_LEVEL) - 1) - 1
        weaker, stronger = ELO_OF_LEVEL[below : below + 2]
        return cls.of_level(WEAKEST_LEVEL + below + (elo - weaker) / (stronger - weaker))

    @classmethod
    def of_skill(cls, skill: int) -> Self:
        """The handicap for a Skill Level as in other engines, 0 … 20.

        Skill Levels 0 … 19 go from the weakest level to the strongest below full strength in equal steps.
        """
        if skill == FULL_SKILL:
            return cls()
        steps = FULL_STRENGTH - 1 - WEAKEST_LEVEL
        return cls.of_level(WEAKEST_LEVEL + steps * skill / (FULL_SKILL - 1))

    def node_limit(self, pieces: int, given: int | None) -> int | None:
        """The nodes of a search with `pieces` on the board, `given` at most; None: unlimited."""
        if self.nodes is None:
            return given
        nodes = max(self.nodes, _NODES_FOR_FEW) if pieces <= _FEW_PIECES else self.nodes
        return nodes if given is None else min(nodes, given)

    def choose(self, reports: Iterable[Report], best: int, chooser: Random) -> int:
        """The move to play after a search for `lines` lines.

        `reports` are all of the search, in order. `best` is the move of its outcome, which is played if the
        search was too short for a report. The same state of `chooser` gives the same choice.
        """
        last = {each.line: each for each in reports if each.depth > 0}
        lines = [last[line] for line in sorted(last)[: self.lines]]
        if not lines:
            return best
        first = max(lines, key=lambda each: each.score.value)
        unsure = max(0.0, min(1.0, (_DECIDED - first.score.value) / (_DECIDED - _OPEN)))
        error = self.error * unsure
        if first.score.mate() is not None or error <= 0:
            return first.moves[0]
        return max(lines, key=lambda each: each.score.value + chooser.gauss(0, error)).moves[0]


FULL = Handicap()  # no handicap: the engine at its best


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


class HandicapListener:
    """Between a search and its listener: passes on the first `shown` lines and the handicap's move.

    A handicap needs more lines than were asked for. If another line than the first is played, all shown are
    reported once more at the end with that one in front: clients take the last report of line 1 for the
    move's.
    """

    def __init__(self, listener: Listener, handicap: Handicap, shown: int, chooser: Random) -> None:
        self._listener = listener
        self._handicap = handicap
        self._shown = shown
        self._chooser = chooser
        self._last: dict[int, Report] = {}

    def report(self, report: Report) -> None:
        self._last[report.line] = report
        if report.line <= self._shown:
            self._listener.report(report)

    def progress(self, progress: Progress) -> None:
        self._listener.progress(progress)

    def outcome(self, outcome: Outcome) -> None:
        best = self._handicap.choose(self._last.values(), outcome.best, self._chooser)
        if best != outcome.best:
            outcome = replace(outcome, best=best, ponder=self._put_in_front(best))
        self._listener.outcome(outcome)

    def failed(self, error: BaseException) -> None:
        self._listener.failed(error)

    def _put_in_front(self, move: int) -> int:
        """Report the lines again, beginning with the one of `move`; return the reply to it, 0 if unknown."""
        lines = sorted(self._last.values(), key=lambda each: (each.moves[:1] != (move,), each.line))
        for line, each in enumerate(lines[: self._shown], 1):
            self._listener.report(replace(each, line=line))
        return (*lines[0].moves, 0)[1]
