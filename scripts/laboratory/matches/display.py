"""A run as it goes: a progress bar at a terminal, a line now and then elsewhere."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Self

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from protocol.cli.terminal.console import PrintableConsole

if TYPE_CHECKING:
    from types import TracebackType

_SECONDS_PER_MINUTE = 60.0
# Twice a second is enough, and leaves the processor to the engines.
_REFRESHES_PER_SECOND = 2
_PLAIN_WIDTH = 150


class RunDisplay:
    """Shows how far a run is. Everything goes to standard output."""

    def __init__(self, unit: str, total: int, done: int, every: int) -> None:
        """`done` of `total` were done before; without a terminal, every so many are worth a line."""
        self._unit = unit
        self._total = total
        self._done = self._before = done
        self._every = every
        self._started = time.monotonic()
        probe = PrintableConsole()
        self.console = probe if probe.is_terminal else PrintableConsole(width=_PLAIN_WIDTH)
        self._progress: Progress | None = None
        if probe.is_terminal:
            self._progress = Progress(
                BarColumn(bar_width=20),
                MofNCompleteColumn(),
                TaskProgressColumn(),
                TextColumn("{task.description}"),
                TimeRemainingColumn(),
                console=probe,
                refresh_per_second=_REFRESHES_PER_SECOND,
            )
            self._task = self._progress.add_task("", total=total, completed=done)

    def __enter__(self) -> Self:
        if self._progress is not None:
            self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._progress is not None:
            self._progress.stop()

    def show(self, done: int, status: str) -> None:
        """So many are done, and this is how things stand."""
        before, self._done = self._done, done
        status = f"{status}  {self._rate():.1f} {self._unit}/min"
        if self._progress is not None:
            self._progress.update(self._task, completed=self._done, description=status)
        elif before // self._every != self._done // self._every or self._done >= self._total:
            self.console.print(f"{self._done}/{self._total}  {status}", highlight=False)

    def say(self, line: str) -> None:
        """A line of its own."""
        self.console.print(line, highlight=False, markup=False)

    def _rate(self) -> float:
        elapsed = max(time.monotonic() - self._started, 1e-9)
        return (self._done - self._before) / elapsed * _SECONDS_PER_MINUTE
