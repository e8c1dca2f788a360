"""The consoles of a command: results on stdout, everything else on stderr.

Only terminals get colours and updates in place; elsewhere lines are plain and never broken. Control
characters in text are shown as escapes, wherever it comes from.
"""

from __future__ import annotations

import sys
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any

from rich.console import Console

from lolli.cli.terminal.tty import plain
from protocol.text import escaped

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import ConsoleOptions, RenderableType
    from rich.segment import Segment
    from rich.text import Text

_UNBROKEN = 10_000  # columns without a terminal, so that lines are never broken


class PrintableConsole(Console):
    """A console on stdout or stderr that writes no control characters but its own."""

    def __init__(self, *, stderr: bool = False, **options: Any) -> None:
        super().__init__(file=plain(sys.stderr if stderr else sys.stdout), **options)

    def render_str(self, text: str, **options: Any) -> Text:
        """See Console; a string is measured in its escaped form."""
        return super().render_str(escaped(text, "\n\t"), **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            if segment.control or segment.text == "\n":
                yield segment
            else:
                yield segment._replace(text=escaped(segment.text, "\n"))


def output() -> Console:
    return _console(stderr=False)


def messages() -> Console:
    return _console(stderr=True)


def _console(*, stderr: bool) -> Console:
    stream = plain(sys.stderr if stderr else sys.stdout)
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(errors="replace")  # names may have letters that the encoding lacks
    options = {"stderr": stderr, "highlight": False, "markup": False, "emoji": False}
    console = PrintableConsole(**options)
    return console if console.is_terminal else PrintableConsole(**options, width=_UNBROKEN, no_color=True)
