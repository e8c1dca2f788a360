"""What the commands that make pictures and pages need: their packages, and where results go."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedWriter
from pathlib import Path

from protocol import given_file
from protocol.cli.evaluators import BadInputError
from protocol.cli.terminal.console import messages
from protocol.given_file import STDIO
from protocol.text import escaped_lines

_PACKAGES = frozenset(("jinja2", "markupsafe", "matplotlib", "numpy", "resvg_py"))


@contextmanager
def needing_packages(command: str) -> Iterator[None]:
    """Imports in here need the extra `report`. Raises BadInputError where that is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _PACKAGES:
            raise
        raise BadInputError(f"{command} needs more packages: pip install 'lolli[report]'") from None


def picture_kind(name: str) -> str:
    """`svg` or `png`, from the name of a file. Raises BadInputError for any other."""
    kind = Path(name).suffix.lower().removeprefix(".")
    if kind not in {"svg", "png"}:
        raise BadInputError(f"{name}: a picture's name ends with .svg or .png")
    return kind


def check_target(name: str, *sources: str) -> None:
    """Raises BadInputError where a file of that name cannot be made, or is a source of what will be in it."""
    path = Path(name)
    if name == STDIO:
        return
    if path.is_dir():
        raise BadInputError(f"{name} is a folder")
    if not path.parent.is_dir():
        raise BadInputError(f"{name}: there is no such folder")
    for source in sources:
        if Path(source).exists() and path.exists() and path.samefile(source):
            raise BadInputError(f"{source} would be written over: give another name")


def write_result(name: str, content: str | bytes) -> None:
    """Into the file of that name, which is told on stderr, or to stdout where it is `-`.

    Raises BadInputError where that cannot be done.
    """
    data = content.encode() if isinstance(content, str) else content
    if name == STDIO:
        if sys.stdout is None:
            raise BadInputError("stdout is closed")
        sys.stdout.buffer.write(escaped_lines(data) if sys.stdout.isatty() else data)
        sys.stdout.buffer.flush()
        return
    try:
        if given_file.is_stream(name):
            with BufferedWriter(given_file.open_stream(name)) as file:
                file.write(data)
        else:
            Path(name).write_bytes(data)
    except OSError as error:
        raise BadInputError(f"{name}: {error.strerror}") from None
    messages().print(f"wrote {name}")
