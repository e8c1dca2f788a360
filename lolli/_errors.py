"""What can go wrong; each message is one line. All are python-chess's EngineError, or derived from it."""

from operator import index

from chess.engine import EngineError, EngineTerminatedError

__all__ = ["EngineError", "EngineTerminatedError", "LimitError", "OptionError", "PositionError"]


class PositionError(EngineError, ValueError):
    """A board from which no game could go on, of another variant, or a move that is not legal there."""


class LimitError(EngineError, ValueError):
    """No limit where one is needed, or limits given in two ways."""


class OptionError(EngineError, ValueError):
    """An unknown option, or a value that it cannot have."""


def whole(what: str, number: object) -> int:
    """The number, if it is whole, as an int; also one of numpy's. Raises TypeError in one line."""
    try:
        return index(number)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{what} must be a whole number, not {number!r:.40}") from None
