"""Bitboards: sets of squares as 64-bit integers, a1 = bit 0, h1 = bit 7, h8 = bit 63.

Pieces are `colour * 8 + type`, so `piece & 7` is the type and `piece >> 3` the colour. For C the constants
stand in bitboard.pxd.
"""

from engine.system.bits import bit, i32, i64, lsb, msb, popcount, u64

__all__ = [
    "BISHOP",
    "BLACK",
    "EMPTY",
    "KING",
    "KNIGHT",
    "LAST",
    "PAWN",
    "QUEEN",
    "ROOK",
    "SQUARES",
    "WHITE",
    "bit",
    "i32",
    "i64",
    "lsb",
    "msb",
    "popcount",
    "u64",
]

PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING, EMPTY = 0, 1, 2, 3, 4, 5, 7
WHITE, BLACK = 0, 1

SQUARES = 64
LAST = 7
"""The last file, h, and the last rank, 8: both begin with 0."""
