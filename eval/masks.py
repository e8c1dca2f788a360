"""Sets of squares that the evaluation needs, by colour and square."""

import cython

if not cython.compiled:
    from engine.board.attacks import KING_ATTACKS
    from engine.board.bitboard import LAST, bit, u64

FILE = [0] * 8
RANK = [0] * 8
NEIGHBOURS = [0] * 8
AHEAD = [0] * 128
FRONT = [0] * 128
PASSED_MASK = [0] * 128
KING_RING = [0] * 128
FLANK = [0] * 8
CENTRE = [0] * 2
DARK = 0xAA55AA55AA55AA55
DISTANCE = [0] * 4096

if not cython.compiled:

    def up(squares: int, colour: int) -> int:
        """One rank ahead, as that side sees it."""
        return squares >> 8 if colour else u64(squares << 8)


def _fill_files() -> None:
    for file in range(8):
        for rank in range(8):
            FILE[file] |= bit(rank * 8 + file)
            RANK[rank] |= bit(rank * 8 + file)
    for file in range(8):
        if file > 0:
            NEIGHBOURS[file] |= FILE[file - 1]
        if file < LAST:
            NEIGHBOURS[file] |= FILE[file + 1]
    for file in range(8):
        first = min(max(file - 1, 0), 5)
        for other in range(first, first + 3):
            FLANK[file] |= FILE[other]
    for rank in range(1, 4):
        for file in range(2, 6):
            CENTRE[0] |= bit(rank * 8 + file)
            CENTRE[1] |= bit((7 - rank) * 8 + file)


def _fill_squares() -> None:
    for sq in range(64):
        for to in range(64):
            if (to >> 3) > (sq >> 3):
                AHEAD[sq] |= bit(to)
            if (to >> 3) < (sq >> 3):
                AHEAD[64 + sq] |= bit(to)
            DISTANCE[sq * 64 + to] = max(abs((sq & 7) - (to & 7)), abs((sq >> 3) - (to >> 3)))
    for sq in range(64):
        for colour in range(2):
            ahead = AHEAD[colour * 64 + sq]
            ring = KING_ATTACKS[sq] | bit(sq)
            FRONT[colour * 64 + sq] = FILE[sq & 7] & ahead
            PASSED_MASK[colour * 64 + sq] = (FILE[sq & 7] | NEIGHBOURS[sq & 7]) & ahead
            KING_RING[colour * 64 + sq] = ring | up(ring, colour) if sq >> 3 == colour * 7 else ring


_fill_files()
_fill_squares()
