"""How much memory this process can have; and large pieces of it, zeros, taken only when written to."""

from __future__ import annotations

import mmap
import os
import sys
from contextlib import suppress
from threading import Lock
from weakref import WeakSet

from engine.system import linux
from engine.system.services import limit

LARGE = 256 << 20  # bytes; from this size on memory that is not needed is worth giving back
_SMALL = 16 << 20  # bytes that are taken without asking what is available
_SPARE = 64 << 20  # bytes left over for the rest of this process, and of the machine
_LITTLE = 1 << 20  # bytes that may be taken however little is available
_SHARE = 16  # the part of what is available to leave over, where that is more than _SPARE

_reserved: WeakSet[mmap.mmap] = WeakSet()
_changing = Lock()  # of _reserved, by players that are made side by side


class NoMemoryError(RuntimeError):
    """Not enough memory; the message says how much was wanted, in one line."""


def available() -> int:
    """How many more bytes this process can take and use.

    The least of what the machine has left and what control groups and limits of the process allow. Reserved
    memory counts as used: a system that overcommits would grant more, and kill the process when it uses it.
    """
    sizes = linux.own_sizes() or linux.Sizes(0, 0, 0)
    with _changing:
        reserved = [*_reserved]
    unused = sum(map(_unused, reserved))
    bounds = [_of_machine() - unused]
    if (left := linux.groups_memory()) is not None:
        bounds.append(left - unused)
    for name, used in (("RLIMIT_AS", sizes.address_space), ("RLIMIT_DATA", sizes.data)):
        if (bound := limit(name)) is not None:
            bounds.append(bound - used)
    return max(min(bounds), 0)


def reserve(size: int) -> mmap.mmap:
    """`size` bytes of zeros, aligned to cache lines. Raises NoMemoryError; see `check`."""
    check(size)
    return _mapped(size)


def reserve_most(size: int, least: int, besides: int = 0) -> mmap.mmap:
    """`size` bytes of zeros or as many megabytes as are available, at least `least` bytes.

    `besides`: bytes to leave for something else, up to half of what is available. Raises NoMemoryError.
    """
    if size > _SMALL:
        most = _most()
        size = min(size, most - min(besides, most // 2) >> 20 << 20)
    while size > least:
        with suppress(NoMemoryError):  # the address space may have no gap of that size
            return _mapped(size)
        size = size * 7 // 8 >> 20 << 20
    return _mapped(least)


def check(size: int) -> None:
    """Raise NoMemoryError unless `size` bytes are available to this process, and some to spare."""
    if size > _SMALL:
        there = available()
        if size + min(_SPARE, there // 4) > there:
            raise NoMemoryError(f"{size >> 20} MB are not available, only {there >> 20} MB")


class Headroom:
    """Whether there is memory left for something that grows piece by piece.

    Freed memory mostly stays with the process and is used again without taking from what is available: so
    even where next to nothing is available, growth goes on until that is taken.
    """

    def __init__(self) -> None:
        there = available()
        self._least = min(_SPARE, max(there // 2, _SPARE // 4), max(there - _LITTLE, 0))

    def is_left(self) -> bool:
        """Whether enough is left. Takes half a millisecond: too slow to ask for each piece."""
        return available() >= self._least


def _mapped(size: int) -> mmap.mmap:
    """`reserve` without `check`: the system decides. Raises NoMemoryError."""
    try:
        if hasattr(mmap, "MAP_PRIVATE"):
            memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        else:
            memory = mmap.mmap(-1, size)
    except (OSError, ValueError, OverflowError) as error:
        raise NoMemoryError(f"{size >> 20} MB are not available: {error}") from error
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):  # a system without huge pages serves as well
            memory.madvise(mmap.MADV_HUGEPAGE)
    with _changing:
        _reserved.add(memory)
    return memory


def _unused(memory: mmap.mmap) -> int:
    """Bytes that were never written to; all if unknown, and of a small piece, not worth finding out."""
    if len(memory) <= _SMALL:
        return len(memory)
    try:
        from ctypes import addressof, c_char  # noqa: PLC0415 - slow to load, and not needed at the start
    except (ImportError, OSError):  # no more files can be opened
        return len(memory)
    return len(memory) - linux.resident(addressof(c_char.from_buffer(memory)), len(memory))


def _most() -> int:
    """The largest piece to take of what is available: bytes, in whole megabytes."""
    there = available()
    return max(there - max(_SPARE, there // _SHARE), 0) >> 20 << 20


def _of_machine() -> int:
    """The bytes of memory that the machine has left, without swapping; all of them where /proc is missing."""
    if (left := linux.machine_memory()) is not None:
        return left
    if sys.platform == "linux":
        return os.sysconf("SC_PHYS_PAGES") * mmap.PAGESIZE
    import psutil  # noqa: PLC0415 - slow to load, and not needed on Linux

    free: int = psutil.virtual_memory().available
    return free
