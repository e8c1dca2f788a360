"""The one clock of the search: monotonic, so that setting the time of day never loses a game."""

import cython

if not cython.compiled:
    from time import monotonic_ns as read_clock


def now() -> int:
    """Nanoseconds since some fixed moment."""
    return read_clock()
