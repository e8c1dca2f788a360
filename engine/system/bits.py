"""64-bit integers as sets of squares, for chess and the other games.

Compiled modules use the inline functions of the same names in bits.pxd; this module itself is not compiled.
"""


def lsb(bb: int) -> int:
    """The least significant bit: the lowest square of a set that is not empty."""
    return (bb & -bb).bit_length() - 1


def msb(bb: int) -> int:
    """The most significant bit: the highest square of a set that is not empty."""
    return bb.bit_length() - 1


def popcount(bb: int) -> int:
    """The number of squares in the set."""
    return bb.bit_count()


def bit(sq: int) -> int:
    """The set of the one square `sq`; `1 << sq` would be a 32-bit shift in C."""
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
