"""How much memory a process has had resident at once."""

from __future__ import annotations

import re
from pathlib import Path

import psutil

_HIGH_WATER = re.compile(r"^VmHWM:\s*(\d+) kB$", re.MULTILINE)


def peak_resident(pid: int) -> int:
    """The peak in bytes of a process and those it has started; 0 when it is gone.

    Linux keeps the peak of each process itself; elsewhere it is what is resident now.
    """
    try:
        process = psutil.Process(pid)
        return sum(_peak(one) for one in (process, *process.children(recursive=True)))
    except psutil.Error:
        return 0


def _peak(process: psutil.Process) -> int:
    try:
        status = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
    except OSError:
        return int(process.memory_info().rss)
    match = _HIGH_WATER.search(status)
    return int(match[1]) * 1024 if match else 0
