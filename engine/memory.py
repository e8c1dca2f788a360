"""How much memory there is for this process; large pieces of it, zeros, taken only as they are written to."""

from __future__ import annotations

import mmap
from contextlib import suppress
from weakref import WeakSet

from engine import linux
from engine.system import limit

LARGE = 256 << 20
"""Bytes from which it is worth giving back what is no longer needed."""
_SMALL = 16 << 20  # bytes that are taken without asking what there is
_SPARE = 64 << 20  # bytes left over for the rest of this process, and of the machine
_LITTLE = 1 << 20  # bytes that may go whatever is left
_SHARE = 16  # or this part of what there is, where that is more

_reserved: WeakSet[mmap.mmap] = WeakSet()


class NoMemoryError(RuntimeError):
    """Why so much memory cannot be had, in one line."""


def available() -> int:
    """How many bytes more this process can take and use.

    The least of what the machine has, what the control groups of a container or service allow, and what the
    limits of the process do. Memory that was reserved and not yet used counts as used, as it may be at any
    time. A system that overcommits would grant more, and kill the process when it is used.
    """
    sizes = linux.own_sizes() or linux.Sizes(0, 0, 0)
    unused = sum(map(_unused, _reserved))
    bounds = [_of_machine() - unused]
    if (left := linux.groups_memory()) is not None:
        bounds.append(left - unused)
    for name, used in (("RLIMIT_AS", sizes.address_space), ("RLIMIT_DATA", sizes.data)):
        if (bound := limit(name)) is not None:
            bounds.append(bound - used)
    return max(min(bounds), 0)


def reserve(size: int) -> mmap.mmap:
    """So many bytes of zeros, aligned to cache lines. Raises NoMemoryError; see `check`."""
    check(size)
    return _mapped(size)


def reserve_most(size: int, least: int, besides: int = 0) -> mmap.mmap:
    """So many bytes or, where they cannot be had, as many megabytes as can, but at least `least` bytes.

    `besides`: bytes that something else will need; it gets half of what there is if need be. Raises
    NoMemoryError where not even `least` bytes can be had.
    """
    if size > _SMALL:
        most = _most()
        size = min(size, most - min(besides, most // 2) >> 20 << 20)
    while size > least:
        with suppress(NoMemoryError):  # an address space may have no gap so large
            return _mapped(size)
        size = size * 7 // 8 >> 20 << 20
    return _mapped(least)


def check(size: int) -> None:
    """Raise NoMemoryError where there are not so many bytes for this process, and some to spare."""
    if size > _SMALL:
        there = available()
        if size + min(_SPARE, there // 4) > there:
            raise NoMemoryError(f"{size >> 20} MB cannot be had: {there >> 20} MB are available")


class Room:
    """Tells something that grows piece by piece whether there is memory for more of it.

    What was freed before mostly stays with the process, and using it again makes nothing less available: so
    even where next to nothing is available at the beginning there is room until more than that is taken.
    """

    def __init__(self) -> None:
        """The growth begins now."""
        there = available()
        self._least = min(_SPARE, max(there // 2, _SPARE // 4), max(there - _LITTLE, 0))

    def is_left(self) -> bool:
        """Whether enough would be left over. Takes half a millisecond: not to be asked for each piece."""
        return available() >= self._least


def _mapped(size: int) -> mmap.mmap:
    """As `reserve`, but the system decides whether there is memory. Raises NoMemoryError."""
    try:
        if hasattr(mmap, "MAP_PRIVATE"):
            memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        else:
            memory = mmap.mmap(-1, size)
    except (OSError, ValueError, OverflowError) as error:
        raise NoMemoryError(f"{size >> 20} MB cannot be had: {error}") from error
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):  # a system without huge pages serves as well
            memory.madvise(mmap.MADV_HUGEPAGE)
    _reserved.add(memory)
    return memory


def _unused(memory: mmap.mmap) -> int:
    """Bytes that were never written to; of what is small all, rather than to find out."""
    if len(memory) <= _SMALL:
        return len(memory)
    from ctypes import addressof, c_char  # noqa: PLC0415 - slow to load, and not needed at the start

    return len(memory) - linux.resident(addressof(c_char.from_buffer(memory)), len(memory))


def _most() -> int:
    """The largest piece to take of what is available, in whole megabytes."""
    there = available()
    return max(there - max(_SPARE, there // _SHARE), 0) >> 20 << 20


def _of_machine() -> int:
    """What the machine has left, without swapping."""
    if (left := linux.machine_memory()) is not None:
        return left
    import psutil  # noqa: PLC0415 - slow to load, and not needed on Linux

    free: int = psutil.virtual_memory().available
    return free
