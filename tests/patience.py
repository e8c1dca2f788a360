"""How long a test waits for what comes at once, unless something hangs."""

import time
from collections.abc import Callable

PATIENCE = 240.0
"""Seconds: less than pytest allows a test, more than a machine with twenty busy programs takes."""
_POLL = 0.005  # seconds


def wait_until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(_POLL)
