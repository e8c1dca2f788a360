"""Commands on a system that lacks something, gives less memory, or has them ignore signals."""

from collections.abc import Sequence
from pathlib import Path

SHIMS = Path(__file__).parent / "shims"
MB = 1 << 20


def within(megabytes: int, command: Sequence[str]) -> list[str]:
    """The command with an address space of that many megabytes."""
    return ["sh", "-c", f'ulimit -v {megabytes * 1024} && exec "$@"', "sh", *command]


def in_group(tree: Path, megabytes: int, command: Sequence[str]) -> list[str]:
    """The command in a control group with `megabytes` left, whose files are put into `tree`."""
    files = {
        "proc/self/mountinfo": "31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw",
        "proc/self/cgroup": "0::/box",
        "sys/fs/cgroup/box/memory.max": str((megabytes + 100) * MB),
        "sys/fs/cgroup/box/memory.current": str(100 * MB),
        "sys/fs/cgroup/box/cpu.max": "100000 100000",
    }
    for name, content in files.items():
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content + "\n")
    return ["env", f"PYTHONPATH={SHIMS}", f"LOLLI_GROUPS={tree}", *command]


def without(names: Sequence[str], command: Sequence[str]) -> list[str]:
    return ["env", f"PYTHONPATH={SHIMS}", f"LOLLI_WITHOUT={' '.join(names)}", *command]


def ignoring(signals: Sequence[str], command: Sequence[str]) -> list[str]:
    """The command with these signals, such as "INT", ignored, as nohup(1) and scripts have it."""
    return ["sh", "-c", f"trap '' {' '.join(signals)}; exec \"$@\"", "sh", *command]
