"""A game with the results of its scores: heading, marks, critical moments and the graph's course.

Nothing here searches.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import chess
import chess.pgn

from engine.lookup.openings import opening_line
from protocol import about
from protocol.cli.analysis.assessment import (
    Mark,
    MoveAssessment,
    PlayerSummary,
    assess,
    summary,
    winning_chances,
)
from protocol.cli.pgn.game_reader import header_text
from protocol.cli.pgn.opening_headers import opening_headers
from protocol.cli.reports.graph import Course
from protocol.cli.reports.story import Step, Story, signs, story_of
from protocol.cli.terminal.words import DASH

_RESULTS = {"1-0": ("1", "0"), "0-1": ("0", "1"), "1/2-1/2": ("½", "½")}
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_DATE = re.compile(r"(?!0000)(\d{4})(?:\.(\d\d)(?:\.(\d\d))?)?")
_UNKNOWN = frozenset(("", "?", "-"))
MOST_MOMENTS = 6
_LONGEST_LINE = 5  # plies of the better line
_MARKS = {mark.nag: mark for mark in Mark}


@dataclass(frozen=True, slots=True)
class PlayerHeading:
    """One player in the heading; empty if not known. `points` are those of this game."""

    name: str
    title: str
    elo: str
    points: str


@dataclass(frozen=True, slots=True)
class Heading:
    """The heading of a game; empty if not known. `date` is for people, `iso_date` for machines.

    `variant` is `Chess960`, or empty.
    """

    white: PlayerHeading
    black: PlayerHeading
    result: str
    event: str
    date: str
    iso_date: str
    opening: str
    time_control: str
    variant: str
    analysis: str

    @property
    def title(self) -> str:
        """The players and the result, if there is one."""
        return f"{self.white.name} {DASH} {self.black.name}" + (f", {self.result}" if self.result else "")


def heading_of(headers: Mapping[str, str]) -> Heading:
    """The heading of a game, from its headers."""
    known = {name: text for name, value in headers.items() if (text := header_text(value)) not in _UNKNOWN}
    points = _RESULTS.get(known.get("Result", ""), ("", ""))
    event = [known.get("Event", ""), known.get("Site", "")]
    if round_ := known.get("Round", ""):
        event.append(f"round {round_}")
    date, iso_date = _date(known.get("UTCDate") or known.get("Date", ""))
    return Heading(
        white=_player(known, "White", points[0]),
        black=_player(known, "Black", points[1]),
        result=DASH.join(points) if points[0] else "",
        event=", ".join(text for text in event if text),
        date=date,
        iso_date=iso_date,
        opening=" ".join(filter(None, (known.get("ECO"), _opening(known)))),
        time_control=_time_control(known.get("TimeControl", "")),
        variant="Chess960" if chess.pgn.Headers({"Variant": known.get("Variant", "")}).is_chess960() else "",
        analysis=known.get("Analysis", ""),
    )


def _opening(known: Mapping[str, str]) -> str:
    return ": ".join(known[name] for name in ("Opening", "Variation") if name in known)


def _player(known: Mapping[str, str], color: str, points: str) -> PlayerHeading:
    name, title, elo = (known.get(f"{color}{each}", "") for each in ("", "Title", "Elo"))
    return PlayerHeading(name or color, title, elo, points)


def _date(text: str) -> tuple[str, str]:
    """`1999.01.20` as `20 January 1999` and `1999-01-20`; unknown parts are left out."""
    match = _DATE.match(text)
    if match is None:
        return "", ""
    year, month, day = match.groups()
    if month is None or not 1 <= int(month) <= len(_MONTHS):
        return year, year
    name = _MONTHS[int(month) - 1]
    last = monthrange(int(year), int(month))[1]
    if day is None or not 1 <= int(day) <= last:
        return f"{name} {year}", f"{year}-{month}"
    return f"{int(day)} {name} {year}", f"{year}-{month}-{day}"


def _time_control(text: str) -> str:
    """`300+3` as `5 min + 3 s`; other text unchanged."""
    match = re.fullmatch(r"(\d{1,9})(?:\+(\d{1,9}))?", text)
    if match is None:
        return text
    base, increment = int(match[1]), int(match[2] or 0)
    shown = f"{base // 60} min" if base % 60 == 0 else f"{base} s"
    return f"{shown} + {increment} s" if increment else shown


@dataclass(frozen=True, slots=True)
class Moment:
    """A move of the main line that cost winning chances.

    `better` is the better line in the file, at most five plies of it; `goes_on` if the file has more.
    """

    before: Step
    played: Step
    mark: Mark
    better: tuple[Step, ...]
    goes_on: bool


@dataclass(frozen=True, slots=True)
class PlayerPerformance:
    """The performance of a player: the measures, and the number of moves with each mark."""

    measures: PlayerSummary
    marks: dict[Mark, int]


class JudgedGame:
    """A game with its scores, measures and marks.

    The scores are those in the file. So are the measures, if Lolli wrote them into the headers: it also
    judged the first position, whose score the file lacks. So are the marks, if there are any or Lolli
    annotated the game, as it marks fewer moves than the scores would (see the annotator); otherwise they
    follow from the scores, with `opening` except for moves that lead to a named opening.
    """

    def __init__(self, game: chess.pgn.Game, *, opening: bool = True) -> None:
        name, plies = opening_line(game.end().board())
        headers = {**game.headers, **opening_headers(game.headers, name)}
        self.heading: Heading = heading_of(headers)
        self.opening_family: str = headers.get("Opening", "").partition(": ")[0]
        """The name of the opening without its variation; empty if not known."""
        self.result: str = headers.get("Result", "*")
        self.time_control: str = headers.get("TimeControl", "")
        self.story: Story = story_of(game)
        self.chess960: bool = game.board().chess960
        self._first = game.turn()
        self._header_measures = {color: _measures_of(game.headers, color) for color in chess.COLORS}
        self._scores = [step.score for step in self.story.main_line]
        moves = self.story.main_line[1:]
        self._assessments = assess(self._first, self._scores)
        unmarked = plies if opening else 0
        is_marked = bool(self.heading.analysis) or any(set(step.nags) & set(_MARKS) for step in moves)
        self._marks = {
            step.index: _mark_of(step)
            if is_marked
            else (assessment.mark if assessment and ply >= unmarked else None)
            for ply, (step, assessment) in enumerate(zip(moves, self._assessments, strict=True))
        }

    @property
    def judged(self) -> bool:
        """Whether there is a graph to draw: at least two positions have scores."""
        return sum(score is not None for score in self._scores) > 1

    def player(self, color: chess.Color) -> PlayerPerformance | None:
        """The performance of a player; None if no move of theirs was judged."""
        measures = summary(self._first, self._scores, color)
        if measures is None:
            return None
        written = self._header_measures.get(color, {})
        mine = [self._marks[step.index] for step in self.story.main_line[1:] if step.by_white == color]
        return PlayerPerformance(replace(measures, **written), {mark: mine.count(mark) for mark in Mark})

    @property
    def assessments(self) -> Sequence[MoveAssessment | None]:
        """One for each move of the main line; None if it was not judged."""
        return self._assessments

    def mark(self, step: Step) -> Mark | None:
        """The mark of a move of the main line."""
        return self._marks.get(step.index)

    def sign(self, step: Step) -> str:
        """A move's sign, such as `?!`: that in the file, otherwise that of its mark."""
        of_move, _ = signs(step.nags)
        mark = self._marks.get(step.index)
        return of_move or (mark.symbol if mark else "")

    def course(self) -> Course:
        """The data of the graph."""
        line = self.story.main_line
        return Course(
            [step.ply for step in line],
            [None if score is None else winning_chances(score) for score in self._scores],
            [self._marks.get(step.index) for step in line],
        )

    def moments(self, most: int = MOST_MOMENTS) -> list[Moment]:
        """The `most` marked moves that lost the most winning chances, in the order of the game."""
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
        # Of several variations the one with a score on its first move is the engine's.
        rivals.sort(key=lambda step: step.score is None)
        line = list(self.story.line(rivals[0])) if rivals else []
        return Moment(before, played, mark, tuple(line[:_LONGEST_LINE]), len(line) > _LONGEST_LINE)


def critical_moves(assessments: Sequence[MoveAssessment | None], most: int = MOST_MOMENTS) -> list[int]:
    """The `most` marked moves, from 0, that lost the most winning chances, in the order of the game.

    Of equal losses the earlier one counts.
    """
    marked = [(each.loss, move) for move, each in enumerate(assessments) if each and each.mark]
    worst = sorted(marked, key=lambda pair: (-pair[0], pair[1]))[:most]
    return sorted(move for _, move in worst)


def _mark_of(step: Step) -> Mark | None:
    return next((_MARKS[nag] for nag in step.nags if nag in _MARKS), None)


def _measures_of(headers: Mapping[str, str], color: chess.Color) -> dict[str, Any]:
    """The measures of a player that Lolli wrote into the headers, by their names in PlayerSummary."""
    if not headers.get("Analysis", "").startswith(f"{about.NAME} "):
        return {}
    name = "White" if color else "Black"
    try:
        loss, accuracy = int(headers[f"{name}ACPL"]), float(headers[f"{name}Accuracy"])
    except (KeyError, ValueError):
        return {}
    return {"average_centipawn_loss": loss, "accuracy": accuracy}
