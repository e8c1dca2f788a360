"""The transposition table, shared by all threads without locks.

Buckets of four entries fill one cache line. An entry is two words: the key xor the data, and the
data. A torn entry, half of one thread's write and half of another's, matches no key (Hyatt and
Mann, 2002). Data: move 16 bits | score + 32768, 16 | depth 8 | bound 2 | principal 1 | age 5 | static value
+ 32768, 16.
"""

import mmap
import sys

import cython

from engine.system.memory import LARGE, NoMemoryError, reserve, reserve_most

if not cython.compiled:
    from engine.board.bitboard import i64, u64
    from engine.search.constants import EXACT

    def entry_move(entry: int) -> int:
        """The best move, or 0."""
        return entry & 0xFFFF

    def entry_score(entry: int) -> int:
        """The score as stored: centipawns, mates counted from the entry's own position."""
        return (entry >> 16 & 0xFFFF) - 32768

    def entry_depth(entry: int) -> int:
        """The depth searched, in plies."""
        return entry >> 32 & 0xFF

    def entry_bound(entry: int) -> int:
        """LOWER, UPPER or EXACT."""
        return entry >> 40 & 3

    def entry_principal(entry: int) -> bool:
        """Whether the position was met on a principal variation."""
        return entry >> 42 & 1 != 0

    def entry_age(entry: int) -> int:
        """The number of the search that wrote it, modulo 32."""
        return entry >> 43 & 31

    def entry_static(entry: int) -> int:
        """The static value of the position, or UNKNOWN."""
        return (entry >> 48) - 32768

    def prefetch(table: "Table", key: int) -> None:
        """Bring the key's bucket into the processor's cache; without effect in plain Python."""

    SLOTS = 4

_ZEROS = bytes(1 << 20)
_BUCKET_BITS = 6  # a bucket has 2**6 bytes
_LEAST = 1 << 16  # bytes; enough for `hashfull`
_TOUCHED = 2 << 30  # bytes; to take more from the system would take longer than clients wait
_TOUCHED_AT_ONCE = 16 << 20


class TableError(RuntimeError):
    """Why there is no table of this size, in one line."""


class Table:
    """`megabytes` of entries; memory that is never written to is never taken from the system, see `touch`."""

    def __init__(self, megabytes: int = 16) -> None:
        """Raises TableError."""
        self.age = 0
        try:
            self._use(reserve(megabytes << 20))
        except NoMemoryError as error:
            raise TableError(f"no memory for the hash table: {error}") from error

    def resize(self, megabytes: int, besides: int = 0) -> None:
        """Forget everything, and be of another size from now on.

        If memory is short, it leaves `besides` bytes for others and takes what there is, if possible no less
        than the smaller of old and new size. Raises TableError if there is less than a megabyte.
        """
        self.age = 0
        least = min(megabytes, self.megabytes)
        try:
            self._use(reserve(_LEAST))  # the old memory goes first: there may be none for both
            try:
                self._use(reserve_most(megabytes << 20, least << 20, besides))
            except NoMemoryError:  # others have taken it meanwhile
                self._use(reserve_most(least << 20, 1 << 20, besides))
        except NoMemoryError as error:
            raise TableError(f"no memory for the hash table: {error}") from error

    def probe(self, key: int) -> int:
        """The entry for a key, packed, or 0."""
        base = self._bucket(key)
        for i in range(SLOTS):
            data = self.slots[base + 2 * i + 1]
            if self.slots[base + 2 * i] ^ data == key and data != 0:
                return data
        return 0

    def move(self, key: int) -> int:
        """The best move known for a key, or 0."""
        return entry_move(self.probe(key))

    def score(self, key: int) -> int | None:
        """The score known for a key, or None."""
        entry = self.probe(key)
        return entry_score(entry) if entry else None

    def store(
        self, key: int, move: int, score: int, depth: int, bound: int, static: int, principal: bool
    ) -> None:
        """Enter a result in place of its own older one, or of the bucket's least valuable one.

        A known move is kept if there is no new one. A much deeper result of this search for the same position
        is kept unless the new one is exact.
        """
        base = self._bucket(key)
        place = base
        least = 1 << 20
        for i in range(SLOTS):
            data = self.slots[base + 2 * i + 1]
            if self.slots[base + 2 * i] ^ data == key:
                if move == 0:
                    move = entry_move(data)
                if bound != EXACT and entry_age(data) == self.age and depth + 3 < entry_depth(data):
                    return
                place = base + 2 * i
                break
            worth = self._worth(data)
            if worth < least:
                least = worth
                place = base + 2 * i
        packed = u64(move) | u64(score + 32768) << 16 | u64(min(depth, 255)) << 32
        packed |= u64(bound) << 40 | u64(principal) << 42 | u64(self.age) << 43 | u64(static + 32768) << 48
        self.slots[place] = key ^ packed
        self.slots[place + 1] = packed

    def new_search(self) -> None:
        """From now on replace entries of earlier searches first."""
        self.age = (self.age + 1) & 31

    def clear(self) -> None:
        """Forget everything; a large table, where the system can, by giving its memory back."""
        self.age = 0
        size = len(self._memory)
        if size > LARGE and sys.platform == "linux":
            self._memory.madvise(mmap.MADV_DONTNEED)
            self._touched = False
            return
        for start in range(0, size, len(_ZEROS)):
            self._memory[start : start + len(_ZEROS)] = _ZEROS[: size - start]

    def touch(self) -> None:
        """Take the memory from the system, as the first search would do a page at a time."""
        if self._touched:
            return
        self._touched = True
        for start in range(0, min(len(self._memory), _TOUCHED), _TOUCHED_AT_ONCE):
            pages = slice(start, start + _TOUCHED_AT_ONCE, mmap.PAGESIZE)
            self._memory[pages] = self._memory[pages]

    def _use(self, memory: mmap.mmap) -> None:
        """Keep the entries in this memory, which is all zeros."""
        self.slots = memoryview(memory).cast("B").cast("Q")
        self._memory = memory
        self._touched = False
        self.buckets = len(memory) >> _BUCKET_BITS
        self.megabytes = len(memory) >> 20

    def _bucket(self, key: int) -> int:
        """Where the key's bucket begins: the upper half of the key scaled to the table's size."""
        return i64(u64((key >> 32) * self.buckets) >> 32) * 2 * SLOTS

    def _worth(self, entry: int) -> int:
        """Depth counts for an entry, age against it; an empty slot is worth least."""
        if entry == 0:
            return -(1 << 20)
        return entry_depth(entry) - 8 * ((self.age - entry_age(entry)) & 31)

    def hashfull(self) -> int:
        """How full the table is: entries of this search per thousand, from a sample."""
        used = 0
        for i in range(1000):
            data = self.slots[2 * i + 1]
            if data != 0 and entry_age(data) == self.age:
                used += 1
        return used
