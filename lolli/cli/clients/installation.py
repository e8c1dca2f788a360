"""How this installation of Lolli is started: the command that a client gets."""

from __future__ import annotations

import os
import shutil
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

from engine.system.installation import bundle, installer

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "lolli.exe" if os.name == "nt" else "lolli"
ROOT = Path(__file__).resolve().parents[3]
"""The folder that holds the packages: the checkout's own, or one of installed packages."""


class CommandError(Exception):
    """No program starts this installation."""


def engine_command() -> Path:
    """The full path of the program that speaks UCI when it gets no words. Raises CommandError."""
    for path in _candidates():
        if path.is_file() and os.access(path, os.X_OK):
            return path.absolute()
    raise CommandError("no program starts this installation: run `pip install .`, or scripts/run")


def _candidates() -> Iterator[Path]:
    if (file := bundle()) is not None:
        yield file
    if installer() == "checkout" and os.name != "nt":
        yield ROOT / "scripts" / "run"
    yield Path(sysconfig.get_path("scripts")) / NAME
    yield Path(sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user"))) / NAME
    found = shutil.which(NAME)
    if found is not None:
        yield Path(found)
