"""What an analysis has found so far as a table that fits any width."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import chess
from rich.style import Style
from rich.text import Text

from engine.search.report import Bound
from protocol.cli.terminal.words import chances_text, count_text, duration_text, score_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from protocol.cli.analysis.finding import Finding

_GAP = "  "
_FEWEST_MOVES = 26  # columns that the moves have before another column goes
_DEPTHS = 8  # of one line, so that one sees its score develop
_CUT = "…"
_DIM = Style(dim=True)
_MARKS = {Bound.EXACT: "", Bound.LOWER: "≥", Bound.UPPER: "≤"}


@dataclass(frozen=True)
class _Column:
    """`least` is its width in characters, so that it does not change all the time."""

    head: str
    least: int
    text: Callable[[Finding], str]


_LINE = _Column("#", 2, lambda finding: str(finding.line))
_DEPTH = _Column("depth", 6, lambda finding: f"{finding.depth}/{finding.seldepth}")
_SCORE = _Column("score", 6, lambda finding: white_mark(finding) + score_text(finding.white))
_CHANCES = _Column("W/D/L %", 8, lambda finding: chances_text(finding.chances))
_NODES = _Column("nodes", 5, lambda finding: count_text(finding.nodes))
_SPEED = _Column("nodes/s", 7, lambda finding: count_text(finding.nodes_per_second))
_TIME = _Column("time", 5, lambda finding: duration_text(finding.milliseconds / 1000))
_DISPENSABLE = (_SPEED, _NODES, _TIME, _CHANCES)  # in this order, where it is narrow


class AnalysisTable:
    """The last finding of each line where several are looked for, otherwise those of the last depths."""

    def __init__(self, board: chess.Board, lines: int) -> None:
        """`lines` is how many best lines are looked for."""
        self._board = board
        self._several = lines > 1
        self._findings: dict[int, Finding] = {}
        self._words: dict[tuple[chess.Move, ...], list[str]] = {}

    @property
    def best(self) -> Finding | None:
        """The last finding of the best line; None as long as there is none."""
        if self._several:
            return self._findings.get(1)
        return self._findings[max(self._findings)] if self._findings else None

    def add(self, finding: Finding) -> None:
        """Keep a finding in the place of the one before it about the same."""
        if self._several:
            self._findings[finding.line] = finding
        else:
            self._findings.pop(finding.depth, None)
            self._findings[finding.depth] = finding

    def head(self, width: int | None = None) -> Text:
        """The names of the columns."""
        columns = self._columns(width)
        return Text(_row([column.head for column in columns], columns, "line"), _DIM)

    def row(self, finding: Finding, width: int | None = None) -> str:
        """One finding; without a width with all of its moves."""
        columns = self._columns(width)
        cells = [column.text(finding) for column in columns]
        room = None if width is None else width - len(_row(cells, columns, ""))
        return _row(cells, columns, fitting(self._san(finding), room)).rstrip()

    def rows(self, width: int, most: int | None = None) -> list[Text]:
        """The best lines, or the last depths with the last one at the bottom; no more than `most`."""
        findings = [self._findings[key] for key in sorted(self._findings)]
        if self._several:
            return [Text(self.row(finding, width)) for finding in findings[:most]]
        shown = findings[-min(most or _DEPTHS, _DEPTHS) :]
        return [Text(self.row(each, width), "" if each is shown[-1] else _DIM) for each in shown]

    def _columns(self, width: int | None) -> list[_Column]:
        columns = [_DEPTH, _SCORE, _CHANCES, _NODES, _SPEED, _TIME]
        if self._several:
            columns.insert(0, _LINE)
        for column in _DISPENSABLE:
            if width is None or width - len(_row([], columns, "")) >= _FEWEST_MOVES:
                break
            columns.remove(column)
        return columns

    def _san(self, finding: Finding) -> list[str]:
        if finding.moves not in self._words:
            self._words[finding.moves] = san_words(self._board, finding.moves)
        return self._words[finding.moves]


def white_mark(finding: Finding) -> str:
    """`≥` or `≤` where White's true score is only known to be so."""
    return _MARKS[finding.white_bound]


def san_words(board: chess.Board, moves: Sequence[chess.Move]) -> list[str]:
    """Moves in SAN, each with the number that belongs to it: `11... e5`, `12. Nf3`, `Nc6`."""
    board = board.copy(stack=False)
    words = []
    for index, move in enumerate(moves):
        number = f"{board.fullmove_number}. " if board.turn else f"{board.fullmove_number}... "
        words.append((number if board.turn or index == 0 else "") + board.san_and_push(move))
    return words


def fitting(words: Sequence[str], room: int | None) -> str:
    """As many whole words as so many columns hold, and a mark where some are missing."""
    whole = " ".join(words)
    if room is None or len(whole) <= room:
        return whole
    length, count = len(_CUT), 0
    while length + len(words[count]) + 1 <= room:
        length += len(words[count]) + 1
        count += 1
    return " ".join([*words[:count], _CUT]) if room > 0 else ""


def _row(cells: Sequence[str], columns: Sequence[_Column], moves: str) -> str:
    widths = [max(column.least, len(column.head)) for column in columns]
    padded = [cell.rjust(width) for cell, width in zip(cells or [""] * len(widths), widths, strict=True)]
    return _GAP.join([*padded, moves])
