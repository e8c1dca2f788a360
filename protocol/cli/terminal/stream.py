"""Where text for people leaves the process: what a terminal could obey leaves as escapes."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from io import TextIOWrapper
from typing import TYPE_CHECKING, TextIO

from protocol.text import escaped

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAMES = ("stdout", "stderr")


class PrintableStream(TextIOWrapper):
    """Stands for another stream, `plain`, and writes lines of text to it."""

    def __init__(self, plain: TextIOWrapper) -> None:
        super().__init__(plain.buffer, plain.encoding, plain.errors, write_through=True)
        self.plain = plain

    def write(self, text: str, /) -> int:
        """See TextIOWrapper."""
        super().write(escaped(text, "\n\t"))
        return len(text)

    def close(self) -> None:
        """The other one stays open."""


@contextmanager
def printable_streams() -> Iterator[None]:
    """Meanwhile stdout and stderr are such streams, for whatever is printed."""
    before = {name: getattr(sys, name) for name in _NAMES}
    for name, stream in before.items():
        if isinstance(stream, TextIOWrapper) and not isinstance(stream, PrintableStream):
            setattr(sys, name, PrintableStream(stream))
    try:
        yield
    finally:
        for name, stream in before.items():
            setattr(sys, name, stream)


def plain(stream: TextIO) -> TextIO:
    """The stream without this, for who writes colours and has made the text fit to be shown."""
    return stream.plain if isinstance(stream, PrintableStream) else stream
