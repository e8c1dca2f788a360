"""A pytest plugin for the address sanitizer.

Tables are allocated on the heap, whose bounds it checks: it does not check those of mapped memory, where one
table may lie directly after another. Waiting threads end before the process does: its search for leaks may
crash where there are others.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from engine.system import memory, thread_pool

if TYPE_CHECKING:
    from mmap import mmap

_MOST = 64 << 20  # bytes; larger tables stay mapped
_mapped = memory._mapped


def _watched(size: int) -> mmap | bytearray:
    return bytearray(size) if 0 < size <= _MOST else _mapped(size)


def pytest_unconfigure() -> None:
    for thread in threading.enumerate():
        if isinstance(thread, thread_pool._PoolThread):
            thread.join()


thread_pool._PATIENCE = 0.1  # seconds
memory._mapped = _watched  # type: ignore[assignment] # must precede all imports of it
