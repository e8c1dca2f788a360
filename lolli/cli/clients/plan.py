"""What is to be done in the file of a client, and doing it."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from itertools import count
from pathlib import Path
from typing import Protocol

from engine.system import files

LARGEST = 1 << 24
"""Bytes of a client's file."""
BACKUP = ".before-lolli"
"""At the end of the name of a copy; that of a second one has a number, too."""


class ClientFileError(Exception):
    """A client's file that cannot be read, understood or written, and was left as it is; in one line."""


class UnreadableClientFileError(ClientFileError):
    """What is wrong is not the content: it is not a file, or not one that this person may read."""


class Status(Enum):
    """What a client's file lacks."""

    PRESENT = "Lolli is there"
    MISSING = "to be added"
    OUTDATED = "to be changed: it names another command"
    INCOMPLETE = "to be changed: it lacks the engine's options"
    BY_HAND = "to be entered by hand"


@dataclass(frozen=True, slots=True)
class Plan:
    """`entry` is what belongs into `file`, `old` its content, `new` what is to be written.

    `old` is None where there is no file, `new` where there is nothing to write.
    """

    file: Path
    status: Status
    entry: str
    old: bytes | None = None
    new: bytes | None = None


class Client(Protocol):
    """A program in which people use engines."""

    @property
    def key(self) -> str:
        """Its name on the command line."""

    @property
    def title(self) -> str:
        """Its name."""

    @property
    def advice(self) -> str:
        """What to know before or after writing, in one line."""

    def file(self) -> Path | None:
        """Where its engines stand; None where that is not known."""

    def is_installed(self) -> bool:
        """Whether it is found on this machine."""

    def plan(self, file: Path, name: str, command: Path, /) -> Plan:
        """What the file lacks. Raises ClientFileError."""


def on_path(*programs: str) -> bool:
    """Whether one of the programs is found on PATH, or where Debian puts games."""
    places = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/games"))
    return any(shutil.which(program, path=places) for program in programs)


def content(file: Path) -> bytes | None:
    """The content of a file, None where there is none. Raises UnreadableClientFileError."""
    try:
        return files.read_file(file, LARGEST)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UnreadableClientFileError(f"{file}: {error.strerror}") from None


def carry_out(plan: Plan) -> Path | None:
    """Write the file, whole or not at all; the copy of what was there, if there was a file.

    A link stays one: what it leads to is written. Raises ClientFileError, also where the file is no
    longer as it was planned for.
    """
    if plan.new is None:
        return None
    file = Path(os.path.realpath(plan.file))
    if content(file) != plan.old:
        raise ClientFileError(f"{plan.file}: changed in the meantime: try again")
    backup = None
    try:
        if plan.old is not None:
            backup = backed_up(file, plan.old)
        file.parent.mkdir(parents=True, exist_ok=True)
        files.write_whole(file, plan.new)
    except OSError as error:
        if backup is not None:  # else --undo would take it for the last change
            with suppress(OSError):
                backup.unlink()
        raise ClientFileError(f"{error.filename or file}: {error.strerror}") from None
    return backup


def backed_up(file: Path, old: bytes, ending: str = BACKUP) -> Path:
    """A copy of a file with this content under a name that was free. Raises OSError."""
    for number in count():
        backup = file.with_name(f"{file.name}{ending}{f'.{number}' if number else ''}")
        with suppress(FileExistsError):
            files.write_whole(backup, old, file)
            return backup
    raise AssertionError
