"""Tools of commands that run for hours: a journal to resume from, a display, an orderly end."""

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn, Self, TypeVar
from zlib import crc32

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from engine.system import files
from lolli.cli import given_file
from lolli.cli.given_file import difference
from lolli.cli.terminal.screen import PrintableConsole

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
_MARK = {"journal": "lolli"}
_BEGIN = b'{"journal":"lolli",'
_LONGEST_LINE = 1 << 20  # bytes; reading a line may take twenty times as much memory
_SUM = re.compile(rb'(\{.+),"sum":([0-9]{1,10})\}')

_Read = TypeVar("_Read")


class JournalError(Exception):
    """A journal that cannot be used; the message says why, in one line."""


class RunJournal:
    """The journal of a run, a line for each step, from which a run that was killed resumes.

        {"journal":"lolli","input":"1042 bytes","nodes":100000,"sum":1503238553}
        {"offset":390,"number":2,"sum":3203883904}

    The first line describes the run, every other one is the record of a step. `sum` is the CRC-32 of the line
    without it. A last line that is cut short or damaged counts as not written, unless it is whole and the
    only record. While the journal is open, no other process can open it.
    """

    def __init__(self, path: Path, run: Mapping[str, Any]) -> None:
        """Open or create the file. Any run may take over a journal without records.

        Raises JournalError, and leaves the file as it is, if another process has it open or it is not a
        journal, is damaged, or belongs to another run.
        """
        self.path = path
        try:
            self._file = _locked(path)
            try:
                self.records = self._take_over(json.loads(json.dumps(run)))
            except BaseException:
                os.close(self._file)
                raise
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

    def append(self, record: Mapping[str, Any]) -> None:
        """Wait until the system has the record. Raises OSError."""
        text = json.dumps(record, separators=(",", ":")).encode()
        files.append_to(self._file, b'%b,"sum":%d}\n' % (text[:-1], crc32(text)), str(self.path))

    def close(self) -> None:
        os.close(self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _take_over(self, run: dict[str, Any]) -> list[dict[str, Any]]:
        with os.fdopen(os.dup(self._file), "rb") as reader:
            content = files.read_all(reader, LARGEST_JOURNAL, str(self.path))
        is_marked, lines = content.startswith(_BEGIN), list(BytesIO(content))
        head, *found = [_parsed(line, is_marked) for line in lines] or [None]
        begun = lines[0] if len(lines) == 1 and not lines[0].endswith(b"\n") else b""
        is_cut_short = begun != b"" and (is_marked or _BEGIN.startswith(begun))
        mine = head is not None and _without_mark(head) == run
        if content and not mine and not is_cut_short and (head is None or not is_marked):
            if head is None or not head.keys() & run.keys():
                raise JournalError(f"{self.path} is not the journal of a run: move it away")
            raise JournalError(f"{self.path} belongs to another run: {difference(head, run)}")
        if found and found[-1] is None and (len(found) > 1 or not lines[-1].endswith(b"\n")):
            found.pop()
        if found and not mine:
            raise JournalError(
                f"{self.path} belongs to another run: {difference(_without_mark(head or {}), run)}"
            )
        records = [record for record in found if record is not None]
        if len(records) < len(found):
            raise JournalError(f"{self.path} is damaged in line {found.index(None) + 2}")
        os.ftruncate(self._file, sum(map(len, lines[: len(records) + 1])) if mine else 0)
        if not mine:
            self.append({**_MARK, **run})
            os.fsync(self._file)
        return records


def _without_mark(head: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in head.items() if (key, value) not in _MARK.items()}


def _parsed(line: bytes, is_marked: bool) -> dict[str, Any] | None:
    """None if cut short, not an object, or with a wrong sum. Old journals, without a mark, have no sums."""
    if not line.endswith(b"\n") or len(line) > _LONGEST_LINE:
        return None
    match = _SUM.fullmatch(line[:-1])
    if match is not None and crc32(match[1] + b"}") == int(match[2]):
        line = match[1] + b"}"
    elif is_marked:
        return None
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def _locked(path: Path) -> int:
    try:
        return given_file.locked(path)
    except given_file.BadInputError as error:
        raise JournalError(error.message) from None


def description_in(path: Path) -> dict[str, Any]:
    try:
        with files.open_file(path, LARGEST_JOURNAL) as file:
            line = file.readline(_LONGEST_LINE)
            return _without_mark(_parsed(line, line.startswith(_BEGIN)) or {})
    except OSError:
        return {}


@contextmanager
def the_only_run(path: Path) -> Iterator[None]:
    """A locked file for a run that has no journal. A file left by a killed run does no harm."""
    path.parent.mkdir(parents=True, exist_ok=True)
    file = _locked(path)
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
