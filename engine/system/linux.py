"""Memory and processors, as Linux reports them in /proc and in control groups, which limit containers.

Version 1 of control groups has a tree of groups for each controller, version 2 one tree for all; both may be
mounted at once. The limits of every group from the process's own up to the top of its tree hold. A value that
cannot be read is unknown, as on other systems, and limits nothing.
"""

import mmap
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass

root = ""  # a prefix of /proc and the mount points; tests put a tree of their own there

_LONGEST = 1 << 20  # bytes read of a file
_SAMPLE = 512  # pages
_DIGITS = 20  # of a number of 64 bits
_UNBOUNDED = 1 << 60  # bytes; version 1 has some greater number where there is no limit
_CACHE = ("active_file", "inactive_file")  # page cache in memory.stat: given up when memory is needed


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes of this process in bytes: its address space, what of it is in memory, and what of it is data."""

    address_space: int
    resident: int
    data: int


def own_sizes() -> Sizes | None:
    pages = [_number(field) or 0 for field in _read("/proc/self/statm").split()]
    if len(pages) < 6:
        return None
    return Sizes(pages[0] * mmap.PAGESIZE, pages[1] * mmap.PAGESIZE, pages[5] * mmap.PAGESIZE)


def resident(address: int, size: int) -> int:
    """About how many of the `size` bytes at `address` have been written to, and so taken; 0 if unknown.

    A sample: there may be millions of pages. The two highest of 64 bits in pagemap say: in memory, or swapped
    out.
    """
    first, pages = address // mmap.PAGESIZE, size // mmap.PAGESIZE
    looked_at = range(first, first + pages, max(pages // _SAMPLE, 1))
    try:
        file = os.open(f"{root}/proc/self/pagemap", os.O_RDONLY)
    except OSError:
        return 0
    try:
        entries = [int.from_bytes(os.pread(file, 8, 8 * page), sys.byteorder) for page in looked_at]
    except OSError:
        return 0
    finally:
        os.close(file)
    return size * sum(entry >> 62 > 0 for entry in entries) // max(len(entries), 1)


def machine_memory() -> int | None:
    """The memory that the machine has left, in bytes, without swapping; None where unknown."""
    return _memory("MemAvailable:")


def total_memory() -> int | None:
    return _memory("MemTotal:")


def _memory(field: str) -> int | None:
    kilobytes = dict(_pairs(_read("/proc/meminfo").replace(" kB", ""))).get(field)
    return None if kilobytes is None else kilobytes << 10


def processor_name() -> str:
    return _of_processor("model name")


def processor_features() -> list[str]:
    """The instruction sets and other features of the first processor, as the kernel calls them."""
    return (_of_processor("flags") or _of_processor("Features")).split()


def groups_memory() -> int | None:
    """The memory that the groups leave, in bytes, page cache counted as free; None without a limit."""
    bounds = (_memory_left(group) for group in _groups("memory"))
    return min((bound for bound in bounds if bound is not None), default=None)


def groups_processors() -> float | None:
    """The processor time that the groups allow, in processors; None without a limit."""
    shares = (_share(group) for group in _groups("cpu"))
    return min((share for share in shares if share is not None), default=None)


@dataclass(frozen=True, slots=True)
class _Group:
    folder: str
    version: int

    def number(self, name: str) -> int | None:
        return _number(_read(f"{self.folder}/{name}").strip())


def _memory_left(group: _Group) -> int | None:
    """Above `memory.high` a process is not killed, but slowed down beyond use: it counts as a limit."""
    names = ("memory.max", "memory.high") if group.version == 2 else ("memory.limit_in_bytes",)
    limit = min((limit for name in names if (limit := group.number(name)) is not None), default=_UNBOUNDED)
    if limit >= _UNBOUNDED:
        return None
    used = group.number("memory.current" if group.version == 2 else "memory.usage_in_bytes") or 0
    statistics = dict(_pairs(_read(f"{group.folder}/memory.stat")))
    # Version 1 has the sums with the groups below under other names, version 2 has only such sums.
    cache = sum(statistics.get(f"total_{name}", statistics.get(name, 0)) for name in _CACHE)
    return max(limit - max(used - cache, 0), 0)


def _share(group: _Group) -> float | None:
    if group.version == 2:
        quota, period = map(_number, [*_read(f"{group.folder}/cpu.max").split(), "", ""][:2])
    else:
        quota, period = group.number("cpu.cfs_quota_us"), group.number("cpu.cfs_period_us")
    return quota / period if quota and period else None


def _groups(controller: str) -> Iterator[_Group]:
    """The process's own group and those above it, in every tree that may have the controller."""
    paths = dict(_paths(controller))
    for line in _read("/proc/self/mountinfo").splitlines():
        mount, _, kind = line.partition(" - ")
        fields, kinds = mount.split(), kind.split()
        if len(fields) < 5 or len(kinds) < 3 or kinds[0] not in ("cgroup", "cgroup2"):
            continue
        version = 2 if kinds[0] == "cgroup2" else 1
        if version not in paths or (version == 1 and controller not in kinds[2].split(",")):
            continue
        top = _unescaped(fields[4]).rstrip("/")
        below = _below(paths[version], _unescaped(fields[3]))
        while below:
            yield _Group(top + below, version)
            below = below.rpartition("/")[0]
        yield _Group(top, version)


def _paths(controller: str) -> Iterator[tuple[int, str]]:
    for line in _read("/proc/self/cgroup").splitlines():
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if number == "0" and not controllers:
            yield 2, path
        elif controller in controllers.split(","):
            yield 1, path


def _below(path: str, top: str) -> str:
    """The path below the mounted group `top`; empty for that group itself, and for one outside of it."""
    path, top = path.rstrip("/"), top.rstrip("/")
    inside = path.startswith(f"{top}/") and ".." not in path.split("/")
    return path[len(top) :] if inside else ""


def _unescaped(field: str) -> str:
    """A field of mountinfo, in which blanks, tabs, line ends and backslashes are octal escapes."""
    for code, letter in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        field = field.replace(code, letter)
    return field


def _of_processor(field: str) -> str:
    for line in _read("/proc/cpuinfo").splitlines():
        name, _, value = line.partition(":")
        if name.strip() == field:
            return value.strip()
    return ""


def _pairs(text: str) -> Iterator[tuple[str, int]]:
    for line in text.splitlines():
        name, _, text = line.partition(" ")
        number = _number(text.strip())
        if number is not None:
            yield name, number


def _number(text: str) -> int | None:
    """The number in the text; None for others, such as "max" or, for no quota, -1."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _DIGITS else None


def _read(path: str) -> str:
    """The beginning of a file; empty where it cannot be read. Such files may come in pieces."""
    try:
        file = os.open(root + path, os.O_RDONLY)
    except OSError:
        return ""
    content = b""
    try:
        while len(content) < _LONGEST and (piece := os.read(file, _LONGEST)):
            content += piece
    except OSError:
        pass
    finally:
        os.close(file)
    return os.fsdecode(content)
