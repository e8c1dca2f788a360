"""The files of a match: the games as PGN, and beside it the journal from which the match is resumed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, BinaryIO

from .journal import Journal, JournalError
from .record import GameRecord

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


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
        self._journal = Journal(journal, run)
        try:
            entries = [
                (GameRecord.from_json(entry["game"]), entry["pgn_end"]) for entry in self._journal.records
            ]
            end = max((end for _, end in entries), default=0)
            self._pgn = _open_cut(pgn, end)
        except (KeyError, TypeError, ValueError, OSError) as error:
            self._journal.close()
            raise JournalError(f"{pgn} cannot be gone on with: {error!r}") from error
        self.records = [record for record, _ in entries]

    def keep(self, record: GameRecord, text: str) -> None:
        """Add a game to both files."""
        self._pgn.write(text.encode())
        self._pgn.flush()
        end = os.fstat(self._pgn.fileno()).st_size
        self._journal.append({"game": record.to_json(), "pgn_end": end})

    def close(self) -> None:
        """Close both files."""
        self._pgn.close()
        self._journal.close()


def _open_cut(path: Path, end: int) -> BinaryIO:
    """Open a file for appending after its first `end` bytes. Raises OSError, ValueError if it has fewer."""
    file = path.open("ab")
    size = os.fstat(file.fileno()).st_size
    if size < end:
        file.close()
        raise ValueError(f"its journal tells of {end} bytes, but there are {size}")
    file.truncate(end)
    return file
