"""Control groups, in trees made up for it, and what the kernel says of this process."""

import mmap
import os
import sys
from collections.abc import Callable, Mapping
from ctypes import addressof, c_char
from pathlib import Path

import pytest

from engine.system import linux

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="what Linux tells")

V2 = "31 23 0:28 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate"
V1 = (
    "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct\n"
    "33 31 0:30 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory"
)
MB = 1 << 20
UNLIMITED = "9223372036854771712"

Maker = Callable[..., None]


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Maker:
    """Makes a system: where groups are mounted, which are the process's own, and their files."""
    monkeypatch.setattr(linux, "root", str(tmp_path))

    def make(mounts: str, own: str, files: Mapping[str, object]) -> None:
        contents = {
            "proc/self/mountinfo": "22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n" + mounts + "\n",
            "proc/self/cgroup": own + "\n",
            **{f"sys/fs/cgroup/{name}": f"{content}\n" for name, content in files.items()},
        }
        for name, content in contents.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)

    return make


def test_without_limits_there_is_no_bound(tree: Maker) -> None:
    tree(V2, "0::/a", {"a/memory.max": "max", "a/memory.current": 5, "a/cpu.max": "max 100000"})
    assert linux.groups_memory() is None
    assert linux.groups_processors() is None
    tree(
        V1,
        "4:memory:/b\n1:cpu,cpuacct:/b",
        {"memory/b/memory.limit_in_bytes": UNLIMITED, "cpu,cpuacct/b/cpu.cfs_quota_us": -1},
    )
    assert linux.groups_memory() is None
    assert linux.groups_processors() is None


def test_version_2(tree: Maker) -> None:
    files = {"a/b/memory.max": 100 * MB, "a/b/memory.current": 30 * MB}
    tree(V2, "0::/a/b", files)
    assert linux.groups_memory() == 70 * MB
    tree(V2, "0::/a/b", {**files, "a/b/memory.high": 90 * MB})
    assert linux.groups_memory() == 60 * MB


def test_files_in_the_cache_count_as_free(tree: Maker) -> None:
    cache = f"anon 1\ninactive_file {10 * MB}\nactive_file {5 * MB}"
    tree(V2, "0::/a", {"a/memory.max": 100 * MB, "a/memory.current": 30 * MB, "a/memory.stat": cache})
    assert linux.groups_memory() == 85 * MB
    cache += f"\ntotal_inactive_file {20 * MB}\ntotal_active_file {3 * MB}"
    files = {"limit_in_bytes": 100 * MB, "usage_in_bytes": 30 * MB, "stat": cache}
    tree(V1, "4:memory:/a", {f"memory/a/memory.{name}": content for name, content in files.items()})
    assert linux.groups_memory() == 93 * MB


@pytest.mark.parametrize("bounding", ["a", "a/b", "a/b/c"])
def test_every_group_above_bounds_too(tree: Maker, bounding: str) -> None:
    files = {f"{bounding}/memory.max": 50 * MB, f"{bounding}/memory.current": 20 * MB}
    files |= {f"{group}/memory.max": 900 * MB for group in ("a", "a/b", "a/b/c") if group != bounding}
    tree(V2, "0::/a/b/c", {**files, f"{bounding}/cpu.max": "250000 100000"})
    assert linux.groups_memory() == 30 * MB
    assert linux.groups_processors() == 2.5


def test_a_container_sees_its_own_group_as_the_top(tree: Maker) -> None:
    """With a namespace of its own in /proc/self/cgroup, too; without one there is the path on the host."""
    files = {"memory.max": 64 * MB, "memory.current": 4 * MB}
    tree(V2, "0::/", files)
    assert linux.groups_memory() == 60 * MB
    tree(V2.replace("/ /sys", "/docker/1f2e /sys"), "0::/docker/1f2e", files)
    assert linux.groups_memory() == 60 * MB
    tree(V2, "0::/../../user.slice", files)
    assert linux.groups_memory() == 60 * MB


def test_a_group_below_that_of_the_container(tree: Maker) -> None:
    files = {"job/memory.max": 64 * MB, "job/memory.current": 4 * MB}
    tree(V2.replace("/ /sys", "/docker/1f2e /sys"), "0::/docker/1f2e/job", files)
    assert linux.groups_memory() == 60 * MB


def test_both_versions_at_once(tree: Maker) -> None:
    files = {
        "memory/a/memory.limit_in_bytes": 100 * MB,
        "memory/a/memory.usage_in_bytes": 30 * MB,
        "cpu,cpuacct/b/cpu.cfs_quota_us": 50000,
        "cpu,cpuacct/b/cpu.cfs_period_us": 100000,
    }
    unified = V2.replace("/sys/fs/cgroup ", "/sys/fs/cgroup/unified ")
    tree(f"{unified}\n{V1}", "4:memory:/a\n1:cpu,cpuacct:/b\n0::/c", files)
    assert linux.groups_memory() == 70 * MB
    assert linux.groups_processors() == 0.5


def test_names_with_blanks_and_colons(tree: Maker) -> None:
    files = {"my group/a:b/memory.max": 64 * MB, "my group/a:b/memory.current": 4 * MB}
    tree(V2.replace("/ /sys", "/my\\040group /sys"), "0::/my group/a:b", files)
    assert linux.groups_memory() is None  # mounted is what is below "my group"
    tree(V2, "0::/my group/a:b", files)
    assert linux.groups_memory() == 60 * MB


@pytest.mark.parametrize("rubbish", ["", "max max", "-5", "²", "9" * 5000, "\0\xff", "1e9", "NaN"])
def test_rubbish_bounds_nothing(tree: Maker, rubbish: str) -> None:
    names = ("memory.max", "memory.current", "memory.stat", "cpu.max")
    tree(V2, "0::/a", {f"a/{name}": rubbish for name in names})
    assert linux.groups_memory() is None
    assert linux.groups_processors() is None
    tree(rubbish, rubbish, {})
    assert linux.groups_memory() is None


def test_no_proc_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linux, "root", str(tmp_path))
    assert linux.groups_memory() is None
    assert linux.groups_processors() is None
    assert linux.own_sizes() is None
    assert linux.machine_memory() is None
    assert linux.resident(0, 1 << 30) == 0


def test_an_endless_file_is_not_read_to_its_end(tree: Maker, tmp_path: Path) -> None:
    tree(V2, "0::/a", {"a/memory.current": 1})
    (tmp_path / "sys/fs/cgroup/a/memory.max").symlink_to("/dev/zero")
    assert linux.groups_memory() is None


def test_this_process_and_this_machine() -> None:
    sizes = linux.own_sizes()
    assert sizes is not None
    assert 0 < sizes.resident < sizes.address_space
    assert 0 < sizes.data < sizes.address_space
    left = linux.machine_memory()
    assert left is not None
    assert 10 * MB < left < 1 << 50


@pytest.mark.skipif(
    not os.access("/proc/self/pagemap", os.R_OK), reason="the pages of this process are hidden"
)
def test_pages_that_were_written_to_are_counted() -> None:
    memory = mmap.mmap(-1, 64 * MB, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    held = c_char.from_buffer(memory)
    assert linux.resident(addressof(held), 64 * MB) == 0
    for offset in range(0, 16 * MB, mmap.PAGESIZE):
        memory[offset] = 1
    assert abs(linux.resident(addressof(held), 64 * MB) - 16 * MB) <= MB
