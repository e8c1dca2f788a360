"""The journal of a run, a line for each step, from which a run that was killed resumes.

    {"journal":"lolli","input":"1042 bytes","nodes":100000,"sum":1503238553}
    {"offset":390,"number":2,"sum":3203883904}

The first line describes the run, and marks the file as ours; every other line is the record of a step. `sum`
is the CRC-32 of the line without it. A file with anything else in it is refused and left as it is.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING, Any
from zlib import crc32

from engine.system import files
from lolli.cli import given_file
from lolli.cli.given_file import difference

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

Record = dict[str, Any]

LARGEST = 1 << 24
"""Bytes; a run of a month writes a fifth of them."""

_MARK = {"journal": "lolli"}
_BEGIN = b'{"journal":"lolli",'
LONGEST_LINE = 1 << 20
"""Bytes; reading a line may take twenty times as much memory."""

_SUM = re.compile(rb'(\{.+),"sum":([0-9]{1,10})\}')


class JournalError(Exception):
    """A journal that cannot be used; the message says why, in one line."""


class Journal:
    """While it is open, no other process can open it.

    A last line that cannot be read, such as one that was cut short, counts as not written, unless it is whole
    and the only record: then the file is refused.
    """

    def __init__(
        self,
        path: Path,
        run: Mapping[str, Any],
        *,
        largest: int = LARGEST,
    ) -> None:
        """Open or create the file and read its records. It is not changed before `begin`.

        Any run may take over a journal without records. Raises JournalError if another process has it open,
        or it is not a journal, is damaged, or belongs to another run; and OSError, also for a link.
        """
        self.path = path
        self.records: list[Record] = []
        self._ends: list[int] = []  # of the first line and of each record, in bytes
        self._run: Record = json.loads(json.dumps(run))
        self._begun = False
        self._file = locked(path)
        try:
            self._take_over(self._run, largest)
        except BaseException:
            os.close(self._file)
            raise

    def begin(self) -> None:
        """Write the description of the run, if need be, and cut off what is not a record. Raises OSError."""
        if self._begun:
            return
        self._begun = True
        os.ftruncate(self._file, self._ends[-1] if self._ends else 0)
        if not self._ends:
            self.append({**_MARK, **self._run}, sync=True)
            self._ends = [os.fstat(self._file).st_size]

    def append(self, record: Mapping[str, Any], *, sync: bool = False) -> None:
        """Wait until the system or, with `sync`, the disk has the record. Raises OSError."""
        self.begin()
        files.append_to(self._file, _line(record), str(self.path))
        if sync:
            os.fsync(self._file)

    def close(self) -> None:
        os.close(self._file)

    def _take_over(self, run: Record, largest: int) -> None:
        content = _content(self._file, self.path, largest)
        found = _read(content)
        if content and not _is_ours(content, found.run, run):
            raise JournalError(_refusal(self.path, found.run, run))
        if not found.records and found.damaged is None:
            return
        if found.run is not None and found.run != run:
            reason = f"belongs to another run: {difference(found.run, run)}"
            raise JournalError(f"{self.path} {reason}")
        if found.damaged is not None:
            raise JournalError(f"{self.path} is damaged in line {found.damaged}")
        self.records, self._ends = found.records, found.ends


@dataclass(slots=True)
class _Found:
    """The description of the run, None if there is none, and the records.

    `ends` are the offsets of their ends. `damaged` is the number of a line that cannot be read although a
    whole line follows it, or although it is the only record and whole.
    """

    run: Record | None = None
    records: list[Record] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    damaged: int | None = None


def run_of(line: bytes) -> Record:
    return _read(line).run or {}


def locked(path: Path) -> int:
    """The descriptor of the file, which may be new, locked. Raises JournalError, OSError."""
    try:
        return given_file.locked(path)
    except given_file.BadInputError as error:
        raise JournalError(error.message) from None


def _content(file: int, path: Path, largest: int) -> bytes:
    with os.fdopen(os.dup(file), "rb") as reader:
        return files.read_all(reader, largest, str(path))


def _line(record: Mapping[str, Any]) -> bytes:
    text = json.dumps(record, separators=(",", ":")).encode()
    return b'%b,"sum":%d}\n' % (text[:-1], crc32(text))


def _read(content: bytes) -> _Found:
    found = _Found()
    is_checked = content.startswith(_BEGIN)
    end, damaged, is_whole = 0, None, False
    for number, line in enumerate(BytesIO(content), 1):
        end += len(line)
        record = _parsed(line, is_checked=is_checked)
        if damaged is not None and line.endswith(b"\n"):
            found.damaged = damaged
            break
        if record is None:
            if damaged is None:
                damaged, is_whole = number, line.endswith(b"\n")
        else:
            found.ends.append(end)
            if number > 1:
                found.records.append(record)
            else:
                found.run = {key: value for key, value in record.items() if (key, value) not in _MARK.items()}
    if is_whole and not found.records:
        found.damaged = damaged
    return found


def _parsed(line: bytes, *, is_checked: bool) -> Record | None:
    """None if cut short, not an object, or with a wrong sum. Old journals have no sums."""
    if not line.endswith(b"\n") or len(line) > LONGEST_LINE:
        return None
    match = _SUM.fullmatch(line[:-1])
    if match is not None and crc32(match[1] + b"}") == int(match[2]):
        line = match[1] + b"}"
    elif is_checked:
        return None
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def _is_ours(content: bytes, found: Record | None, run: Record) -> bool:
    """Also true for a first line that was cut short, if it begins like one of a journal."""
    if found is None:
        first, newline, _ = content.partition(b"\n")
        return not newline and (first.startswith(_BEGIN) or _BEGIN.startswith(first))
    return content.startswith(_BEGIN) or found == run


def _refusal(path: Path, found: Record | None, run: Record) -> str:
    if found is not None and found.keys() & run.keys():
        return f"{path} belongs to another run: {difference(found, run)}"
    return f"{path} is not the journal of a run: move it away"
