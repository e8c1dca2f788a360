"""The limits of one move, the settings of all, and a handicap.

Weaker play still looks like chess: a handicap limits the nodes, asks for several lines, follows each only as
far as such a player sees it (`engine.search.sight`), and adds a random error to what it is then worth (L. L.
Thurstone, "A law of comparative judgment", 1927). The better the player, the more the error shrinks with the
lead.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import inf
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple, Self

from engine.search.constants import MATE_BOUND
from engine.search.report import Listener, Outcome, Progress, Report
from engine.search.sight import Sight

if TYPE_CHECKING:
    from random import Random  # slow to load, and at full strength not needed

    from engine.board.position import Position

FULL_STRENGTH = 40
WEAKEST_LEVEL = 1
USUAL_LEVEL = 10  # the default for an opponent below full strength

RATING_OF_LEVEL = (400, 500, 600, 680, 760, 840, 910, 990, 1100, 1190, 1280, 1360, 1430, 1500, 1580)
"""Levels 1 … 15 on the scale of people: the rating of the puzzles of Lichess of which a level solves half
(`scripts/lab rate-puzzles`). For stronger levels there are no puzzles."""

FULL_SKILL = 20

_OPEN, _DECIDED = 200, 800
"""Centipawns of the best line: up to _OPEN the error counts in full, from _DECIDED on hardly at all."""
_CARELESS = 400.0
"""Centipawns of error from which a player is as careless in a decided position as in any other."""

_SOBER, _ABSURD, _RASHNESS = 600, 500, 5
"""From a sight of _SOBER Elo no error makes a player lose more than _ABSURD centipawns that he sees; for each
Elo less it may be _RASHNESS centipawns more."""

_OPENING_LINES, _GAMBIT = 8, 150
"""Where a player knows opening moves, at least _OPENING_LINES lines are searched; a known move may cost less
than _GAMBIT centipawns."""

_HURRY_MS, _HURRIED = 20_000, 200
"""With less than _HURRY_MS on the clock a player sees less, at the end as if rated _HURRIED Elo lower."""


class _Tuned(NamedTuple):
    """What makes a level, as fitted to puzzles and games, and what it is worth in Elo among engines."""

    elo: int
    nodes: int
    lines: int
    error: float
    sight: float
    opening: int


_TUNED = (
    _Tuned(450, 2_000, 80, 3000, 40, 1),
    _Tuned(540, 2_100, 80, 795, 410, 1),
    _Tuned(610, 2_200, 80, 600, 495, 2),
    _Tuned(640, 2_300, 80, 535, 555, 2),
    _Tuned(690, 2_400, 80, 467, 593, 3),
    _Tuned(740, 2_500, 80, 380, 665, 3),
    _Tuned(790, 2_600, 80, 322, 740, 4),
    _Tuned(850, 2_800, 80, 276, 820, 4),
    _Tuned(890, 2_900, 80, 231, 910, 5),
    _Tuned(920, 3_100, 80, 197, 1015, 6),
    _Tuned(950, 3_300, 72, 166, 1090, 6),
    _Tuned(990, 3_500, 70, 141, 1145, 7),
    _Tuned(1030, 3_700, 67, 120, 1205, 7),
    _Tuned(1090, 4_000, 61, 102, 1295, 8),
    _Tuned(1190, 4_200, 53, 86, 1465, 8),
    _Tuned(1260, 4_400, 48, 75, 1615, 9),
    _Tuned(1340, 4_600, 42, 65, 1770, 9),
    _Tuned(1430, 4_900, 34, 55, 1930, 10),
    _Tuned(1510, 5_100, 27, 48, 2065, 11),
    _Tuned(1590, 5_200, 21, 42, 2203, 12),
    _Tuned(1670, 5_400, 18, 38, 2290, 12),
    _Tuned(1750, 5_700, 15, 35, 2405, 12),
    _Tuned(1820, 6_100, 13, 31, 2520, 13),
    _Tuned(1900, 6_500, 10, 28, 2650, 13),
    _Tuned(1970, 6_900, 8, 25.5, 2759, 13),
    _Tuned(2050, 7_600, 7, 23, 2910, 14),
    _Tuned(2120, 8_500, 6, 20, 3025, 14),
    _Tuned(2200, 10_000, 5, 18.8, 3135, 15),
    _Tuned(2270, 12_000, 5, 17.4, 3235, 15),
    _Tuned(2340, 15_000, 5, 16.2, 3325, 16),
    _Tuned(2410, 17_000, 4, 15, 3415, 17),
    _Tuned(2480, 21_000, 4, 13.8, 3515, 18),
    _Tuned(2550, 27_000, 4, 12.4, 3635, 20),
    _Tuned(2630, 38_000, 3, 11, 3775, 21),
    _Tuned(2710, 53_000, 3, 9.7, 3915, 23),
    _Tuned(2780, 74_000, 3, 8.4, 4060, 24),
    _Tuned(2850, 102_000, 3, 7.1, 4200, 26),
    _Tuned(2930, 143_000, 2, 6, 4350, 27),
    _Tuned(3000, 200_000, 2, 5, 4500, 28),
    _Tuned(3130, 500_000, 2, 3, 5000, 30),
)
"""A row for each of levels 1 … 39, and one above that for UCI_Elo. Values in between are interpolated."""

ELO_OF_LEVEL = tuple(tuned.elo for tuned in _TUNED[:-1])
"""Levels 1 … 39 on the scale of engines, CCRL Blitz, found in games against levels of known Elo."""

USUAL_ELO = ELO_OF_LEVEL[USUAL_LEVEL - WEAKEST_LEVEL]
WEAKEST_ELO, STRONGEST_ELO = _TUNED[0].elo, _TUNED[-1].elo


@dataclass(frozen=True, slots=True)
class Handicap:
    """How a weaker player differs from the engine at its best, which is `Handicap()`.

    A search is limited to `nodes` (None: only by its limits) and finds `lines` lines. Of them the player sees
    what one of `sight` Elo sees (`engine.search.sight`). Each score gets a normally distributed error of
    standard deviation `error` centipawns; the best line by these scores is played. For the first `opening`
    plies of a game he plays from the table of openings: one of the `known` moves that is no error, by weight.
    """

    nodes: int | None = None
    lines: int = 1
    error: float = 0.0
    sight: float = inf
    opening: int = 0
    known: Mapping[int, int] = field(default_factory=dict, hash=False)

    @classmethod
    def of_level(cls, level: float) -> Self:
        """The handicap of a level, 1 … 40 (full strength), or between two. Raises ValueError for others."""
        if not WEAKEST_LEVEL <= level <= FULL_STRENGTH:
            raise ValueError(f"the level must be from {WEAKEST_LEVEL} to {FULL_STRENGTH}, not {level:g}")
        return cls() if level > FULL_STRENGTH - 1 else cls._between(level - WEAKEST_LEVEL)

    @classmethod
    def of_elo(cls, elo: float) -> Self:
        """The handicap for a strength on the scale of ELO_OF_LEVEL, that of engines.

        Raises ValueError outside WEAKEST_ELO … STRONGEST_ELO.
        """
        if not WEAKEST_ELO <= elo <= STRONGEST_ELO:
            raise ValueError(f"the Elo must be from {WEAKEST_ELO} to {STRONGEST_ELO}, not {elo:g}")
        row = next(row for row, each in enumerate(_TUNED[1:]) if elo <= each.elo)
        weaker, stronger = _TUNED[row].elo, _TUNED[row + 1].elo
        return cls._between(row + (elo - weaker) / (stronger - weaker))

    @classmethod
    def _between(cls, place: float) -> Self:
        """The row of _TUNED at a place from 0 on, or between two rows."""
        row = min(int(place), len(_TUNED) - 2)
        weaker, stronger, share = _TUNED[row], _TUNED[row + 1], place - row
        nodes, lines, error = (
            first * (last / first) ** share for first, last in zip(weaker[1:4], stronger[1:4], strict=True)
        )
        sight, opening = (
            first + (last - first) * share for first, last in zip(weaker[4:], stronger[4:], strict=True)
        )
        return cls(round(nodes), round(lines), error, sight, round(opening))

    @classmethod
    def of_skill(cls, skill: int) -> Self:
        """The handicap for a Skill Level as in other engines, 0 … 20.

        Skill Levels 0 … 19 go from the weakest level to the strongest below full strength in equal steps.
        """
        if skill == FULL_SKILL:
            return cls()
        steps = FULL_STRENGTH - 1 - WEAKEST_LEVEL
        return cls.of_level(WEAKEST_LEVEL + steps * skill / (FULL_SKILL - 1))

    def hurried(self, milliseconds: int | None) -> Self:
        """The handicap with so much left on the clock; None: no clock."""
        if milliseconds is None or milliseconds >= _HURRY_MS:
            return self
        return replace(self, sight=self.sight - _HURRIED * (1 - max(0, milliseconds) / _HURRY_MS))

    def knowing(self, known: Mapping[int, int]) -> Self:
        """The handicap in a position where the player knows these moves of the opening, by weight."""
        return replace(self, known=known, lines=max(self.lines, _OPENING_LINES)) if known else self

    def node_limit(self, given: int | None) -> int | None:
        """The nodes of a search, `given` at most; None: unlimited."""
        return min((each for each in (self.nodes, given) if each is not None), default=None)

    def choose(
        self, reports: Iterable[Report], best: int, chooser: Random, position: Position | None = None
    ) -> int:
        """The move to play after a search for `lines` lines.

        `reports` are all of the search, in order. `best` is the move of its outcome, which is played if the
        search was too short for a report. `position` is the one searched; without it all moves are seen. The
        same state of `chooser` gives the same choice.
        """
        last = {each.line: each for each in reports if each.depth > 0}
        lines = [last[line] for line in sorted(last)[: self.lines]]
        if not lines:
            return best
        values = [(each.moves[0], float(each.score.value)) for each in lines]
        value = max(each for _, each in values)
        known = [move for move, each in values if move in self.known and each > value - _GAMBIT]
        if known and value <= MATE_BOUND:
            return chooser.choices(known, [self.known[move] for move in known])[0]
        if position is not None and self.sight < inf:
            values = Sight(position, self.sight, chooser).lines(lines)
        move, value = max(values, key=itemgetter(1))
        absurd = _ABSURD + _RASHNESS * max(0, _SOBER - self.sight)
        values = [each for each in values if each[1] >= value - absurd]
        unsure = max(0.0, min(1.0, (_DECIDED - value) / (_DECIDED - _OPEN)))
        error = self.error * max(unsure, min(1.0, self.error / _CARELESS))
        if value > MATE_BOUND or error <= 0:
            return move
        return max(values, key=lambda each: each[1] + chooser.gauss(0, error))[0]


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
    repeatable. `parameters`: those of engine.search.parameters that differ from the defaults. `handicap`, as
    the book, is for moves to be played, so not while `analysing`.
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

    def __init__(
        self,
        listener: Listener,
        handicap: Handicap,
        shown: int,
        chooser: Random,
        position: Position | None = None,
    ) -> None:
        self._listener = listener
        self._handicap = handicap
        self._shown = shown
        self._chooser = chooser
        self._position = position
        self._last: dict[int, Report] = {}

    def report(self, report: Report) -> None:
        self._last[report.line] = report
        if report.line <= self._shown:
            self._listener.report(report)

    def progress(self, progress: Progress) -> None:
        self._listener.progress(progress)

    def outcome(self, outcome: Outcome) -> None:
        best = outcome.best
        try:
            best = self._handicap.choose(self._last.values(), best, self._chooser, self._position)
        except Exception as error:  # noqa: BLE001 - whatever it is, a move must be played
            self._listener.failed(error)
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
