"""The results of a suite: a row or a JSON object for each position as it is finished, and the summary."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from operator import itemgetter
from statistics import mean
from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.text import Text

from protocol.cli.analysis.finding import score_content
from protocol.cli.suites.runner import SuiteResult
from protocol.cli.terminal.progress import Display
from protocol.cli.terminal.words import count_text, duration_text, score_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from protocol.cli.analysis.finding import Finding
    from protocol.cli.suites.epd import SuitePosition

_GAP = 2  # columns between two columns
_LEAST = 8  # columns that names and moves keep on a narrow terminal
_MARKS = {True: ("✓", "+", "green"), False: ("✗", "-", "red")}
_FIXED = {"Played": 7, "Depth": 5, "Score": 7, "Solved in": 9, "Nodes": 5, "Points": 6}
_DISPENSABLE = (
    "Nodes",
    "Depth",
    "Score",
    "Solved in",
    "Points",
)  # the columns to leave out on a narrow terminal, in this order
_RIGHT = frozenset({"Depth", "Score", "Solved in", "Nodes", "Points"})
_MILLISECONDS_PER_SECOND = 1000


class SuiteTable:
    """Lays out the rows of a suite to fit into `width` columns; `unicode` allows ✓ and ✗ as marks."""

    def __init__(self, positions: Sequence[SuitePosition], width: int, unicode: bool = True) -> None:
        self._unicode = unicode
        fixed = dict(_FIXED)
        if not any(position.points for position in positions):
            del fixed["Points"]
        for name in _DISPENSABLE:
            if _room(width, fixed) >= 2 * _LEAST:
                break
            fixed.pop(name, None)
        room = _room(width, fixed)
        names = max(len("Position"), *(len(position.name) for position in positions))
        wanted = max(len("Wanted"), *(len(position.wanted) for position in positions))
        names = max(_LEAST, min(names, max(room - wanted, room // 2)))
        wanted = max(_LEAST, min(wanted, room - names))
        self._columns = {"": 1, "Position": names, "Wanted": wanted, **fixed}

    @property
    def head(self) -> Text:
        """The names of the columns."""
        return self._row({name: name for name in self._columns}, "bold")

    def row(self, result: SuiteResult) -> Text:
        """The row of a searched position."""
        final, solution = result.final, result.solution
        sign, plain, colour = _MARKS[result.solved]
        row = self._row(
            {
                "": sign if self._unicode else plain,
                "Position": result.position.name,
                "Wanted": result.position.wanted,
                "Played": result.position.board.san(result.move),
                "Depth": str(final.depth),
                "Score": score_text(final.white),
                "Solved in": f"{solution.milliseconds / _MILLISECONDS_PER_SECOND:.2f} s" if solution else "",
                "Nodes": count_text(final.nodes),
                "Points": "" if result.points is None else f"{result.points}/{result.position.most_points}",
            }
        )
        row.stylize(colour, 0, 1)
        return row

    def _row(self, cells: Mapping[str, str], style: str = "") -> Text:
        """Cells without a column are left out."""
        parts = []
        for name, width in self._columns.items():
            text = Text(cells[name])
            text.truncate(width, overflow="ellipsis")
            text.align("right" if name in _RIGHT else "left", width)
            parts.append(text)
        row = Text(" " * _GAP).join(parts)
        row.rstrip()
        row.stylize(style)
        return row


def _room(width: int, columns: Mapping[str, int]) -> int:
    """The width left for names and wanted moves, beside the mark and these columns."""
    return width - 1 - sum(size + _GAP for size in columns.values()) - 2 * _GAP


@dataclass(frozen=True, slots=True)
class SuiteSummary:
    """The summary of a suite: `results` of the `positions` searched in `seconds`, `unusable` lines."""

    positions: int
    unusable: int
    results: Sequence[SuiteResult]
    seconds: float
    interrupted: bool

    @property
    def solved(self) -> int:
        """The number of solved positions."""
        return sum(result.solved for result in self.results)

    def lines(self) -> list[str]:
        """For people."""
        searched = len(self.results)
        lines = [] if searched == self.positions else [f"{searched} of {self.positions} positions searched"]
        share = f" ({100 * self.solved / searched:.1f}%)" if searched else ""
        nodes = count_text(self._nodes)
        lines.append(
            f"{self.solved} of {searched} solved{share} in {duration_text(self.seconds)}, {nodes} nodes"
        )
        if self._time_to_solution is not None:
            lines.append(f"mean time to solution {self._time_to_solution:.2f} s")
        if self._most_points:
            share = f"{100 * self._points / self._most_points:.1f}%"
            lines.append(f"{self._points} of {self._most_points} points ({share})")
        return lines

    def content(self) -> dict[str, Any]:
        """For machines; null if not known."""
        return {
            "positions": self.positions,
            "unusable": self.unusable,
            "searched": len(self.results),
            "solved": self.solved,
            "time": round(self.seconds, 3),
            "nodes": self._nodes,
            "time_to_solution": self._time_to_solution,
            "points": self._points if self._most_points else None,
            "most_points": self._most_points or None,
            "interrupted": self.interrupted,
        }

    @property
    def _nodes(self) -> int:
        return sum(result.final.nodes for result in self.results)

    @property
    def _time_to_solution(self) -> float | None:
        """The mean over the solved positions, in seconds."""
        times = [result.solution.milliseconds for result in self.results if result.solution]
        return round(mean(times) / _MILLISECONDS_PER_SECOND, 3) if times else None

    @property
    def _points(self) -> int:
        return sum(result.points or 0 for result in self.results)

    @property
    def _most_points(self) -> int:
        return sum(result.position.most_points for result in self.results)


def content(result: SuiteResult) -> dict[str, Any]:
    """A position for machines: the score is White's, times are in seconds; null if not known."""
    position, final = result.position, result.final
    board = position.board.copy(stack=False)
    return {
        "file": position.file,
        "line": position.line,
        "id": position.name,
        "fen": board.fen(),
        "chess960": board.chess960,
        "bm": [board.san(move) for move in position.best],
        "am": [board.san(move) for move in position.avoid],
        "dm": position.mate,
        "solved": result.solved,
        "solution": _moment(result.solution) if result.solution else None,
        "move": board.uci(result.move),
        "score": score_content(final.white),
        **_moment(final),
        "points": result.points,
        "most_points": position.most_points or None,
        "pv": [move.uci() for move in final.moves],
        "san": [board.san_and_push(move) for move in final.moves],
    }


