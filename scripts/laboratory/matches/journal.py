"""A record of what is done, line by line, from which a run that was killed goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, TypeVar

from protocol import journal
from protocol.journal import JournalError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from types import TracebackType

__all__ = ["JournalError", "RunJournal"]

LARGEST = 1 << 30
"""Bytes; a million games have as many."""

_Read = TypeVar("_Read")
_MOST = (1 << 63) - 1


class RunJournal(journal.Journal):
    """That of a run of one of the scripts; none is ever begun anew in the place of another."""

    def __init__(self, path: Path, run: Mapping[str, Any]) -> None:
        """Open or create the file. Raises JournalError if it is not the journal of this run, or in use."""
        try:
            super().__init__(path, run, largest=LARGEST)
            self.begin()
        except OSError as error:
            raise JournalError(f"{path}: {error.strerror}") from error

    def read(self, read: Callable[[dict[str, Any]], _Read]) -> list[_Read]:
        """All records as what they were made of. Raises JournalError where one is something else."""
        found = []
        for number, record in enumerate(self.records, 2):
            try:
                found.append(read(record))
            except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
                raise JournalError(f"{self.path} has a record in line {number} that is none") from error
        return found

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def whole(value: object, least: int = 0) -> int:
    """A whole number from `least` on that any file could have. Raises ValueError for anything else."""
    if type(value) is not int or not least <= value <= _MOST:
        raise ValueError("not a whole number")
    return value


def words(value: object) -> tuple[str, ...]:
    """A list of texts. Raises ValueError for anything else."""
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ValueError("not a list of texts")
    return tuple(value)
