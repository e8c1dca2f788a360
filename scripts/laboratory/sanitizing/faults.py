"""One fault of each kind that the sanitizers must find, compiled in the same way as the kernel.

Each is committed on purpose, in a process of its own, before the kernel is tested: a sanitizer that does not
report them would not report faults of the kernel either.
"""

from array import array
from collections.abc import Callable
from threading import Barrier, Thread

import cython

if not cython.compiled:

    def i32(number: float) -> int:
        """In C a conversion to int, which may overflow."""
        return int(number)

    def keep(thing: object) -> None:
        """In C a reference that is never released."""


_TIMES = 20_000_000
"""Enough for two threads to overlap, even on a busy machine."""


class Victim:
    """The object of the faults."""

    def __init__(self, size: int) -> None:
        self.numbers = array("i", [1] * size)
        self.inside = [0] * 8
        self.count = 0

    def read(self, index: int) -> int:
        """An element of a separate block of memory."""
        return self.numbers[index]

    def read_inside(self, index: int) -> int:
        """An element of an array inside the object."""
        return self.inside[index]

    def add(self, number: int) -> int:
        """Add to the first element."""
        return self.numbers[0] + number

    def shift(self, places: int) -> int:
        """Shift the first element to the left."""
        return self.numbers[0] << places

    def truncate(self, number: float) -> int:
        """The whole part of a number."""
        return i32(number)

    def count_up(self, times: int) -> None:
        """Count, with the interpreter's lock released."""
        with cython.nogil:
            for _ in range(times):
                self.count += 1

    def count_up_locked(self, times: int) -> None:
        """Count under the interpreter's lock."""
        for _ in range(times):
            self.count += 1


def heap_overflow() -> None:
    """Read beyond allocated memory."""
    Victim(8).read(9)


def array_overflow() -> None:
    """Read beyond an array, but inside the object that it is a part of."""
    Victim(8).read_inside(8)


def signed_overflow() -> None:
    """Compute a number that an int cannot hold."""
    Victim(8).add(0x7FFFFFFF)


def wide_shift() -> None:
    """Shift an int by more places than it has."""
    Victim(8).shift(40)


def float_overflow() -> None:
    """Make an int of a float that it cannot hold."""
    Victim(8).truncate(1e20)


def leak() -> None:
    """Lose memory that was allocated."""
    keep(Victim(8))


def race() -> None:
    """Count in two threads that nothing orders."""
    victim = Victim(8)
    _together(lambda: victim.count_up(_TIMES))


def no_race() -> None:
    """Count in two threads that the interpreter's lock orders: no fault, and not to be reported."""
    victim = Victim(8)

    def count() -> None:
        for _ in range(1000):  # so that they take turns
            victim.count_up_locked(_TIMES // 10_000)

    _together(count)


def _together(work: Callable[[], None]) -> None:
    barrier = Barrier(2)

    def run() -> None:
        barrier.wait()
        work()

    threads = [Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
