"""What the outside may tell a compiled search while it runs without the interpreter's lock."""

import cython

if not cython.compiled:
    from time import monotonic_ns as read_clock


class Control:
    """A stop flag, which any thread may set at any time, and a deadline.

    Both are volatile in C: a compiler may otherwise read them once and never again.
    """

    def __init__(self) -> None:
        self._stop = False
        self._deadline = 0

    def begin(self, seconds: float | None) -> None:
        """Forget the last search; this one stops itself after so many seconds, if any."""
        self._deadline = 0 if seconds is None else read_clock() + max(round(seconds * 1e9), 0)
        self._stop = False

    def stop(self) -> None:
        """Ask the search to end."""
        self._stop = True

    def stopped(self) -> bool:
        """Whether the search has been asked to end or has found that its time is up."""
        return self._stop

    def expired(self) -> bool:
        """Like `stopped`, but looks at the clock too."""
        if not self._stop and self._deadline and read_clock() >= self._deadline:
            self._stop = True
        return self._stop
