"""A game with everything that can be told from the scores in it. Nothing here searches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import chess
import chess.pgn

from protocol import about
from protocol.cli.analysis.assessment import (
    Mark,
    MoveAssessment,
    PlayerSummary,
    assess,
    summary,
    winning_chances,
)
from protocol.cli.reports.graph import Course
from protocol.cli.reports.heading import Heading, heading_of
from protocol.cli.reports.movetext import signs
from protocol.cli.reports.story import Step, Story, story_of

MOST_MOMENTS = 6
_LONGEST_LINE = 5  # plies of what would have been better
_MARKS = {mark.nag: mark for mark in Mark}


@dataclass(frozen=True, slots=True)
class Moment:
    """A move of the main line that cost winning chances.

    `better` is the line that the file gives instead, at most five plies of it; `goes_on` tells that the
    file has more of them.
    """

    before: Step
    played: Step
    mark: Mark
    better: tuple[Step, ...]
    goes_on: bool


@dataclass(frozen=True, slots=True)
class PlayerPerformance:
    """How a player did: the measures, and how many moves have each mark."""

    measures: PlayerSummary
    marks: dict[Mark, int]


class JudgedGame:
    """The scores are those of the file, and so are the measures that Lolli has put into its headers: it has
    judged the first position, too, whose score the file does not hold.

    The marks are those of the file, too, if somebody has given any or Lolli has seen the game; otherwise
    they follow from the scores. (Lolli does not mark all that the scores would: see the annotator.)
    """

    def __init__(self, game: chess.pgn.Game) -> None:
        self.heading: Heading = heading_of(game.headers)
        self.story: Story = story_of(game)
        self.chess960: bool = game.board().chess960
        self._first = game.turn()
        self._told_measures = {color: _measures_of(game.headers, color) for color in chess.COLORS}
        self._scores = [step.score for step in self.story.main_line]
        moves = self.story.main_line[1:]
        self._assessments = assess(self._first, self._scores)
        told = bool(self.heading.analysis) or any(set(step.nags) & set(_MARKS) for step in moves)
        self._marks = {
            step.index: _mark_of(step) if told else (assessment.mark if assessment else None)
            for step, assessment in zip(moves, self._assessments, strict=True)
        }

    @property
    def judged(self) -> bool:
        """Whether there is a graph to draw: at least two positions have scores."""
        return sum(score is not None for score in self._scores) > 1

    def player(self, color: chess.Color) -> PlayerPerformance | None:
        """How a player did, None where no move of theirs was judged."""
        measures = summary(self._first, self._scores, color)
        if measures is None:
            return None
        told = self._told_measures.get(color, {})
        mine = [self._marks[step.index] for step in self.story.main_line[1:] if step.by_white == color]
        return PlayerPerformance(replace(measures, **told), {mark: mine.count(mark) for mark in Mark})

    def sign(self, step: Step) -> str:
        """A move's sign, such as `?!`: that of the file or, where it has none, that of the move's mark."""
        of_move, _ = signs(step.nags)
        mark = self._marks.get(step.index)
        return of_move or (mark.symbol if mark else "")

    def course(self) -> Course:
        """What the graph shows."""
        line = self.story.main_line
        return Course(
            [step.ply for step in line],
            [None if score is None else winning_chances(score) for score in self._scores],
            [self._marks.get(step.index) for step in line],
        )

    def moments(self, most: int = MOST_MOMENTS) -> list[Moment]:
        """The marked moves that lost the most winning chances, in the game's order."""
        line = self.story.main_line
        losses = [
            each if self._marks[step.index] else None
            for step, each in zip(line[1:], self._assessments, strict=True)
        ]
        return [
            self._moment(line[move], line[move + 1], mark)
            for move in critical_moves(losses, most)
            if (mark := self._marks[line[move + 1].index])
        ]

    def _moment(self, before: Step, played: Step, mark: Mark) -> Moment:
        rivals = self.story.alternatives(played)
        # Of several variations that with a score on its first move is the engine's.
        rivals.sort(key=lambda step: step.score is None)
        line = list(self.story.line(rivals[0])) if rivals else []
        return Moment(before, played, mark, tuple(line[:_LONGEST_LINE]), len(line) > _LONGEST_LINE)


def critical_moves(assessments: Sequence[MoveAssessment | None], most: int = MOST_MOMENTS) -> list[int]:
    """Which moves, counted from 0, lost the most winning chances: at most so many, in the game's order.

    Only moves that lost enough for a mark are among them; of equal losses the earlier one counts.
    """
    marked = [(each.loss, move) for move, each in enumerate(assessments) if each and each.mark]
    worst = sorted(marked, key=lambda pair: (-pair[0], pair[1]))[:most]
    return sorted(move for _, move in worst)


def _mark_of(step: Step) -> Mark | None:
    return next((_MARKS[nag] for nag in step.nags if nag in _MARKS), None)


def _measures_of(headers: Mapping[str, str], color: chess.Color) -> dict[str, Any]:
    """The measures of a player that Lolli has put into the headers, by their names in PlayerSummary."""
    if not headers.get("Analysis", "").startswith(f"{about.NAME} "):
        return {}
    name = "White" if color else "Black"
    try:
        loss, accuracy = int(headers[f"{name}ACPL"]), float(headers[f"{name}Accuracy"])
    except (KeyError, ValueError):
        return {}
    return {"average_centipawn_loss": loss, "accuracy": accuracy}
