"""Limits, from python-chess's to the engine's."""

from chess.engine import Limit

from engine.search.limits import Limits
from lolli._errors import LimitError
from protocol.uci.parser import GO_NUMBERS


def limit_of(
    limit: Limit | None, *, depth: int | None, nodes: int | None, time: float | None, mate: int | None
) -> Limit | None:
    """The limit given in either way; None where none is given. Raises LimitError for both ways at once."""
    if depth is nodes is time is mate is None:
        return limit
    if limit is not None:
        raise LimitError("limits are given in a Limit or by name, not both")
    return Limit(depth=depth, nodes=nodes, time=time, mate=mate)


def engine_limits(limit: Limit | None, moves: tuple[int, ...] = (), *, ponder: bool = False) -> Limits:
    """What UCI's `go` would be sent for this limit; None is none at all. Raises LimitError."""
    if limit is None:
        return Limits(search_moves=moves)
    try:
        return Limits(
            time=(_milliseconds("wtime", limit.white_clock), _milliseconds("btime", limit.black_clock)),
            increment=(
                _milliseconds("winc", limit.white_inc, 0) or 0,
                _milliseconds("binc", limit.black_inc, 0) or 0,
            ),
            moves_to_go=_bounded("movestogo", int(limit.remaining_moves or 0)) or None,
            depth=_count("depth", limit.depth),
            nodes=_count("nodes", limit.nodes),
            move_time=_milliseconds("movetime", limit.time),
            mate=_count("mate", limit.mate),
            ponder=ponder,
            search_moves=moves,
        )
    except (OverflowError, TypeError, ValueError):
        raise LimitError(f"not a limit: {limit}") from None


def _milliseconds(word: str, seconds: float | None, least: int = 1) -> int | None:
    return None if seconds is None else _bounded(word, max(least, round(1000 * seconds)))


def _count(word: str, number: float | None) -> int | None:
    return None if number is None else _bounded(word, max(1, int(number)))


def _bounded(word: str, number: int) -> int:
    """What the parser makes of a number after this word of `go`."""
    smallest, largest = GO_NUMBERS[word]
    return min(max(number, smallest), largest)
