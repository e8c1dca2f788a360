"""The bar of every command that takes a while: how much is done, how long it has taken and will take."""

from __future__ import annotations

from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn
from rich.text import Text

from protocol.cli.terminal.words import duration_text

_WIDTH = 30


def bar_column() -> BarColumn:
    """The bar itself."""
    return BarColumn(_WIDTH, complete_style="cyan", finished_style="green")


def bar() -> Progress:
    """A bar of a number of steps, to be shown by `below`."""
    return Progress(MofNCompleteColumn(), bar_column(), TextColumn("{task.description}"), _Times())


class _Times(ProgressColumn):
    """`12 s, 1:05 left`."""

    def render(self, task: Task) -> Text:
        left = task.time_remaining
        words = duration_text(task.elapsed or 0)
        return Text(words if left is None else f"{words}, {duration_text(left)} left", style="dim")
