"""The files that pictures and pages are written to, and the packages that making them needs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedWriter
from pathlib import Path

from engine import files, installation
from protocol import given_file
from protocol.cli.terminal.console import messages
from protocol.given_file import STDIO
from protocol.text import escaped_lines

_PACKAGES = frozenset(("jinja2", "markupsafe", "matplotlib", "numpy", "resvg_py"))


class ReportError(Exception):
    """Why a picture or a page cannot be made, in one line."""


@contextmanager
def needing_packages(command: str) -> Iterator[None]:
    """For imports that need the extra `report`. Raises ReportError if it is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _PACKAGES:
            raise
        raise ReportError(f"{command} needs additional packages: {installation.to_add('report')}") from None


def picture_kind(name: str) -> str:
    """`svg` or `png`, from the ending of a file's name. Raises ReportError for any other."""
    kind = Path(name).suffix.lower().removeprefix(".")
    if kind not in {"svg", "png"}:
        raise ReportError(f"{name}: unsupported image type {Path(name).suffix!r}: use .svg or .png")
    return kind


def check_target(name: str, *sources: str) -> None:
    """Raises ReportError if the file cannot be created, or is one of the sources."""
    path = Path(name)
    if name == STDIO:
        return
    if not name:
        raise ReportError("the name of the file is empty")
    if path.is_dir():
        raise ReportError(f"{name} is a folder")
    if not path.parent.is_dir():
        raise ReportError(f"{name}: no such folder")
    for source in sources:
        if Path(source).exists() and path.exists() and path.samefile(source):
            raise ReportError(f"{source} would be overwritten: choose another name")


def write_result(name: str, content: str | bytes) -> None:
    """Write to the file of that name, and report it on stderr; `-` is stdout. Raises ReportError."""
    data = content.encode() if isinstance(content, str) else content
    if name == STDIO:
        sys.stdout.buffer.write(escaped_lines(data) if sys.stdout.isatty() else data)
        sys.stdout.buffer.flush()
        return
    try:
        if given_file.is_stream(name):
            with BufferedWriter(given_file.open_stream(name)) as file:
                file.write(data)
        else:
            files.write_whole(name, data)
    except OSError as error:
        raise ReportError(f"{name}: {error.strerror}") from None
    messages().print(f"wrote {name}")
