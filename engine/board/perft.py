"""Perft: the number of lines of legal moves, which tests move generation."""

from collections.abc import Callable, Iterator

import cython

from engine.board.movegen import MoveStack, legal_moves
from engine.board.position import COMPILED, Position

if not cython.compiled:
    from engine.board.bitboard import i64
    from engine.board.movegen import count_moves, generate

DEEPEST = 300  # plies for which the move stack has room, at 218 moves each; the undo stack has more

AT_ONCE = 4 if COMPILED else 3
"""Plies that are counted in one call: a fraction of a second, after which a stop is noticed."""


class StoppedError(Exception):
    """The count was not finished."""


def perft(position: Position, depth: int) -> int:
    """The number of lines of `depth` plies, at most DEEPEST; the last ply is counted, not played."""
    if depth > DEEPEST:
        raise ValueError(f"perft deeper than {DEEPEST} plies")
    if depth <= 0:
        return 1
    return _released(position.copy(), MoveStack(), depth)


def divide(
    position: Position, depth: int, stopped: Callable[[], bool] = lambda: False
) -> Iterator[tuple[int, int]]:
    """Each legal move with the number of lines of `depth` plies, 1 … DEEPEST, that begin with it.

    Raises StoppedError soon after `stopped()` is true.
    """
    position = position.copy()
    for move in legal_moves(position):
        position.make(move)
        nodes = _count(position, depth - 1, stopped)
        position.unmake()
        yield move, nodes


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


def _released(pos: Position, ms: MoveStack, depth: int) -> int:
    with cython.nogil:
        nodes = _walk(pos, ms, 0, depth)
    return nodes


def _walk(pos: Position, ms: MoveStack, start: int, depth: int) -> int:
    if depth == 1:
        return count_moves(pos, ms, start)
    end = generate(pos, ms, start, False)
    nodes = i64(0)
    for i in range(start, end):
        pos.make(ms.move[i])
        nodes += _walk(pos, ms, end, depth - 1)
        pos.unmake()
    return nodes
