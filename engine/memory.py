"""Large pieces of zeroed memory that are taken from the system only as they are written to."""

from __future__ import annotations

import mmap
from contextlib import suppress

LARGE = 256 << 20
"""Bytes from which it is worth asking what there is, and giving back what is no longer needed."""
_SPARE = 64 << 20


class NoMemoryError(RuntimeError):
    """Why so much memory cannot be had, in one line."""


def reserve(size: int, replaces: int = 0) -> mmap.mmap:
    """So many bytes of zeros, aligned to cache lines. Raises NoMemoryError; see `check`."""
    check(size, replaces)
    try:
        if not hasattr(mmap, "MAP_PRIVATE"):
            return mmap.mmap(-1, size)
        memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except (OSError, ValueError, OverflowError) as error:
        raise NoMemoryError(f"{size >> 20} MB cannot be had: {error}") from error
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):  # a system without huge pages serves as well
            memory.madvise(mmap.MADV_HUGEPAGE)
    return memory


def check(size: int, replaces: int = 0) -> None:
    """Raise NoMemoryError where the system has not so many bytes to give.

    `replaces`: the bytes that will be given up for these. A system that overcommits grants any size and
    kills the process when it is used: so large sizes are held against what is really available.
    """
    if size <= LARGE:
        return
    import psutil  # noqa: PLC0415 - what small tables need not wait for

    system = psutil.virtual_memory()
    available = min(system.available + replaces, system.total)
    if size + _SPARE > available:
        raise NoMemoryError(f"{size >> 20} MB cannot be had: {available >> 20} MB are available")
