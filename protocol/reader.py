"""The lines that come in."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import BinaryIO

LONGEST_LINE = 1 << 20  # bytes; a game of a hundred thousand moves


def lines(stream: BinaryIO, refuse: Callable[[], None]) -> Iterator[str]:
    """The lines of a stream as text, without their ends; what is not UTF-8 is replaced.

    A line longer than LONGEST_LINE is skipped, and `refuse` called. A stream that fails has ended.
    """
    with suppress(OSError):
        while data := stream.readline(LONGEST_LINE):
            if len(data) < LONGEST_LINE or data.endswith(b"\n"):
                yield data.decode("utf-8", "replace").rstrip("\r\n")
                continue
            while data and not data.endswith(b"\n"):
                data = stream.readline(LONGEST_LINE)
            refuse()
