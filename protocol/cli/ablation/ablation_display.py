"""The experiment while it runs, and its results: tables for people, JSON for machines."""

from __future__ import annotations

from contextlib import contextmanager
from itertools import repeat
from threading import Lock
from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.text import Text

from protocol.cli.ablation.laboratory import NANOSECONDS, VariantResult
from protocol.cli.ablation.theory import (
    best_leaves,
    expected_leaves,
    mean_moves,
    minimax_leaves,
    unordered_leaves,
)
from protocol.cli.analysis.analyst import engine_fen
from protocol.cli.terminal.progress import Display
from protocol.cli.terminal.tables import FirstFitting, figures_table
from protocol.cli.terminal.words import count_text, duration_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from rich.console import RenderableType
    from rich.table import Table

    from protocol.cli.ablation.experiment import ExperimentPart
    from protocol.cli.ablation.laboratory import AblationProgress
    from protocol.cli.suites.epd import SuitePosition

_DISPENSABLE = ("Time ratio", "Time", "Found", "Depth", "Theory", "Nodes ratio")
"""The columns to leave out on a narrow terminal, in this order."""
_HEADINGS = {"Nodes ratio": "Ratio", "Time ratio": "Ratio"}
_MILLISECONDS, _PRECISE = 1000, 9.995
_LADDER_TITLE = "techniques added one by one; ratios to the row before"
_ABLATION_TITLE = "each technique switched by itself; ratios to the whole search"
_BELOW_ROWS = 6
"""Lines of the terminal that are not rows of the table: its head, the search under way, the bar."""


class AblationDisplay(Display):
    """Reports each search as it is measured, and shows a table when a part has ended."""

    def __init__(
        self, positions: Sequence[SuitePosition], parts: Sequence[ExperimentPart], *, as_json: bool
    ) -> None:
        super().__init__(len(positions) * sum(len(part.variants) for part in parts), as_json=as_json)
        self._positions = positions
        self._mean_moves = mean_moves(engine_fen(position.board) for position in positions)
        self._part = parts[0]
        self._results: list[VariantResult] = []
        self._under_way = Text()
        self._lock = Lock()
        self._done = 0

    @contextmanager
    def shown_for(self, part: ExperimentPart) -> Iterator[None]:
        """Show the progress while this part is measured, then its table."""
        with self._lock:
            self._part, self._results, self._under_way = part, [], Text()
        with self.shown():
            yield
        self._done += len(part.variants) * len(self._positions)
        if self._results and not self.as_json:
            self._show_table()

    def update(self, event: AblationProgress | VariantResult) -> None:
        """A search has reached a depth, or is finished."""
        with self._lock:
            if isinstance(event, VariantResult):
                self._results.append(event)
            else:
                position = self._positions[event.number % len(self._positions)]
                self._under_way = Text(
                    f"{event.variant.name}: {position.name}, depth {event.depth + 1}",
                    style="dim",
                    no_wrap=True,
                    overflow="ellipsis",
                )
        if not isinstance(event, VariantResult):
            self.progress.update(self.task, completed=self._done + event.number)
        elif self.as_json:
            self.print_json("search", self._content(event))

    def finish(self, unusable: int, seconds: float, *, interrupted: bool) -> None:
        """Print the summary."""
        count = len(self._positions)
        if self.as_json:
            summary = {
                "positions": count,
                "unusable": unusable,
                "legal_moves": round(self._mean_moves, 3),
                "time": round(seconds, 3),
                "interrupted": interrupted,
            }
            self.print_json("summary", summary)
            return
        positions = "1 position" if count == 1 else f"{count} positions"
        self.print(f"{positions} in {duration_text(seconds)}{', stopped' if interrupted else ''}")

    def live(self) -> Group:
        """The last rows of the table, the search under way and the bar."""
        with self._lock:
            rows = max(self.console.height - _BELOW_ROWS, 1)
            shown: list[RenderableType] = [self._table(rows)] if self._results else []
            return Group(*shown, self._under_way, self.progress)

    def _table(self, last: int | None = None) -> FirstFitting:
        return part_table(self._results, ladder=self._part.ladder, mean_moves=self._mean_moves, last=last)

    def _show_table(self) -> None:
        part, depth = self._part, self._part.limits.depth
        title = _LADDER_TITLE if part.ladder else _ABLATION_TITLE
        self.console.print(Text(f"Depth {depth}: {title}", style="bold"))
        self.console.print(self._table())
        if part.ladder and (reached := self._results[0].depth):
            self.console.print(_theory(self._mean_moves, reached))
        if any(result.depth < depth for result in self._results):
            self.console.print("Where the depth is smaller, the limit on nodes or time ended the search.")
        self.console.print()

    def _content(self, result: VariantResult) -> dict[str, Any]:
        """A search for machines; null if not known."""
        part, depth = self._part, result.depth
        theory = expected_leaves(result.variant.on, self._mean_moves, depth) if depth else None
        return {
            "part": "ladder" if part.ladder else "ablation",
            "search": result.variant.name,
            "on": sorted(result.variant.on),
            "wanted_depth": part.limits.depth,
            "depth": depth,
            "nodes": round(result.nodes(depth), 1) if depth else None,
            "time": round(result.seconds(depth), 6) if depth else None,
            "branching": None if result.branching is None else round(result.branching, 3),
            "theory": None if theory is None else round(theory, 1),
            "found": result.found,
            "asked": sum(position.asks for position in self._positions),
            "positions": [_position(*each) for each in zip(self._positions, result.measured, strict=True)],
        }


