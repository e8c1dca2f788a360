"""The solver's transposition table: a lower and an upper bound of each score, found by the position's number.

No position is ever mistaken for another: numbers of up to 64 bits are mixed so that no two become the same
place, the upper 32 bits of a place are its bucket, and the tag of an entry distinguishes the places that
share a bucket. Buckets of eight entries fill one cache line. An entry is one word:
tag 42 bits | log2 of the nodes it took, 6 | upper bound + 128, 8 | lower bound + 128, 8.
"""

import cython

from engine.system.memory import reserve

if not cython.compiled:
    from engine.system.bits import i64, msb, u64

    def lower_bound(entry: int) -> int:
        """The score is this at least."""
        return (entry & 0xFF) - 128

    def upper_bound(entry: int) -> int:
        """The score is this at most."""
        return (entry >> 8 & 0xFF) - 128

    def prefetch(table: "Bounds", place: int) -> None:
        """Bring the bucket into the cache; without effect in plain Python."""

    SLOTS = 8

_TAG = 42


class Bounds:
    """A table for numbers below 2**bits; of a bucket, the entry that took the fewest nodes is replaced."""

    def __init__(self, megabytes: int, bits: int) -> None:
        """Raises NoMemoryError, and ValueError for a table too small to distinguish such numbers."""
        self.bits = max(bits, 32)
        self.buckets = megabytes << 14
        if megabytes < 1 or bits > 64 or self.bits - 32 + 32 - msb(self.buckets) > _TAG:
            raise ValueError(f"a table of {megabytes} MB is too small for positions of {bits} bits")
        self._memory = reserve(megabytes << 20)
        self.slots = memoryview(self._memory).cast("B").cast("Q")
        self._all = u64(0xFFFFFFFFFFFFFFFF) >> (64 - self.bits)
        self._half = self.bits // 2
        self._rest = self.bits - 32

    def place(self, number: int) -> int:
        """The place of a number: each step can be undone, so that different numbers have different places."""
        mixed = u64(number * u64(0x9E3779B97F4A7C15)) & self._all
        mixed ^= mixed >> self._half
        mixed = u64(mixed * u64(0xBF58476D1CE4E5B9)) & self._all
        return mixed ^ (mixed >> self._half)

    def find(self, place: int) -> int:
        """The entry for a place, for `lower_bound` and `upper_bound`; 0 if there is none."""
        base = self._bucket(place)
        tag = u64(place << 22) >> 22
        for i in range(SLOTS):
            entry = self.slots[base + i]
            if entry >> 22 == tag and entry != 0:
                return entry
        return 0

    def enter(self, place: int, lower: int, upper: int, work: int) -> None:
        """Store the bounds and the nodes that they took, over the entry that took the fewest."""
        base = self._bucket(place)
        tag = u64(place << 22) >> 22
        at, least = base, u64(64)
        for i in range(SLOTS):
            entry = self.slots[base + i]
            if entry >> 22 == tag and entry != 0:
                at = base + i
                break
            if (entry >> 16 & 63) < least:
                least = entry >> 16 & 63
                at = base + i
        entry = tag << 22 | u64(msb(work | 1)) << 16 | u64(upper + 128) << 8 | u64(lower + 128)
        self.slots[at] = entry

    def _bucket(self, place: int) -> int:
        """Where its bucket begins: the upper 32 bits scaled to the table's size."""
        return i64(u64((place >> self._rest) * self.buckets) >> 32) * SLOTS