def _moment(finding: Finding) -> dict[str, float]:
    return {
        "depth": finding.depth,
        "nodes": finding.nodes,
        "time": finding.milliseconds / _MILLISECONDS_PER_SECOND,
    }


class SuiteDisplay(Display):
    """Reports positions in their order, whatever the order in which their searches end."""

    def __init__(self, positions: Sequence[SuitePosition], as_json: bool, only_failed: bool) -> None:
        super().__init__(len(positions), as_json=as_json)
        self.results: list[SuiteResult] = []
        self._solved = 0
        self._positions = positions
        self._only_failed = only_failed
        self._table = SuiteTable(
            positions, self.console.width, self.console.encoding.lower().startswith("utf")
        )
        self._early: dict[int, SuiteResult] = {}
        self._under_way: dict[int, Text] = {}

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Show the progress while the suite runs, then the results that still waited for earlier ones."""
        if not self.as_json:
            self.print(self._table.head)
        with super().shown():
            yield
            for number in sorted(self._early):
                self._report(self._early.pop(number))

    def update(self, number: int, event: Finding | SuiteResult) -> None:
        """A finding or the result of a position."""
        if not isinstance(event, SuiteResult):
            self._under_way[number] = _running(self._positions[number], event)
            return
        self._under_way.pop(number, None)
        self._early[number] = event
        while (result := self._early.pop(len(self.results), None)) is not None:
            self._report(result)

    def finish(self, summary: SuiteSummary) -> None:
        """Print the summary."""
        if self.as_json:
            self.print_json("summary", summary.content())
        else:
            self.console.print("", *summary.lines(), sep="\n")

    def live(self) -> Group:
        """The searches under way and the bar. Touches no board, as another thread may be using it."""
        return Group(*(text for _, text in sorted(self._under_way.items(), key=itemgetter(0))), self.progress)

    def _report(self, result: SuiteResult) -> None:
        self.results.append(result)
        self._solved += result.solved
        self.progress.update(self.task, completed=len(self.results), description=f"{self._solved} solved")
        if self._only_failed and result.solved:
            return
        if self.as_json:
            self.print_json("position", content(result))
        else:
            self.print(self._table.row(result))


def _running(position: SuitePosition, finding: Finding) -> Text:
    move, score = position.board.san(finding.moves[0]), score_text(finding.white)
    text = f"{position.name}: depth {finding.depth}, {move} {score}, wanted {position.wanted}"
    return Text(text, style="dim", no_wrap=True, overflow="ellipsis")
