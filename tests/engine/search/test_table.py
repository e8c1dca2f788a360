"""The transposition table: what goes in comes out, and nothing else does."""

import mmap
import os
import random
import struct
from ctypes import addressof, c_char

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.search import table as table_module
from engine.search.constants import EXACT, LOWER, UPPER
from engine.search.table import Table, TableError
from engine.system import linux, memory

WORD = 1 << 64
LINE = 64  # bytes in a bucket

keys = st.integers(1, WORD - 1)
moves = st.integers(0, 0xFFFF)
scores = st.integers(-32000, 32000)
depths = st.integers(0, 255)
bounds = st.sampled_from((LOWER, UPPER, EXACT))
statics = st.integers(-32768, 32767)
entries = st.tuples(moves, scores, depths, bounds, statics, st.booleans())

Entry = tuple[int, int, int, int, int, bool]


def fields(entry: int) -> Entry:
    """Move, score, depth, bound, static value and whether it is principal, of a packed entry."""
    own = (entry & 0xFFFF, (entry >> 16 & 0xFFFF) - 32768, entry >> 32 & 0xFF, entry >> 40 & 3)
    return (*own, (entry >> 48) - 32768, entry >> 42 & 1 != 0)


def age(entry: int) -> int:
    return entry >> 43 & 31


def put(table: Table, key: int, move: int, score: int, depth: int, bound: int) -> None:
    """Enter a result where it does not matter what else is known of the position."""
    table.store(key, move, score, depth, bound, 0, False)


def neighbours(count: int) -> list[int]:
    """Keys that share a bucket: its place depends on their upper halves."""
    return [0x123456789ABCDEF0 + index for index in range(count)]


@given(st.dictionaries(keys, entries, max_size=50))
@settings(max_examples=40)
def test_entry_comes_back_or_is_gone(stored: dict[int, Entry]) -> None:
    table = Table(1)
    for key, entry in stored.items():
        table.store(key, *entry)
    found = {key: table.probe(key) for key in stored}
    for key, entry in stored.items():
        assert not found[key] or fields(found[key]) == entry
    if len({key >> 32 for key in stored}) == len(stored) <= 4:
        assert all(found.values())
    for key in [*stored][-1:]:
        assert found[key]
        assert not table.probe(key ^ 1 << 63)


def test_bucket_holds_four() -> None:
    table = Table(1)
    for index, key in enumerate(neighbours(4)):
        put(table, key, index + 1, index, 5, EXACT)
    assert [fields(table.probe(key))[0] for key in neighbours(4)] == [1, 2, 3, 4]


def test_shallowest_of_the_bucket_is_replaced() -> None:
    table = Table(1)
    for key, depth in zip(neighbours(5), (9, 3, 7, 8, 1), strict=True):
        put(table, key, 1, 0, depth, EXACT)
    assert [bool(table.probe(key)) for key in neighbours(5)] == [True, False, True, True, True]


def test_entry_of_an_old_search_is_replaced_before_a_shallow_new_one() -> None:
    table = Table(1)
    old, *new, last = neighbours(5)
    put(table, old, 1, 0, 9, EXACT)
    for _ in range(3):
        table.new_search()
    for key in (*new, last):
        put(table, key, 1, 0, 2, EXACT)
    assert not table.probe(old)
    assert all(table.probe(key) for key in (*new, last))


def test_known_move_is_kept_where_there_is_no_new_one() -> None:
    table = Table(1)
    put(table, 7, 1234, 10, 5, EXACT)
    put(table, 7, 0, -20, 6, UPPER)
    assert fields(table.probe(7))[:4] == (1234, -20, 6, UPPER)


@pytest.mark.parametrize(
    ("depth", "bound", "later", "kept"),
    [
        (9, LOWER, False, True),
        (9, EXACT, False, False),
        (5, LOWER, False, False),  # not much deeper
        (9, LOWER, True, False),  # deeper, but of an earlier search
    ],
)
def test_much_deeper_result_is_kept(depth: int, bound: int, later: bool, kept: bool) -> None:
    table = Table(1)
    put(table, 7, 1, 10, depth, EXACT)
    if later:
        table.new_search()
    put(table, 7, 2, 20, 2, bound)
    assert fields(table.probe(7))[0] == (1 if kept else 2)


def test_depth_beyond_the_field_spoils_no_other() -> None:
    table = Table(1)
    for depth in (256, 300, 511):
        put(table, depth, 5, 77, depth, UPPER)
        move, score, found, bound, static, principal = fields(table.probe(depth))
        assert (move, score, bound, static, principal) == (5, 77, UPPER, 0, False)
        assert found <= depth
        assert age(table.probe(depth)) == 0


@given(statics, st.booleans(), st.integers(0, 70))
@settings(max_examples=40)
def test_what_else_is_known_of_a_position_comes_back(static: int, principal: bool, searches: int) -> None:
    """The static value and the principal bit, whatever the age beside them."""
    table = Table(1)
    for _ in range(searches):
        table.new_search()
    for score in (-32000, 0, 32000):
        table.store(7, 0xFFFF, score, 255, EXACT, static, principal)
        assert fields(table.probe(7)) == (0xFFFF, score, 255, EXACT, static, principal)
        assert age(table.probe(7)) == searches % 32