def _position(position: SuitePosition, measured: Sequence[Any]) -> dict[str, Any]:
    """One position for machines: the measurements of each depth, from 1."""
    return {
        "id": position.name,
        "fen": position.board.fen(),
        "nodes": [each.nodes for each in measured],
        "time": [each.nanoseconds / NANOSECONDS for each in measured],
        "moves": [each.move for each in measured],
    }


def _theory(b: float, depth: int) -> str:
    """The lines below the ladder: how many leaves theory expects."""
    best = f"{count_text(b ** (depth / 2))}, exactly {count_text(best_leaves(b, depth))}"
    lines = (
        f"Theory, with b = {b:.1f} legal moves and m = {depth} plies, in leaves:",
        f"  minimax                      b^m       {count_text(minimax_leaves(b, depth))}",
        f"  alpha-beta, random order     b^(3m/4)  {count_text(unordered_leaves(b, depth))}",
        f"  alpha-beta, best move first  b^(m/2)   {best}: {b:.1f} becomes {b**0.5:.1f}",
    )
    return "\n".join(lines)


def part_table(
    results: Sequence[VariantResult], *, ladder: bool, mean_moves: float, last: int | None = None
) -> FirstFitting:
    """The results of a part, only the `last` rows if that is given, with as many columns as fit.

    Ratios are to the row before in the `ladder`, otherwise to the first row. `mean_moves` is theory's b.
    """
    others = (None, *results) if ladder else (None, *repeat(results[0], len(results) - 1))
    rows = [
        (result.variant.name, _figures(result, other, ladder, mean_moves))
        for result, other in zip(results, others, strict=False)
    ]
    shown = rows if last is None else rows[-last:]
    return FirstFitting(
        [_table_of(shown, frozenset(_DISPENSABLE[:count])) for count in range(len(_DISPENSABLE) + 1)]
    )


def _table_of(rows: Sequence[tuple[str, Mapping[str, str]]], left_out: AbstractSet[str]) -> Table:
    names = [name for name in rows[0][1] if name not in left_out]
    table = figures_table("Search", [_HEADINGS.get(name, name) for name in names])
    for variant, figures in rows:
        table.add_row(variant, *(figures[name] for name in names))
    return table


def _figures(
    result: VariantResult, other: VariantResult | None, ladder: bool, mean_moves: float
) -> dict[str, str]:
    """The figures of a row, by column; empty if not known."""
    depth, asked = result.depth, sum(position.asks for position in result.positions)
    ratios = (result.ratios(other) if other else None) or (None, None)
    theory = expected_leaves(result.variant.on, mean_moves, depth) if depth else None
    row = {
        "Depth": str(depth),
        "Nodes": count_text(result.nodes(depth)) if depth else "",
        "Theory": "" if theory is None else count_text(theory),
        "Nodes ratio": ratio_text(ratios[0]),
        "Time": time_text(result.seconds(depth)) if depth else "",
        "Time ratio": ratio_text(ratios[1]),
        "Branching": "" if result.branching is None else f"{result.branching:.2f}",
        "Found": f"{result.found}/{asked}",
    }
    if not ladder:
        del row["Theory"]
    if not asked:
        del row["Found"]
    return row


def ratio_text(ratio: float | None) -> str:
    """Three digits: `0.0213`, `1.43`, `117`; empty for None."""
    if ratio is None:
        return ""
    return count_text(ratio) if ratio >= 999.5 else f"{ratio:#.3g}".rstrip(".")


def time_text(seconds: float) -> str:
    """`0.14 ms`, `12.3 ms`, `4.56 s`."""
    milliseconds = _MILLISECONDS * seconds
    if milliseconds >= _MILLISECONDS - 0.5:
        return f"{seconds:.2f} s"
    return f"{milliseconds:.{2 if milliseconds < _PRECISE else 1}f} ms"
