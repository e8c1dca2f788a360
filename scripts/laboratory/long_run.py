"""Tools of commands that run for hours: a journal to resume from, a display, an orderly end."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn, Self, TypeVar

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from engine.system.files import open_file
from lolli.cli.terminal.screen import PrintableConsole
from scripts.laboratory import journal
from scripts.laboratory.journal import JournalError

__all__ = ["JournalError", "RunJournal"]

LARGEST_JOURNAL = 1 << 30
"""Bytes; a million games take as many."""

FAILED = 2
"""The exit status of a command that could not go on."""
INTERRUPTED = 130
"""The exit status of a command that was interrupted."""

_LARGEST_NUMBER = (1 << 63) - 1
_SECONDS_PER_MINUTE = 60.0
_REFRESHES_PER_SECOND = 2  # few, to leave the processor to the engines
_PLAIN_WIDTH = 150

_Read = TypeVar("_Read")


class RunJournal(journal.Journal):
    def __init__(self, path: Path, run: Mapping[str, Any]) -> None:
        try:
            super().__init__(path, run, largest=LARGEST_JOURNAL)
            self.begin()
        except OSError as error:
            raise JournalError(f"{path}: {error.strerror}") from error

    def read(self, read: Callable[[dict[str, Any]], _Read]) -> list[_Read]:
        found = []
        for number, record in enumerate(self.records, 2):
            try:
                found.append(read(record))
            except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
                raise JournalError(f"{self.path}, line {number}: not a record of this command") from error
        return found

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def description_in(path: Path) -> dict[str, Any]:
    try:
        with open_file(path, LARGEST_JOURNAL) as file:
            return journal.run_of(file.readline(journal.LONGEST_LINE))
    except OSError:
        return {}


@contextmanager
def the_only_run(path: Path) -> Iterator[None]:
    """A locked file for a run that has no journal. A file left by a killed run does no harm."""
    path.parent.mkdir(parents=True, exist_ok=True)
    file = journal.locked(path)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        os.close(file)


def checkout_commit() -> str | None:
    words = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    try:
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def whole(value: object, least: int = 0) -> int:
    if type(value) is not int or not least <= value <= _LARGEST_NUMBER:
        raise ValueError("not a whole number")
    return value


def strings(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ValueError("not a list of strings")
    return tuple(value)


class RunDisplay:
    """The progress of a run on standard output: a bar in a terminal, occasional lines elsewhere."""

    def __init__(self, unit: str, total: int, done: int, every: int) -> None:
        self._unit = unit
        self._total = total
        self._done = self._before = done
        self._every = every
        self._started = time.monotonic()
        self.console = wide_console(_PLAIN_WIDTH)
        self._progress: Progress | None = None
        if self.console.is_terminal:
            self._progress = Progress(
                BarColumn(bar_width=20),
                MofNCompleteColumn(),
                TaskProgressColumn(),
                TextColumn("{task.description}"),
                TimeRemainingColumn(),
                console=self.console,
                refresh_per_second=_REFRESHES_PER_SECOND,
            )
            self._task = self._progress.add_task("", total=total, completed=done)

    def __enter__(self) -> Self:
        if self._progress is not None:
            self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._progress is not None:
            self._progress.stop()

    def show(self, done: int, status: str) -> None:
        before, self._done = self._done, done
        status = self._with_rate(status)
        if self._progress is not None:
            self._progress.update(self._task, completed=self._done, description=status)
        elif before // self._every != self._done // self._every or self._done >= self._total:
            self.console.print(f"{self._done}/{self._total}  {status}", highlight=False)

    def say(self, line: str) -> None:
        self.console.print(line, highlight=False, markup=False, soft_wrap=True)

    def _with_rate(self, status: str) -> str:
        elapsed = max(time.monotonic() - self._started, 1e-9)
        rate = (self._done - self._before) / elapsed * _SECONDS_PER_MINUTE
        return f"{status}  {rate:.1f} {self._unit}/min"


def wide_console(width: int) -> PrintableConsole:
    probe = PrintableConsole()
    return probe if probe.is_terminal else PrintableConsole(width=width)


def exit_status(work: Callable[[], object], say: Callable[[str], object], *failures: type[Exception]) -> int:
    """0, INTERRUPTED (also by SIGTERM), or FAILED after a failure to write or one of `failures`."""
    interrupt_on_sigterm()
    try:
        work()
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        if isinstance(error, OSError) and error.filename is not None:
            say(f"Cannot go on: {error.filename}: {error.strerror}")
        elif isinstance(error, failures):
            say(f"Cannot go on: {error}")
        else:
            raise
        return FAILED
    return 0


def interrupt_on_sigterm() -> None:
    """Have SIGTERM raise KeyboardInterrupt, as SIGINT does, so that child processes are ended in order."""
    signal.signal(signal.SIGTERM, _interrupt)


def _interrupt(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt
