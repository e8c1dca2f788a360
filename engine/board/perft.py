"""Perft: the number of lines of legal moves, which tests move generation."""

import cython

from engine.board.movegen import MoveStack
from engine.board.position import Position

if not cython.compiled:
    from engine.board.bitboard import i64
    from engine.board.movegen import count_moves, generate

DEEPEST = 300  # plies for which the move stack has room, at 218 moves each; the undo stack has more


def perft(position: Position, depth: int) -> int:
    """The number of lines of `depth` plies, at most DEEPEST; the last ply is counted, not played."""
    _check(depth)
    if depth <= 0:
        return 1
    return _released(position.copy(), MoveStack(), depth)


def divide(position: Position, depth: int) -> list[tuple[int, int]]:
    """Each legal move with the number of lines of `depth` plies, at most DEEPEST, that begin with it."""
    _check(depth)
    position = position.copy()
    ms = MoveStack()
    result = []
    for i in range(generate(position, ms, 0, False)):
        move = ms.at(i)
        position.make(move)
        result.append((move, perft(position, depth - 1)))
        position.unmake()
    return result


def _check(depth: int) -> None:
    if depth > DEEPEST:
        raise ValueError(f"perft deeper than {DEEPEST} plies")


def _released(pos: Position, ms: MoveStack, depth: int) -> int:
    """Walk with the interpreter lock released."""
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
