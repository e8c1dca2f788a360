"""Medians, ratios, and the table that is printed."""

from __future__ import annotations

import math
from statistics import median
from typing import TYPE_CHECKING, TypeVar

import click
from rich.progress import track
from rich.table import Table

from protocol.cli.terminal.console import PrintableConsole

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Figure = TypeVar("Figure")

_WIDTH_WITHOUT_TERMINAL = 120
NONE = ""
FASTER = "Lolli faster"  # the heading of a ratio


def alternate(turns: Sequence[Callable[[], Figure]], rounds: int) -> list[list[Figure]]:
    """Let all have their turn, then all again (A B A B …); for each, its figure of every round."""
    figures: list[list[Figure]] = [[] for _ in turns]
    console = PrintableConsole(stderr=True)
    for _ in track(range(rounds), "", console=console, transient=True, disable=not console.is_terminal):
        for turn, column in zip(turns, figures, strict=True):
            column.append(turn())
    return figures


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> str:
    """The median of the ratios of each round, with the smallest and the largest."""
    ratios = [one / other for one, other in zip(ours, theirs, strict=True)]
    return f"{_rounded(median(ratios))} ({_rounded(min(ratios))} … {_rounded(max(ratios))})"


def worst_of_100(values: Sequence[float]) -> float:
    """The value that 99 of 100 do not exceed."""
    return sorted(values)[math.ceil(len(values) * 99 / 100) - 1]


def milliseconds(seconds: float) -> str:
    """Seconds as a number of milliseconds."""
    return f"{seconds * 1000:.1f}"


def millions(number: float) -> str:
    """A rate in millions a second."""
    return f"{number / 1e6:.3g}" if number < 1e8 else f"{number / 1e6:.0f}"


def show(
    title: str, head: Sequence[str], rows: Sequence[Sequence[str]], rounds: int | None, note: str
) -> None:
    """Print a table; the first column is text, the others are numbers. The note explains them.

    `rounds` is how often each was measured, None where that was once.
    """
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column(head[0], no_wrap=True)
    for name in head[1:]:
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(*row)
    probe = PrintableConsole()
    console = probe if probe.is_terminal else PrintableConsole(width=_WIDTH_WITHOUT_TERMINAL)
    console.print(table, highlight=False)
    compared = ", of ratios with (smallest … largest)" if "faster" in " ".join(head) else ""
    if rounds is not None:
        click.echo(f"Rounds by turns: {rounds}. Medians{compared}.")
    click.echo(note)


def _rounded(number: float) -> str:
    return f"{number:.0f}" if number >= 100 else f"{number:.2f}"
