"""Tables of figures that fit the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.measure import Measurement
from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import Console, ConsoleOptions, RenderResult

_WIDEST = 1_000  # columns, more than any table needs


def figures_table(label: str, figures: Iterable[str], *, ranked: bool = False) -> Table:
    """An empty table: a column of names headed `label`, which may be folded, then columns of `figures`.

    `ranked` puts a column for the rank before the names.
    """
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    if ranked:
        table.add_column("#", justify="right", no_wrap=True)
    table.add_column(label, overflow="fold")
    for name in figures:
        table.add_column(name, justify="right", no_wrap=True)
    return table


class FirstFitting:
    """Prints the first of several tables that fits the terminal, or the last if none does."""

    def __init__(self, tables: Sequence[Table], slack: int = 0) -> None:
        """A table still fits if folding its names can save the missing columns, at most `slack`."""
        self._tables = tables
        self._slack = slack

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """See rich's console protocol."""
        for table in self._tables:
            needed = Measurement.get(console, options.update_width(_WIDEST), table).maximum
            if needed - self._slack <= options.max_width:
                break
        yield table
