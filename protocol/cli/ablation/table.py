"""The table of a part: as many of its columns as there is room for."""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.measure import Measurement
from rich.table import Table

from protocol.cli.ablation.theory import expected_leaves
from protocol.cli.terminal.words import count_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from rich.console import Console, ConsoleOptions, RenderResult

    from protocol.cli.ablation.cell import VariantResult

_DISPENSABLE = ("Time ratio", "Time", "Found", "Depth", "Theory", "Nodes ratio")
"""In this order, where there is no room."""
_HEADINGS = {"Nodes ratio": "Ratio", "Time ratio": "Ratio"}
_WIDEST = 1_000
"""Columns of a terminal, more than the table ever needs."""
_MILLISECONDS, _PRECISE = 1000, 9.995


class PartTable:
    """The cells of a part that are there; `mean_moves` is theory's b.

    Ratios are those to the row before in the `ladder`, else to the first row.
    """

    def __init__(
        self, cells: Sequence[VariantResult], *, ladder: bool, mean_moves: float, last: int | None = None
    ) -> None:
        """Only the `last` rows of them, if that is given."""
        others = (None, *cells) if ladder else (None, *repeat(cells[0], len(cells) - 1))
        rows = [
            (cell.variant.name, _row(cell, other, ladder, mean_moves))
            for cell, other in zip(cells, others, strict=False)
        ]
        self._rows = rows if last is None else rows[-last:]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The first table that there is room for, names folded if need be."""
        for table in self._tables():
            if Measurement.get(console, options.update_width(_WIDEST), table).maximum <= options.max_width:
                break
        yield table

    def _tables(self) -> Iterator[Table]:
        for count in range(len(_DISPENSABLE) + 1):
            yield self._table(frozenset(_DISPENSABLE[:count]))

    def _table(self, left_out: AbstractSet[str]) -> Table:
        table = Table(box=SIMPLE_HEAD, pad_edge=False)
        table.add_column("Search", overflow="fold")
        names = [name for name in self._rows[0][1] if name not in left_out]
        for name in names:
            table.add_column(_HEADINGS.get(name, name), justify="right", no_wrap=True)
        for variant, row in self._rows:
            table.add_row(variant, *(row[name] for name in names))
        return table


def _row(cell: VariantResult, other: VariantResult | None, ladder: bool, mean_moves: float) -> dict[str, str]:
    """The cells of the table; empty where there is nothing to tell."""
    depth, asked = cell.depth, sum(position.asks for position in cell.positions)
    ratios = (cell.ratios(other) if other else None) or (None, None)
    row = {
        "Depth": str(depth),
        "Nodes": count_text(cell.nodes(depth)) if depth else "",
        "Theory": "",
        "Nodes ratio": ratio_text(ratios[0]),
        "Time": time_text(cell.seconds(depth)) if depth else "",
        "Time ratio": ratio_text(ratios[1]),
        "Branching": "" if cell.branching is None else f"{cell.branching:.2f}",
        "Found": f"{cell.found}/{asked}",
    }
    theory = expected_leaves(cell.variant.on, mean_moves, depth)
    if theory is not None and depth:
        row["Theory"] = count_text(theory)
    if not ladder:
        del row["Theory"]
    if not asked:
        del row["Found"]
    return row


def ratio_text(ratio: float | None) -> str:
    """Three digits: `0.0213`, `1.43`, `117`; empty where there is none."""
    if ratio is None:
        return ""
    return count_text(ratio) if ratio >= 999.5 else f"{ratio:#.3g}".rstrip(".")


def time_text(seconds: float) -> str:
    """`0.14 ms`, `12.3 ms`, `4.56 s`."""
    milliseconds = _MILLISECONDS * seconds
    if milliseconds >= _MILLISECONDS - 0.5:
        return f"{seconds:.2f} s"
    return f"{milliseconds:.{2 if milliseconds < _PRECISE else 1}f} ms"
