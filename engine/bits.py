"""64-bit integers as sets of squares, for all games that have boards.

This module is never compiled: it is the plain reference of the inline helpers in bits.pxd.
"""


def lsb(bb: int) -> int:
    """The lowest square of a set that is not empty."""
    return (bb & -bb).bit_length() - 1


def msb(bb: int) -> int:
    """The highest square of a set that is not empty."""
    return bb.bit_length() - 1


def popcount(bb: int) -> int:
    """How many squares the set holds."""
    return bb.bit_count()


def bit(sq: int) -> int:
    """The set that holds just one square; `1 << sq` would be a 32-bit shift in C."""
    return 1 << sq


def u64(bb: int) -> int:
    """Wrap to 64 bits; in C, where it costs nothing, it also gives literals their type."""
    return bb & 0xFFFFFFFFFFFFFFFF


def i64(n: int) -> int:
    """A signed 64-bit number in C."""
    return n


def i32(n: int) -> int:
    """A C int."""
    return n
