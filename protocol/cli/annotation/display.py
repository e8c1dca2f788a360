"""What is seen of a run: its progress on a terminal, the games that were copied, JSON, the sum."""

from __future__ import annotations

import json
import sys
import time
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from rich.progress import Progress, TaskProgressColumn, TextColumn

from protocol.cli.terminal.bar import bar_column
from protocol.cli.terminal.console import messages
from protocol.cli.terminal.progress import below
from protocol.cli.terminal.words import duration_text
from protocol.journal import write_all
from protocol.text import escaped_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import RenderableType

    from protocol.cli.annotation.facts import Facts
    from protocol.cli.annotation.output import AnnotationTally, Checkpoint
    from protocol.cli.pgn.games import RawGame

_SECONDS_PER_MINUTE = 60


class AnnotationDisplay:
    """Listens to a run."""

    def __init__(self, begin: Checkpoint, size: int | None, *, bar: bool, as_json: bool) -> None:
        """The run begins at a checkpoint in an input of `size` bytes, None where that is not known."""
        self._console = messages()
        self._begin = begin
        self._size = size
        self._as_json = as_json
        self._started = time.monotonic()
        self._has_bar = bar
        self._progress = Progress(bar_column(), TaskProgressColumn(), TextColumn("{task.description}"))
        self._task = self._progress.add_task("", total=size, completed=begin.offset)
        self._print: Callable[[RenderableType], None] = partial(self._console.print, soft_wrap=True)

    @contextmanager
    def shown(self) -> Iterator[None]:
        """For as long as the run takes."""
        if not self._has_bar:
            yield
            return
        alone = self._print
        with below(self._console, lambda: self._progress) as self._print:
            yield
        self._print = alone

    def wrote(self, raw: RawGame, facts: Facts) -> None:
        """See Listener."""
        if self._as_json:
            _print_json({"number": raw.number, **facts})

    def copied(self, raw: RawGame, line: int, reason: str) -> None:
        """See Listener."""
        self.say(f"game {raw.number}, line {line}: {reason}; copied as it is")
        if self._as_json:
            _print_json({"number": raw.number, "error": reason, "line": line})

    def moved(self, offset: int, tally: AnnotationTally) -> None:
        """See Listener."""
        words = f"{games_text(tally.games)}  {self._rate(tally):.1f} games/min"
        done = offset - self._begin.offset
        if self._size is not None and done:
            left = (time.monotonic() - self._started) * (self._size - offset) / done
            words += f"  {duration_text(left)} left"
        self._progress.update(self._task, completed=offset, description=words)

    def say(self, line: str) -> None:
        """A line of its own."""
        self._print(line)

    def summary(self, tally: AnnotationTally) -> str:
        """What has been done, by earlier parts of the run, too; time and rate are those of this part."""
        parts = [
            f"{games_text(tally.games)}, {tally.positions:,} positions",
            f"{tally.inaccuracies:,} ?!, {tally.mistakes:,} ?, {tally.blunders:,} ??",
            f"{tally.copied:,} copied unread" if tally.copied else "",
            f"{duration_text(time.monotonic() - self._started)}, {self._rate(tally):.1f} games/min",
        ]
        return "; ".join(part for part in parts if part)

    def _rate(self, tally: AnnotationTally) -> float:
        """Games a minute."""
        elapsed = max(time.monotonic() - self._started, 1e-9)
        return (tally.games - self._begin.tally.games) / elapsed * _SECONDS_PER_MINUTE


def games_text(number: int) -> str:
    """`1 game`, `1,000 games`."""
    return f"{number:,} game" if number == 1 else f"{number:,} games"


def _print_json(content: Facts) -> None:
    line = escaped_json(json.dumps(content, ensure_ascii=False))
    write_all(sys.stdout.fileno(), f"{line}\n".encode(), "stdout")
