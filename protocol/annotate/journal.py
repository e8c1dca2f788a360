"""The record of a run, line by line, from which a run that was killed goes on."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from engine import system
from protocol.annotate.errors import JournalError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

Record = dict[str, Any]


class Journal:
    """A file of JSON lines: first what the run is, then a record for each step of it.

    A line that was cut short counts as not written. While the journal is open no other process can open it.
    """

    def __init__(self, path: Path, run: Mapping[str, Any], *, restart: bool = False) -> None:
        """Open the file, or create it, and read its records; with `restart` forget what is in it.

        Raises JournalError where another process has it open or it belongs to another run, and OSError. A
        journal without records belongs to nobody.
        """
        self.path = path
        self.records: list[Record] = []
        self._file = _locked(path)
        try:
            self._take_over(json.loads(json.dumps(run)), restart)
        except BaseException:
            os.close(self._file)
            raise

    def append(self, record: Mapping[str, Any], *, sync: bool) -> None:
        """Add a record, handed to the operating system or, with `sync`, to the disk. Raises OSError."""
        length = os.fstat(self._file).st_size
        try:
            line = json.dumps(record, separators=(",", ":")).encode() + b"\n"
            write_all(self._file, line, str(self.path))
        except OSError:
            os.ftruncate(self._file, length)  # half a line would spoil the next one
            raise
        if sync:
            os.fsync(self._file)

    def keep(self, count: int) -> None:
        """Forget all records but the first ones. Raises OSError."""
        whole = _content(self._file).splitlines(keepends=True)
        os.ftruncate(self._file, sum(map(len, whole[: count + 1])))
        del self.records[count:]

    def remove(self) -> None:
        """Delete the file: the run is over. Raises OSError."""
        self.path.unlink()

    def close(self) -> None:
        """Let other processes have it."""
        os.close(self._file)

    def _take_over(self, run: Record, restart: bool) -> None:
        content = _content(self._file)
        lines, length = _lines(content)
        if restart or (len(lines) < 2 and content[:1] in {b"", b"{"}):
            os.ftruncate(self._file, 0)
            self.append(run, sync=True)
            return
        if not lines:
            raise JournalError(f"{self.path} is no journal of a run; --restart writes over it")
        if lines[0] != run:
            raise JournalError(
                f"{self.path} belongs to another run: {_difference(lines[0], run)}; --restart begins anew"
            )
        os.ftruncate(self._file, length)
        self.records = lines[1:]


def write_all(file: int, content: bytes, name: str) -> None:
    """Write all of it to a descriptor, which takes it as it likes. Raises OSError that tells the name."""
    rest = memoryview(content)
    try:
        while rest:
            rest = rest[os.write(file, rest) :]
    except OSError as error:
        raise OSError(error.errno, error.strerror, name) from None


def _locked(path: Path) -> int:
    """The descriptor of the file at `path`, which may be new, locked. Raises JournalError, OSError."""
    while True:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        try:
            locked = system.lock(file)
        except OSError:
            os.close(file)
            raise
        if locked and _is_at(file, path):
            return file
        os.close(file)
        if not locked:
            raise JournalError(f"{path} is in use by another run")
        # Else the run that had it open has just ended and deleted it: once more.


def _is_at(file: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except FileNotFoundError:
        return False


def _content(file: int) -> bytes:
    parts = []
    offset = 0
    while part := os.pread(file, 1 << 20, offset):
        parts.append(part)
        offset += len(part)
    return b"".join(parts)


def _lines(content: bytes) -> tuple[list[Record], int]:
    """What can be read up to the first line that is damaged, and how many bytes that is."""
    lines: list[Record] = []
    length = 0
    for text in content.splitlines(keepends=True):
        try:
            line = json.loads(text) if text.endswith(b"\n") else None
        except ValueError:
            break
        if not isinstance(line, dict):
            break
        lines.append(line)
        length += len(text)
    return lines, length


def _difference(found: Record, wanted: Record) -> str:
    keys = [key for key in {**found, **wanted} if found.get(key) != wanted.get(key)]
    return "; ".join(f"{key} was {_shown(found.get(key))} and is {_shown(wanted.get(key))}" for key in keys)


def _shown(value: object) -> str:
    return "not given" if value is None else str(value)
