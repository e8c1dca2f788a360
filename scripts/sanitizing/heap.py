"""For pytest, as a plugin: tables on the heap, where the address sanitizer watches.

It knows nothing of the borders of memory that is mapped, in which one table may lie next to another.
"""

from engine import memory


def _reserve(size: int, replaces: int = 0) -> bytearray:
    memory.check(size, replaces)
    return bytearray(size)


memory.reserve = _reserve  # type: ignore[assignment] # before those who import it
