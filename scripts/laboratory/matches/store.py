"""The files of a match: the games as PGN, and beside it the journal from which the match is resumed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, BinaryIO

from engine import files

from .journal import JournalError, RunJournal, whole
from .record import FinishedGame

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


_LARGEST_GAME = 1 << 20  # bytes


class Store:
    """Keeps each finished game in both files, whenever the match is interrupted.

    The journal has the last word: it says where the PGN of its last game ends, and what lies beyond is a game
    whose record was never written and which will be played again.
    """

    def __init__(self, pgn: Path, run: Mapping[str, Any]) -> None:
        """Open or create the files. Raises JournalError if they belong to another match or to none."""
        journal = pgn.with_suffix(".jsonl")
        if pgn.exists() and not journal.exists():
            raise JournalError(f"{pgn} exists, but no {journal.name} beside it to go on from")
        self._journal = RunJournal(journal, run)
        try:
            entries = self._journal.read(_entry)
            self.records = [record for record, _ in entries]
            _check_numbers(journal, self.records)
            self._pgn = _open_cut(pgn, max((end for _, end in entries), default=0))
        except JournalError:
            self._journal.close()
            raise
        except (OSError, ValueError) as error:
            self._journal.close()
            raise JournalError(f"{pgn} cannot be gone on with: {error}") from error

    def keep(self, record: FinishedGame, text: str) -> None:
        """Add a game to both files."""
        self._pgn.write(text.encode())
        self._pgn.flush()
        end = os.fstat(self._pgn.fileno()).st_size
        self._journal.append({"game": record.to_json(), "pgn_end": end})

    def close(self) -> None:
        """Close both files."""
        self._pgn.close()
        self._journal.close()


def _entry(entry: dict[str, Any]) -> tuple[FinishedGame, int]:
    """A game, and where the PGN ends with it."""
    return FinishedGame.from_json(entry["game"]), whole(entry["pgn_end"], 1)


def _check_numbers(journal: Path, records: Sequence[FinishedGame]) -> None:
    """Raise JournalError where a game is there twice."""
    if len({record.number for record in records}) < len(records):
        raise JournalError(f"{journal} has a game twice")


def _open_cut(path: Path, end: int) -> BinaryIO:
    """Open a file for appending after its first `end` bytes.

    Raises OSError, and ValueError if it has fewer, or more than can be the game that was not recorded.
    """
    file = os.fdopen(files.descriptor_of(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT), "ab")
    size = os.fstat(file.fileno()).st_size
    if not end <= size <= end + _LARGEST_GAME * (end > 0):
        file.close()
        raise ValueError(f"its journal tells of {end} bytes, but there are {size}")
    file.truncate(end)
    return file
