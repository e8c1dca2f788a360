"""Where a disc may be placed in Othello, and which discs it turns. othello_lines.pxd has the same in C.

Positions are the discs of the player to move and the others'; square `row * 8 + column`.
"""

from engine.system.bits import u64

_DIRECTIONS = (
    (8, 0xFFFFFFFFFFFFFFFF),
    (1, 0x7E7E7E7E7E7E7E7E),
    (7, 0x7E7E7E7E7E7E7E7E),
    (9, 0x7E7E7E7E7E7E7E7E),
)
"""A step, both ways, and where the discs lie that can be enclosed along it."""


def legal_moves(own: int, others: int, board: int) -> int:
    """The empty squares of a board where a disc would enclose some of the others' discs."""
    ends = 0
    for step, inner in _DIRECTIONS:
        up, down = _lines(own, others & inner, step)
        ends |= up << step | down >> step
    return u64(ends) & board & ~(own | others)


def captures(placed: int, own: int, others: int) -> int:
    caught = 0
    for step, inner in _DIRECTIONS:
        up, down = _lines(placed, others & inner, step)
        if up << step & own:
            caught |= up
        if down >> step & own:
            caught |= down
    return caught


def _lines(first: int, between: int, step: int) -> tuple[int, int]:
    """The lines of up to six in `between` next to `first`, upwards and downwards."""
    up, down = between & (first << step), between & (first >> step)
    for _ in range(5):
        up |= between & (up << step)
        down |= between & (down >> step)
    return up, down