def test_clear_forgets_everything() -> None:
    table = Table(1)
    rng = random.Random(1)
    stored = [rng.randrange(1, WORD) for _ in range(2000)]
    for key in stored:
        put(table, key, 1, 0, 5, EXACT)
    table.new_search()
    table.clear()
    assert not any(table.probe(key) for key in stored)
    assert table.hashfull() == 0
    put(table, 5, 1, 0, 5, EXACT)
    assert age(table.probe(5)) == 0


@pytest.mark.parametrize("megabytes", [257, 4096])
def test_clear_forgets_everything_in_a_large_table(megabytes: int) -> None:
    """Whose memory goes back to the system, or whose size in bytes is beyond an int in C."""
    try:
        table = Table(megabytes)
    except TableError:
        pytest.skip("there is not so much memory")
    keys = range(1, WORD, WORD // 10)
    for key in keys:
        put(table, key, 1, 0, 5, EXACT)
    assert all(table.probe(key) for key in keys)
    table.clear()
    assert not any(table.probe(key) for key in keys)


def test_hashfull_counts_this_search_per_mille() -> None:
    table = Table(1)
    capacity = 65536  # sixteen bytes each
    rng = random.Random(2)
    assert table.hashfull() == 0
    for _ in range(capacity // 4):
        put(table, rng.randrange(WORD), 1, 0, 5, EXACT)
    quarter = table.hashfull()
    assert 180 <= quarter <= 260
    for _ in range(3 * capacity):
        put(table, rng.randrange(WORD), 1, 0, 5, EXACT)
    assert 950 <= table.hashfull() <= 1000
    table.new_search()
    assert table.hashfull() == 0


@pytest.mark.parametrize("megabytes", [0, -1, -(10**20), 10**7, 10**12, 2**31, 2**63, 2**64, 10**30])
def test_absurd_size_is_refused(megabytes: int) -> None:
    with pytest.raises(TableError, match=str(megabytes)):
        Table(megabytes)


class Watched:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.memory: mmap.mmap
        reserve = memory.reserve

        def reserve_watched(*sizes: int) -> mmap.mmap:
            self.memory = reserve(*sizes)
            return self.memory

        monkeypatch.setattr(table_module, "reserve", reserve_watched)

    def words(self) -> dict[int, int]:
        """The words that are not zero, by their index."""
        content = struct.unpack(f"<{len(self.memory) // 8}Q", self.memory[:])
        return {index: word for index, word in enumerate(content) if word}

    def write(self, index: int, word: int) -> None:
        self.memory[8 * index : 8 * index + 8] = word.to_bytes(8, "little")


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Watched:
    return Watched(monkeypatch)


@pytest.mark.parametrize("megabytes", [1, 2, 3, 5, 48, 100])
def test_size_is_honoured(watched: Watched, megabytes: int) -> None:
    table = Table(megabytes)
    assert table.megabytes == megabytes
    assert len(watched.memory) == megabytes << 20
    put(table, 1, 1, 0, 1, EXACT)
    assert watched.memory[:LINE].strip(b"\0")
    assert not watched.memory[-LINE:].strip(b"\0")
    put(table, WORD - 1, 1, 0, 1, EXACT)
    assert watched.memory[-LINE:].strip(b"\0")


@pytest.mark.parametrize("seed", range(20))
def test_torn_entry_never_matches(watched: Watched, seed: int) -> None:
    """Each half of an entry may be of another moment: then the entry is as if it were not there."""
    rng = random.Random(seed)
    table = Table(1)
    stored = neighbours(2)
    wholes = set()
    versions: list[dict[int, int]] = []
    for depth in range(1, 6):
        for key in stored:
            move, score, bound = rng.randrange(1, 0x10000), rng.randrange(-32000, 32001), rng.randrange(1, 4)
            table.store(key, move, score, depth, bound, rng.randrange(-32000, 32001), rng.random() < 0.5)
            wholes.add((key, table.probe(key)))
        versions.append(watched.words())
    places = sorted(versions[0])
    assert len(places) == 2 * len(stored)
    for _ in range(100):
        for place in places:
            watched.write(place, rng.choice(versions)[place])
        for key in stored:
            found = table.probe(key)
            assert not found or (key, found) in wholes


def test_flipped_bit_never_matches(watched: Watched) -> None:
    table = Table(1)
    put(table, 0xFEDCBA9876543210, 77, -88, 9, LOWER)
    for place, word in watched.words().items():
        for bit in range(64):
            watched.write(place, word ^ 1 << bit)
            assert not table.probe(0xFEDCBA9876543210)
        watched.write(place, word)
    assert table.probe(0xFEDCBA9876543210)


@pytest.mark.skipif(
    not os.access("/proc/self/pagemap", os.R_OK), reason="the pages of this process are hidden"
)
def test_memory_that_is_touched_is_taken_and_keeps_its_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[mmap.mmap] = []
    reserve = memory.reserve

    def noted(*sizes: int) -> mmap.mmap:
        taken.append(reserve(*sizes))
        return taken[-1]

    monkeypatch.setattr(table_module, "reserve", noted)
    table = Table(64)
    put(table, 1 << 40, 7, 5, 3, EXACT)
    table.touch()
    assert linux.resident(addressof(c_char.from_buffer(taken[0])), 64 << 20) == 64 << 20
    assert fields(table.probe(1 << 40))[:3] == (7, 5, 3)
