# cython: language_level=3
"""A fault for each sanitizer, compiled as the kernel is: one that is not reported means that none would be."""

from threading import Barrier, Thread

from cpython.ref cimport Py_INCREF

cdef class Victim:
    cdef volatile long long count  # volatile, or the compiler would count at once


def address(int index=9):
    """Read beyond allocated memory."""
    cdef int[::1] numbers = __import__("array").array("i", [1] * 8)
    return (&numbers[0])[index]


def undefined(int number=0x7FFFFFFF):
    """Compute a number that an int cannot hold."""
    return number + 1


def leak():
    """Lose memory that was allocated."""
    Py_INCREF(bytes(1000 + len(__name__)))


def _count(Victim victim, barrier):
    cdef int i
    barrier.wait()
    with nogil:
        for i in range(20_000_000):
            victim.count += 1


def thread():
    """Count in two threads that nothing orders."""
    victim, barrier = Victim(), Barrier(2)
    threads = [Thread(target=_count, args=(victim, barrier)) for _ in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
