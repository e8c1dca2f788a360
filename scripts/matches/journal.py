"""A record of what is done, line by line, from which a run that was killed goes on."""

from __future__ import annotations

import fcntl
import json
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from types import TracebackType


class JournalError(Exception):
    """The journal cannot be used; the message says why."""


class Journal:
    """A file of JSON lines: first what the run is, then one record for each thing done.

    A line that was cut short counts as not written, and a journal without records belongs to nobody. While it
    is open no other process can open it.
    """

    def __init__(self, path: Path, run: Mapping[str, Any]) -> None:
        """Open or create the file. Raises JournalError if it belongs to another run or is in use."""
        self.path = path
        self.records: list[dict[str, Any]] = []
        try:
            self._file = path.open("a+b")
        except OSError as error:
            raise JournalError(f"{path}: {error.strerror}") from error
        try:
            self._take_over(path, json.loads(json.dumps(run)))
        except JournalError:
            self._file.close()
            raise

    def append(self, record: Mapping[str, Any]) -> None:
        """Add a record; it is with the operating system when this returns."""
        self._file.write(json.dumps(record, separators=(",", ":")).encode() + b"\n")
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _take_over(self, path: Path, run: dict[str, Any]) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise JournalError(f"{path} is in use by another run") from error
        self._file.seek(0)
        content = self._file.read()
        whole = content[: content.rfind(b"\n") + 1]
        try:
            lines = [json.loads(line) for line in whole.splitlines()]
        except (RecursionError, ValueError) as error:
            raise JournalError(f"{path} is no journal: {error}") from error
        if len(lines) > 1:
            if lines[0] != run:
                raise JournalError(f"{path} belongs to another run; {_difference(lines[0], run)}")
            self._file.truncate(len(whole))
            self.records = lines[1:]
        elif content and not content.startswith(b"{"):
            raise JournalError(f"{path} is no journal")
        else:
            self._file.truncate(0)
            self.append(run)


def _difference(found: object, wanted: dict[str, Any]) -> str:
    if not isinstance(found, dict):
        return "it begins otherwise"
    keys = [key for key in {**found, **wanted} if found.get(key) != wanted.get(key)]
    return "; ".join(f"{key} was {found.get(key)!r} and is {wanted.get(key)!r}" for key in keys)
