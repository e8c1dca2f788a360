"""Zobrist keys: a random number for each feature in which two positions can differ."""

import cython

if not cython.compiled:
    from engine.board.bitboard import u64

PIECE_KEYS = [0] * 1024
CASTLING_KEYS = [0] * 16
EN_PASSANT_KEYS = [0] * 8
FIFTY_KEYS = [0] * 16
SIDE_KEY = 0

if not cython.compiled:

    def with_clock(key: int, halfmoves: int) -> int:
        """A key changed in steps as the fifty-move rule comes near: at 16, 24, 32 … halfmoves."""
        step = (halfmoves >> 3) - 1
        return key if step <= 0 else key ^ FIFTY_KEYS[min(step, 15)]


def _splitmix(n: int) -> int:
    """The n-th number of the SplitMix64 sequence with seed 0 (Steele, Lea and Flood, 2014)."""
    z = u64(u64(n + 1) * u64(0x9E3779B97F4A7C15))
    z = u64((z ^ (z >> 30)) * u64(0xBF58476D1CE4E5B9))
    z = u64((z ^ (z >> 27)) * u64(0x94D049BB133111EB))
    return z ^ (z >> 31)


def _fill() -> None:
    global SIDE_KEY
    for i in range(1024):
        PIECE_KEYS[i] = _splitmix(i)
    for i in range(1, 16):  # no rights: no key, so that most positions need one look-up less
        CASTLING_KEYS[i] = _splitmix(1024 + i)
    for i in range(8):
        EN_PASSANT_KEYS[i] = _splitmix(1040 + i)
    for i in range(1, 16):
        FIFTY_KEYS[i] = _splitmix(1048 + i)
    SIDE_KEY = _splitmix(1064)


_fill()
