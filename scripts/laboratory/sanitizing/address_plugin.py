"""A pytest plugin for the address sanitizer: tables are allocated on the heap, whose bounds it checks.

It does not check those of mapped memory, where one table may lie directly after another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine import memory

if TYPE_CHECKING:
    from mmap import mmap

_MOST = 64 << 20  # bytes; larger tables stay mapped
_mapped = memory._mapped


def _watched(size: int) -> mmap | bytearray:
    return bytearray(size) if 0 < size <= _MOST else _mapped(size)


memory._mapped = _watched  # type: ignore[assignment] # must precede all imports of it
