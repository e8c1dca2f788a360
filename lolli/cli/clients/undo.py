"""Taking back what was written into a client's file: the copy of what was there is put back."""

from __future__ import annotations

import os
import re
from pathlib import Path

from engine.system import files
from lolli.cli.clients.plan import BACKUP, ClientFileError, backed_up, content

_UNDONE = ".before-undo"


def kept_copies(file: Path) -> list[Path]:
    """The copies that were made when the file was written, oldest first."""
    file = Path(os.path.realpath(file))
    name = re.compile(rf"{re.escape(file.name + BACKUP)}(?:\.([0-9]+))?")
    try:
        found = [(match, path) for path in file.parent.iterdir() if (match := name.fullmatch(path.name))]
    except OSError:
        return []
    return [path for _, path in sorted(found, key=lambda pair: int(pair[0][1] or 0))]


def put_back(file: Path) -> Path | None:
    """Restore the last copy and delete it; what was there goes into another copy.

    Returns that one, or None if there was no file. Raises ClientFileError, also where there is no copy.
    """
    copies = kept_copies(file)
    if not copies:
        raise ClientFileError(f"{file}: no copy of what was there before")
    old = content(copies[-1])
    file = Path(os.path.realpath(file))
    present = content(file)
    if old is None:
        raise ClientFileError(f"{copies[-1]}: changed in the meantime: try again")
    try:
        kept = None if present is None else backed_up(file, present, _UNDONE)
        files.write_whole(file, old)
        copies[-1].unlink()
    except OSError as error:
        raise ClientFileError(f"{error.filename or file}: {error.strerror}") from None
    return kept
