"""Large pieces of zeroed memory that are taken from the system only as they are written to."""

from __future__ import annotations

import mmap
from contextlib import suppress

_LARGE = 256 << 20
_SPARE = 64 << 20


class NoMemoryError(RuntimeError):
    """Why so much memory cannot be had, in one line."""


def reserve(size: int) -> mmap.mmap:
    """So many bytes of zeros. Raises NoMemoryError where the system has not so much to give.

    A system that overcommits grants any size and kills the process when it is used: so large sizes are
    held against the memory that is really available.
    """
    if size > _LARGE:
        import psutil  # noqa: PLC0415 - what small tables need not wait for

        available = psutil.virtual_memory().available
        if size + _SPARE > available:
            raise NoMemoryError(f"{size >> 20} MB do not fit: {available >> 20} MB are available")
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
