"""Weaker play that still looks like chess: a short search, and a choice among the lines that look good.

A weak player does not throw pieces away by the roll of a die, but looks less far and judges what is seen
less exactly. So a handicap limits the nodes of a search, asks for several lines, and errs in the judgement
of each, as players of games of skill do in models of them (L. L. Thurstone, "A law of comparative judgment",
1927): what is about equal is played about as often, a loss that the search has seen seldom, a large one
hardly ever. What is given away is what lay beyond the horizon. The further ahead the best line is, the surer
the player is: what is clearly won is brought home, and a mate that was seen is played. How to mate with few
pieces is known by heart: with few men on the board no level looks at too little to find the way.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

    from engine.search.limits import Limits
    from engine.search.report import Report

ELO_OF_LEVEL = (
    *(290, 490, 690, 880, 1060, 1240, 1410, 1570, 1730, 1880),
    *(2020, 2160, 2290, 2410, 2530, 2630, 2740, 2830, 2920),
)
"""What `scripts/lab calibrate` found in 842 games: ±230 (95%) for level 1, ±140 for 19, ±65 to 200 between.

The scale is that of Stockfish 15.1's Skill Levels 0 … 10 with 500,000 nodes a move, which levels 5 … 19 have
played, and whose Elo its developers have found on the scale of CCRL Blitz to within 100. Levels 1 … 4 have
only been compared with their neighbours. It is a scale of engines; what people make of it is another matter.
"""

WEAKEST_LEVEL, FULL_STRENGTH = 1, 1 + len(ELO_OF_LEVEL)
WEAKEST_ELO, STRONGEST_ELO = ELO_OF_LEVEL[0], ELO_OF_LEVEL[-1]

USUAL_LEVEL = 5
USUAL_ELO = ELO_OF_LEVEL[USUAL_LEVEL - WEAKEST_LEVEL]
"""For whoever wants to play against less than full strength and says no more."""

FULL_SKILL = 20

_NODES = (60, 500_000)
_LINES = (10, 2)
_ERROR = (200.0, 3.0)
"""Of the weakest level and of the one below full strength; those between are in geometric progression."""

_FEW_MEN, _NODES_FOR_FEW = 5, 2_500
"""Up to so many men on the board, kings and pawns included, no search is limited to fewer nodes."""

_OPEN, _DECIDED = 200, 800
"""Centipawns of the best line: up to the first the error counts in full, from the second on not at all."""


@dataclass(frozen=True, slots=True)
class Handicap:
    """How a weaker player differs from the engine at its best, which is `Handicap()`.

    `nodes` are those of a move, None for as many as the limits allow; `lines` are looked for, and one of
    them is played: the one that seems best. `error` is by how many centipawns each seems better or worse than
    it was found to be, as the standard deviation of a normal distribution.
    """

    nodes: int | None = None
    lines: int = 1
    error: float = 0.0

    @classmethod
    def of_level(cls, level: float) -> Self:
        """The handicap of a level, 1 … 20, or of one between two; 20 is full strength.

        Raises ValueError where there is no such level.
        """
        if not WEAKEST_LEVEL <= level <= FULL_STRENGTH:
            raise ValueError(f"the level must be from {WEAKEST_LEVEL} to {FULL_STRENGTH}, not {level:g}")
        if level > FULL_STRENGTH - 1:
            return cls()
        share = (level - WEAKEST_LEVEL) / (FULL_STRENGTH - 1 - WEAKEST_LEVEL)
        nodes, lines, error = (first * (last / first) ** share for first, last in (_NODES, _LINES, _ERROR))
        return cls(round(nodes), round(lines), error)

    @classmethod
    def of_elo(cls, elo: float) -> Self:
        """The handicap for a strength on the scale of ELO_OF_LEVEL, from its first to its last.

        Raises ValueError beyond them.
        """
        if not WEAKEST_ELO <= elo <= STRONGEST_ELO:
            raise ValueError(f"the Elo must be from {WEAKEST_ELO} to {STRONGEST_ELO}, not {elo:g}")
        below = min(bisect_right(ELO_OF_LEVEL, elo), len(ELO_OF_LEVEL) - 1) - 1
        weaker, stronger = ELO_OF_LEVEL[below : below + 2]
        return cls.of_level(WEAKEST_LEVEL + below + (elo - weaker) / (stronger - weaker))

    @classmethod
    def of_skill(cls, skill: int) -> Self:
        """The handicap for a Skill Level as other engines have it, 0 … 20.

        From the weakest level to the one below full strength in equal steps, then full strength.
        """
        if skill == FULL_SKILL:
            return cls()
        steps = FULL_STRENGTH - 1 - WEAKEST_LEVEL
        return cls.of_level(WEAKEST_LEVEL + steps * skill / (FULL_SKILL - 1))

    def limited(self, limits: Limits, men: int) -> Limits:
        """The limits of a search with so many men on the board: no more nodes than the handicap leaves."""
        if self.nodes is None:
            return limits
        nodes = max(self.nodes, _NODES_FOR_FEW) if men <= _FEW_MEN else self.nodes
        return replace(limits, nodes=nodes if limits.nodes is None else min(nodes, limits.nodes))

    def choose(self, reports: Iterable[Report], best: int, chooser: Random) -> int:
        """The move to play after a search for `lines` lines.

        `reports` are all of the search, in order, and `best` is the move of its outcome, which is played
        where the search was too short for a report. A `chooser` in the same state chooses the same.
        """
        last = {each.line: each for each in reports if each.depth > 0}
        lines = [last[line] for line in sorted(last)[: self.lines]]
        if not lines:
            return best
        first = max(lines, key=lambda each: each.score.value)
        error = self.error * _unsure(first.score.value)
        if first.score.mate() is not None or error <= 0:
            return first.moves[0]
        return max(lines, key=lambda each: each.score.value + chooser.gauss(0, error)).moves[0]


FULL = Handicap()
"""No handicap: the engine at its best."""


def _unsure(value: int) -> float:
    """How much of the error counts, 0 … 1, where the best line is worth so many centipawns."""
    return max(0.0, min(1.0, (_DECIDED - value) / (_DECIDED - _OPEN)))
