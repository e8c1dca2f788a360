"""For pytest, as a plugin: tables on the heap, where the address sanitizer watches.

It knows nothing of the borders of memory that is mapped, in which one table may lie next to another.
"""

from engine import memory

memory._mapped = bytearray  # type: ignore[assignment] # before those who import what calls it
