"""Lines of input: reading them, and letting those that come too early wait for their turn."""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from threading import Condition
from typing import BinaryIO

from engine.system.files import make_blocking
from engine.system.thread_pool import run_in_thread

LONGEST_LINE = 1 << 20  # bytes; a game of a hundred thousand moves
MOST_WAITING = (
    1 << 20
)  # characters of lines that wait; then the reading thread waits, and in the end the client
_OVERHEAD = 64  # characters that a line counts in addition to its length
_CHECK_SECONDS = 0.2  # between two calls of `while_full`


def lines(stream: BinaryIO, refuse: Callable[[], None]) -> Iterator[str]:
    """The lines of a stream as text, without their ends and a byte order mark; what is not UTF-8 is replaced.

    `refuse` is called for a line longer than LONGEST_LINE, which is skipped. A stream that fails has ended.
    """
    with suppress(OSError):  # not a stream of the system
        make_blocking(stream.fileno())
    with suppress(OSError):
        encoding = "utf-8-sig"
        while data := stream.readline(LONGEST_LINE):
            if len(data) < LONGEST_LINE or data.endswith(b"\n"):
                yield data.decode(encoding, "replace").rstrip("\r\n")
                encoding = "utf-8"
                continue
            while data and not data.endswith(b"\n"):
                data = stream.readline(LONGEST_LINE)
            refuse()


class Backlog:
    """Lines that wait, and a thread that obeys them in order, as long as there are some.

    The reading thread can so read on, note when each line came, and act on some at once. At most MOST_WAITING
    characters wait, or one line that is longer. All methods are for the reading thread alone.
    """

    def __init__(
        self, obey: Callable[[str, int], None], while_full: Callable[[], None] = lambda: None
    ) -> None:
        """`obey(line, received_ns)` must not raise. `while_full()` runs now and then while `add` waits."""
        self._obey = obey
        self._while_full = while_full
        self._lines: deque[tuple[str, int]] = deque()
        self._characters = 0
        self._changed = Condition()
        self._at_work = False

    @property
    def empty(self) -> bool:
        return not self._at_work

    def add(self, line: str, received_ns: int = 0) -> None:
        """Have a line obeyed after all that wait; while too many wait, wait for some to be obeyed."""
        cost = len(line) + _OVERHEAD
        with self._changed:
            while self._lines and self._characters + cost > MOST_WAITING:
                if not self._changed.wait(_CHECK_SECONDS):
                    self._while_full()
            self._lines.append((line, received_ns))
            self._characters += cost
            if self._at_work:
                return
            self._at_work = True
        try:
            run_in_thread(self._work, "backlog")
        except (MemoryError, RuntimeError):
            # No more threads: this one obeys the line, and reads no `stop` meanwhile.
            self._while_full()
            self._work()

    def join(self, timeout: float | None = None) -> bool:
        """Wait until every line has been obeyed; False if that takes more than `timeout` seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: self.empty, timeout)

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.notify()
                if not self._lines:
                    self._at_work = False
                    return
                line, received_ns = self._lines.popleft()
                self._characters -= len(line) + _OVERHEAD
            self._obey(line, received_ns)
