"""A plugin for pytest under the address sanitizer: what it should watch besides, and what it should not."""

from __future__ import annotations

import ctypes
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING

from engine import memory

if TYPE_CHECKING:
    from mmap import mmap

_MOST_ON_THE_HEAP = 64 << 20  # bytes; what is larger is mapped for good reasons
_LEAKING = ("numpy", "pyspiel")  # libraries of the tests that lose memory when they are imported
_mapped = memory._mapped


def _watched(size: int) -> mmap | bytearray:
    """Memory whose borders are watched: those of mapped memory are not, and tables may lie side by side."""
    return bytearray(size) if 0 < size <= _MOST_ON_THE_HEAP else _mapped(size)


def _import_unwatched() -> None:
    runtime = ctypes.CDLL(None)
    runtime.__lsan_disable()
    for name in _LEAKING:
        with suppress(ImportError):
            import_module(name)
    runtime.__lsan_enable()


memory._mapped = _watched  # type: ignore[assignment] # before those come who import it
_import_unwatched()
