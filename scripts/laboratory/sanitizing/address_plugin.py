"""A plugin for pytest under the address sanitizer: tables on the heap, whose borders it watches.

It does not watch those of mapped memory, in which one table may lie beside another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine import memory

if TYPE_CHECKING:
    from mmap import mmap

_MOST = 64 << 20  # bytes; what is larger is mapped for good reasons
_mapped = memory._mapped


def _watched(size: int) -> mmap | bytearray:
    return bytearray(size) if 0 < size <= _MOST else _mapped(size)


memory._mapped = _watched  # type: ignore[assignment] # before those come who import it
