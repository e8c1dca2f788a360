"""How much memory this process can have, under all its limits; and how much it takes."""

import gc
import os
import subprocess
import sys
from collections.abc import Callable

import psutil
import pytest

from engine.system import linux, memory
from engine.system.memory import Headroom, NoMemoryError, check, reserve, reserve_most
from tests.compiled import ROOT

MB = 1 << 20


@pytest.fixture
def there(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    def let(megabytes: int) -> None:
        monkeypatch.setattr(memory, "available", lambda: megabytes * MB)

    return let


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Sets what the machine, its groups and the limits of the process leave: megabytes, None for no bound."""
    gc.collect()  # tables of other tests

    def let(machine: int = 1000, groups: int | None = None, **limits: int) -> None:
        sizes = linux.Sizes(address_space=300 * MB, resident=50 * MB, data=200 * MB)
        monkeypatch.setattr(linux, "own_sizes", lambda: sizes)
        monkeypatch.setattr(linux, "machine_memory", lambda: machine * MB)
        monkeypatch.setattr(linux, "groups_memory", lambda: None if groups is None else groups * MB)
        monkeypatch.setattr(
            memory, "limit", lambda name: None if limits.get(name) is None else limits[name] * MB
        )
        monkeypatch.setattr(memory, "_reserved", type(memory._reserved)())

    return let


def test_the_least_bound_counts(machine: Callable[..., None]) -> None:
    machine()
    assert memory.available() == 1000 * MB
    machine(groups=700)
    assert memory.available() == 700 * MB
    machine(groups=700, RLIMIT_AS=900)
    assert memory.available() == 600 * MB
    machine(groups=700, RLIMIT_AS=1200, RLIMIT_DATA=300)
    assert memory.available() == 100 * MB
    machine(RLIMIT_AS=200)
    assert memory.available() == 0


@pytest.mark.skipif(
    not os.access("/proc/self/pagemap", os.R_OK), reason="the pages of this process are hidden"
)
def test_what_is_reserved_counts_as_used_before_it_is(machine: Callable[..., None]) -> None:
    machine()
    table = reserve(100 * MB)
    assert memory.available() == 900 * MB
    for offset in range(0, 40 * MB, 4096):
        table[offset] = 1  # from now on the machine knows
    assert abs(memory.available() - 940 * MB) <= MB
    del table
    assert memory.available() == 1000 * MB


def test_what_is_reserved_is_not_counted_twice_where_addresses_are_limited(
    machine: Callable[..., None],
) -> None:
    machine(RLIMIT_AS=500)
    table = reserve(100 * MB)
    assert memory.available() == 200 * MB  # the address space is that of the fixture
    assert len(table) == 100 * MB


def test_large_pieces_leave_something(there: Callable[[int], None]) -> None:
    there(1000)
    check(936 * MB)
    with pytest.raises(NoMemoryError, match=r"^937 MB are not available, only 1000 MB$"):
        check(937 * MB)
    there(40)
    check(30 * MB)
    with pytest.raises(NoMemoryError):
        check(31 * MB)


def test_small_pieces_are_just_taken(there: Callable[[int], None]) -> None:
    there(0)
    assert len(reserve(16 * MB)) == 16 * MB
    with pytest.raises(NoMemoryError):
        reserve(17 * MB)


def test_as_much_as_there_is(there: Callable[[int], None]) -> None:
    there(100)
    assert len(reserve_most(30 * MB, MB)) == 30 * MB
    assert len(reserve_most(300 * MB, MB)) == 36 * MB
    assert len(reserve_most(300 * MB, 50 * MB)) == 50 * MB
    assert len(reserve_most(300 * MB, MB, besides=10 * MB)) == 26 * MB
    assert len(reserve_most(300 * MB, MB, besides=300 * MB)) == 18 * MB
    there(0)
    assert len(reserve_most(300 * MB, MB)) == MB


def test_less_where_the_system_does_not_keep_its_word(
    there: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    there(1 << 20)
    mapped, asked = memory._mapped, []

    def grudging(size: int) -> object:
        asked.append(size >> 20)
        if size > 100 * MB:
            raise NoMemoryError("no")
        return mapped(size)

    monkeypatch.setattr(memory, "_mapped", grudging)
    assert 80 * MB < len(reserve_most(10_000 * MB, MB)) <= 100 * MB
    assert len(asked) < 50
    with pytest.raises(NoMemoryError):
        reserve_most(500 * MB, 200 * MB)


@pytest.mark.parametrize(("begin", "least"), [(100, 50), (40, 20), (20, 16), (16, 15), (5, 4), (0, 0)])
def test_room_where_there_is_little_from_the_beginning(
    there: Callable[[int], None], begin: int, least: int
) -> None:
    there(begin)
    headroom = Headroom()
    there(least)
    assert headroom.is_left()
    if least:
        there(least - 1)
        assert not headroom.is_left()


LIMITED = """
import resource, sys
from engine.system import memory
from engine.system.memory import NoMemoryError, reserve, reserve_most
limit = int(sys.argv[2]) << 20
resource.setrlimit(getattr(resource, sys.argv[1]), (limit, limit))
there = memory.available()
assert 0 < there < limit, there
most = reserve_most(10 * limit, 1 << 20)
assert there - (70 << 20) < len(most) < there, len(most)
try:
    reserve(limit)
except NoMemoryError as error:
    print(error)
del most
assert abs(memory.available() - there) < 4 << 20
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits as Linux has them")
@pytest.mark.parametrize("name", ["RLIMIT_AS", "RLIMIT_DATA"])
@pytest.mark.parametrize("megabytes", [200, 700])
def test_a_process_with_limits(name: str, megabytes: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, name, str(megabytes)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{megabytes} MB are not available")


@pytest.mark.skipif(sys.platform != "linux", reason="where there is a /proc")
def test_without_proc_the_machine_has_its_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    total = psutil.virtual_memory().total
    monkeypatch.setattr(linux, "root", "/nowhere")
    monkeypatch.setitem(sys.modules, "psutil", None)  # it reads /proc, too
    assert total // 4 < memory.available() <= total
