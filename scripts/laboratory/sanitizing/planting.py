"""Whether a sanitizer finds what it is there for: see faults.py."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import reports
from .sanitizers import ADDRESS, THREAD, SanitizerError

if TYPE_CHECKING:
    from pathlib import Path

    from .sanitizers import Sanitizer

_PATIENCE = 300  # seconds for one fault


@dataclass(frozen=True, slots=True)
class Fault:
    """A function of faults.py, and words of the one report that it must lead to; None for no report."""

    function: str
    reported: str | None
    leaks: bool = False
    """Whether to look for leaks."""


FAULTS = {
    ADDRESS.name: (
        Fault("heap_overflow", "AddressSanitizer: heap-buffer-overflow"),
        Fault("array_overflow", "index 8 out of bounds"),
        Fault("signed_overflow", "signed integer overflow"),
        Fault("wide_shift", "shift exponent 40 is too large"),
        Fault("float_overflow", "outside the range of representable values"),
        Fault("leak", "LeakSanitizer: detected memory leaks", leaks=True),
        Fault("no_race", None),
    ),
    THREAD.name: (Fault("race", "ThreadSanitizer: data race"), Fault("no_race", None)),
}


def check(sanitizer: Sanitizer, tree: Path, folder: Path) -> int:
    """How many faults were planted, each of which was told rightly; else SanitizerError.

    `folder` is an empty one, and is left empty.
    """
    for fault in FAULTS[sanitizer.name]:
        code = f"from scripts.laboratory.sanitizing import faults; faults.{fault.function}()"
        done = subprocess.run(
            sanitizer.command(sys.executable, "-c", code),
            cwd=tree,
            env=sanitizer.run_environment(tree, folder, leaks=fault.leaks),
            capture_output=True,
            text=True,
            check=False,
            timeout=_PATIENCE,
        )
        found = reports.read(folder)
        for path in folder.iterdir():
            path.unlink()
        told = found[0].text if found else f"nothing\n{done.stderr}"
        if fault.reported is None:
            right = not found and done.returncode == 0
        else:
            right = bool(found) and fault.reported in told and done.returncode != 0
        if not right:
            raise SanitizerError(f"planted {fault.function}: expected {fault.reported}, got {told}")
    return len(FAULTS[sanitizer.name])
