"""When one move alone is right: the best line reaches a goal, and the second best is far from it.

Both are judged by the chances to win, draw and lose of the evaluator's model of the outcome.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chess.engine import Wdl

    from lolli.cli.analysis.finding import Finding


class Goal(Enum):
    """What the right move reaches."""

    WIN = "win"
    DRAW = "draw"


@dataclass(frozen=True, slots=True)
class Margin:
    """The right move reaches its goal in at least `most` of a thousand games, others in at most `least`."""

    least: int
    most: int


CANDIDATE = Margin(450, 650)
"""Enough for a position to be looked at again with more nodes."""
CERTAIN = Margin(300, 850)
"""Enough for a puzzle."""


def only_move(findings: Sequence[Finding], margin: Margin = CERTAIN) -> Goal | None:
    """The goal that the first of the two best lines alone reaches; None if there is none.

    A single line, that of a forced move, is compared with nothing. A line without a move, as of a search with
    too few nodes, proves nothing.
    """
    first, *others = findings
    if not first.moves:
        return None
    if others and (not others[0].moves or others[0].moves[0] == first.moves[0]):
        return None  # the search ended before it had the second line of this depth
    best = _chances(first)
    second = _chances(others[0]) if others else None
    for goal in Goal:
        if reached(goal, best) >= margin.most:
            return goal if second is None or reached(goal, second) <= margin.least else None
    return None


def reached(goal: Goal, chances: Wdl) -> int:
    """In how many of a thousand games a side reaches the goal; a win is also no less than a draw."""
    return chances.wins if goal is Goal.WIN else chances.wins + chances.draws


def _chances(finding: Finding) -> Wdl:
    """Those of the side to move; Stockfish's where the evaluator has no model."""
    chances = finding.chances or finding.score.wdl(model="sf")
    return chances.relative
