"""The one clock of the search: monotonic, so that setting the time of day never loses a game."""

import cython

if not cython.compiled:
    from time import monotonic_ns as read_clock
    from time import thread_time_ns as read_thread_clock


def thread_time() -> int:
    """Nanoseconds for which processors have been busy with this thread."""
    return read_thread_clock()


def now() -> int:
    """Nanoseconds since some fixed moment."""
    return read_clock()
