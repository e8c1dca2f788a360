"""Makes the system poorer for each Python that starts with this folder in PYTHONPATH; see tests/poorer.py."""

import os
import sys
from contextlib import suppress
from typing import Any

for each in os.environ.get("LOLLI_WITHOUT", "").split():
    module, _, name = each.partition(".")
    if name:
        delattr(__import__(module), name)
    else:
        if module == "resource":
            with suppress(ImportError):
                __import__("psutil")  # it needs that module here, though not on systems that lack it
        sys.modules[module] = None  # type: ignore[assignment] # which makes an import of it fail

if "LOLLI_GROUPS" in os.environ:
    opened = os.open

    def open_in_tree(path: Any, *words: Any, **named: Any) -> int:
        if str(path).startswith(("/proc/self/cgroup", "/proc/self/mountinfo", "/sys/fs")):
            path = os.environ["LOLLI_GROUPS"] + path
        return opened(path, *words, **named)

    os.open = open_in_tree
