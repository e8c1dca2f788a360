"""Where a command writes: results on stdout, everything else on stderr.

Colour, boxes and updating in place are for terminals; elsewhere lines are plain and never broken.
"""

from __future__ import annotations

import sys
from io import TextIOWrapper

from rich.console import Console

_UNBROKEN = 10_000  # columns where there is no terminal, so that a line of text stays one


def output() -> Console:
    """The console on stdout."""
    return _console(stderr=False)


def messages() -> Console:
    """The console on stderr."""
    return _console(stderr=True)


def _console(*, stderr: bool) -> Console:
    stream = sys.stderr if stderr else sys.stdout
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(errors="replace")  # names have letters of any language, whatever can be shown
    console = Console(stderr=stderr, highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console = Console(
            stderr=stderr, highlight=False, markup=False, emoji=False, width=_UNBROKEN, no_color=True
        )
    return console
