"""What a process and those that it has started hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import psutil


@dataclass(frozen=True, slots=True)
class Health:
    """Bytes resident, open descriptors, threads; `life` tells the process from all before and after it."""

    life: str
    resident: int
    descriptors: int
    threads: int

    @classmethod
    def of(cls, pid: int) -> Self | None:
        """As it is now; None when the process is gone."""
        try:
            first = psutil.Process(pid)
            processes = [first, *first.children(recursive=True)]
            return cls(
                life=f"{pid}@{first.create_time():.2f}",
                resident=sum(process.memory_info().rss for process in processes),
                descriptors=sum(process.num_fds() for process in processes),
                threads=sum(process.num_threads() for process in processes),
            )
        except psutil.Error:
            return None
