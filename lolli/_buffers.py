"""What type checkers take for an array."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

if TYPE_CHECKING:
    from typing_extensions import Buffer


class NumpyArray(Protocol):
    """An array of numpy, which type checkers do not know to be a buffer before Python 3.12."""

    @property
    def __array_interface__(self) -> dict[str, Any]:
        """As numpy describes it."""


if TYPE_CHECKING:
    AnyBuffer: TypeAlias = Buffer | NumpyArray
    """Bytes, `array.array`, `memoryview`, an array of numpy, or whatever else is a buffer."""


def view_of(buffer: AnyBuffer) -> memoryview:
    """A view of a buffer. Raises TypeError where it is none."""
    found: Any = buffer
    return memoryview(found)
