"""Perft that shows the count of each root move as it comes, and can be stopped."""

from collections.abc import Callable, Iterator

from engine.board.movegen import legal_moves
from engine.board.notation import move_text
from engine.board.perft import perft
from engine.board.position import COMPILED, Position

# Plies that the kernel counts in one call: a fraction of a second, after which a stop is noticed.
AT_ONCE = 4 if COMPILED else 3


class StoppedError(Exception):
    """The count was not finished."""


def divide(position: Position, depth: int, stopped: Callable[[], bool]) -> Iterator[tuple[int, int]]:
    """Each root move with the number of leaves `depth` plies deep, at least 1. Raises StoppedError."""
    position = position.copy()
    for move in legal_moves(position):
        position.make(move)
        nodes = _count(position, depth - 1, stopped)
        position.unmake()
        yield move, nodes


def report(
    position: Position, depth: int, chess960: bool, stopped: Callable[[], bool], say: Callable[[str], None]
) -> list[str]:
    """Pass `e2e4: 20` to `say` for each root move, and return the lines with the sum, as Stockfish does."""
    total = 0
    try:
        for move, nodes in divide(position, depth, stopped):
            say(f"{move_text(move, chess960)}: {nodes}")
            total += nodes
    except StoppedError:
        return ["info string perft stopped"]
    return ["", f"Nodes searched: {total}", ""]


def _count(position: Position, depth: int, stopped: Callable[[], bool]) -> int:
    if stopped():
        raise StoppedError
    if depth <= AT_ONCE:
        return perft(position, depth)
    nodes = 0
    for move in legal_moves(position):
        position.make(move)
        nodes += _count(position, depth - 1, stopped)
        position.unmake()
    return nodes
