"""Numbers among the arguments: whole ones where they count something."""

from numbers import Real
from operator import index


def whole(what: str, number: object) -> int:
    """The number, if it is whole, as an int; also one of numpy's. Raises TypeError in one line."""
    try:
        return index(number)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{what} must be a whole number, not {_shown(number)}") from None


def real(what: str, number: object) -> float:
    """The number as a float. Raises TypeError in one line."""
    if not isinstance(number, Real):
        raise TypeError(f"{what} must be a number, not {_shown(number)}")
    return float(number)


def _shown(value: object) -> str:
    return f"{value!r:.40}"
