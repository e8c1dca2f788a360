"""Where a command writes: results on stdout, everything else on stderr.

Colour, boxes and updating in place are for terminals; elsewhere lines are plain and never broken. Text that a
terminal could obey is shown as escapes, whoever wrote it.
"""

from __future__ import annotations

import sys
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any

from rich.console import Console

from protocol.cli.terminal.stream import plain
from protocol.text import escaped

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import ConsoleOptions, RenderableType
    from rich.segment import Segment
    from rich.text import Text

_UNBROKEN = 10_000  # columns where there is no terminal, so that a line of text stays one


class PrintableConsole(Console):
    """A console on stdout or stderr that writes no control character but its own."""

    def __init__(self, *, stderr: bool = False, **options: Any) -> None:
        super().__init__(file=plain(sys.stderr if stderr else sys.stdout), **options)

    def render_str(self, text: str, **options: Any) -> Text:
        """See Console; what comes as a string is measured as it will be shown."""
        return super().render_str(escaped(text, "\n\t"), **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """See Console."""
        for segment in super().render(renderable, options):
            if segment.control or segment.text == "\n":
                yield segment
            else:
                yield segment._replace(text=escaped(segment.text, "\n"))


def output() -> Console:
    """The console on stdout."""
    return _console(stderr=False)


def messages() -> Console:
    """The console on stderr."""
    return _console(stderr=True)


def _console(*, stderr: bool) -> Console:
    stream = plain(sys.stderr if stderr else sys.stdout)
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(errors="replace")  # names have letters of any language, whatever can be shown
    console = PrintableConsole(stderr=stderr, highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console = PrintableConsole(
            stderr=stderr, highlight=False, markup=False, emoji=False, width=_UNBROKEN, no_color=True
        )
    return console
