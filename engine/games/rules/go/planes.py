"""What a network sees of a position of Go: PLANES numbers for each point, as the player to move sees it.

Ones, which tell points from what lies beyond the edge; own stones with 1, 2, and 3 or more liberties; the
opponent's; the point that a ko forbids; the last two moves; ones after a pass; the points that the mover is
given when areas are counted, as a part of the board's lines.
"""

import cython

from engine.games.rules.go.board import GoBoard

if not cython.compiled:
    from engine.games.rules.go.board import EMPTY, PASS

    PLANES = 12
    ONES, OWN, THEIRS, KO, LAST, PREVIOUS, PASSED, KOMI = 0, 1, 4, 7, 8, 9, 10, 11


def fill(board: GoBoard, planes: "memoryview[float]", first: int) -> None:
    """Write the planes of a position from `planes[first]` on, row by row, all numbers of a point together."""
    one = 1.0
    komi = (board.komi + board.handicap) / board.size
    if board.player == 0:
        komi = -komi
    at = first
    for _ in range(board.size * board.size):
        for plane in range(PLANES):
            planes[at + plane] = 0.0
        planes[at + ONES] = one
        planes[at + PASSED] = board.passes != 0
        planes[at + KOMI] = komi
        at += PLANES
    _fill_stones(board, planes, first)
    if board.ko:
        planes[first + _place(board, board.ko) + KO] = one
    if board.last != PASS:
        planes[first + _place(board, board.last) + LAST] = one
    if board.before != PASS:
        planes[first + _place(board, board.before) + PREVIOUS] = one


def _fill_stones(board: GoBoard, planes: "memoryview[float]", first: int) -> None:
    """The planes of stones by liberties; `mark` has those of a string at its head."""
    one = 1.0
    for p in range(board.cells):
        board.mark[p] = 0
    for row in range(1, board.size + 1):
        for p in range(row * board.stride + 1, row * board.stride + board.size + 1):
            if board.board[p] != EMPTY:
                head = board.head[p]
                if board.mark[head] == 0:
                    board.mark[head] = _liberties(board, head, 3)
                plane = OWN if board.board[p] == board.player + 1 else THEIRS
                planes[first + _place(board, p) + plane + board.mark[head] - 1] = one


def _place(board: GoBoard, p: int) -> int:
    """Where the numbers of a point begin."""
    return ((p // board.stride - 1) * board.size + p % board.stride - 1) * PLANES


def _liberties(board: GoBoard, head: int, most: int) -> int:
    """How many liberties a string has, up to `most`; it marks them with the string's head, negated."""
    count = 0
    p = head
    while True:
        for i in range(4):
            q = p + board.step[i]
            if board.board[q] == EMPTY and board.mark[q] != -head:
                board.mark[q] = -head
                count += 1
                if count == most:
                    return count
        p = board.link[p]
        if p == head:
            return count
