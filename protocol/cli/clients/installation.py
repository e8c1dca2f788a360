"""How this installation of Lolli is started: the command that a client gets."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

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


def is_checkout() -> bool:
    """Whether this is a checkout of the source, started by its scripts/run."""
    return (ROOT / "scripts" / "run").is_file() and (ROOT / "pyproject.toml").is_file()


def way() -> str:
    """How it was installed: `checkout`, `bundle`, `pipx`, `uv` or `pip`."""
    if is_checkout():
        return "checkout"
    if _bundle().is_file():
        return "bundle"
    parts = Path(sys.prefix).parts
    return "pipx" if "pipx" in parts else "uv" if {"uv", "tools"} <= set(parts) else "pip"


def reinstalling(extra: str = "") -> str:
    """The command that installs it once more, with what an extra needs."""
    wanted = f"lolli[{extra}]" if extra else "lolli"
    return {
        "checkout": f".venv/bin/pip install -e '.[{extra}]'" if extra else "scripts/build --force",
        "bundle": "make the file anew with scripts/bundle",
        "pipx": f"pipx install --force '{wanted}'",
        "uv": f"uv tool install --force '{wanted}'",
        "pip": f"pip install --force-reinstall '{wanted}'",
    }[way()]


def _bundle() -> Path:
    """The archive that was started, if it is one: __main__.py is inside of it."""
    return Path(getattr(sys.modules["__main__"], "__file__", None) or "").parent


def _candidates() -> Iterator[Path]:
    if _bundle().is_file():
        yield _bundle()
    if is_checkout() and os.name != "nt":
        yield ROOT / "scripts" / "run"
    yield Path(sysconfig.get_path("scripts")) / NAME
    yield Path(sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user"))) / NAME
    found = shutil.which(NAME)
    if found is not None:
        yield Path(found)
