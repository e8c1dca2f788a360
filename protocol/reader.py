"""The lines that come in: how they are read, and how those wait that came too early."""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from threading import Condition, Thread
from typing import BinaryIO

LONGEST_LINE = 1 << 20  # bytes; a game of a hundred thousand moves
MOST_WAITING = 64  # lines; then the reading thread waits, and in the end the client


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


class Backlog:
    """Lines that wait, and a thread that obeys them; it lives as long as there are some.

    So the thread that reads can read on: it notes when each line came, and hears `quit`. All methods are for
    that thread alone. `obey` waits until the line may be obeyed, and must not raise.
    """

    def __init__(self, obey: Callable[[str, int], None]) -> None:
        self._obey = obey
        self._lines: deque[tuple[str, int]] = deque()
        self._changed = Condition()
        self._at_work = False

    @property
    def empty(self) -> bool:
        """Whether every line has been obeyed."""
        return not self._at_work

    def add(self, line: str, received_ns: int) -> None:
        """Have a line obeyed after all that wait."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._lines) < MOST_WAITING)
            self._lines.append((line, received_ns))
            if self._at_work:
                return
            self._at_work = True
        try:
            Thread(target=self._work, name="backlog", daemon=True).start()
        except RuntimeError:  # the system has no more threads: then reading has to wait
            self._work()

    def join(self) -> None:
        """Wait until every line has been obeyed."""
        with self._changed:
            self._changed.wait_for(lambda: self.empty)

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.notify()
                if not self._lines:
                    self._at_work = False
                    return
                line, received_ns = self._lines.popleft()
            self._obey(line, received_ns)
