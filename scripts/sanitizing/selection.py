"""What is run under the sanitizers: tests of the project that put the compiled modules to use."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .sanitizers import ADDRESS, THREAD, SanitizerError

if TYPE_CHECKING:
    from pathlib import Path

    from .sanitizers import Sanitizer

_MOST_AT_ONCE = 8
_PATIENCE_OF_A_TEST = 1200  # seconds
_LAST_LINES = 60  # of a run that failed

_DIALOGUES = "tests/protocol/test_dialogues_of_threads.py"
_FUZZ = "tests/protocol/test_fuzz.py"
_QUICK = (
    "tests/board/test_perft.py",
    "tests/board/test_position.py",
    "tests/eval/test_linear.py",
    "tests/games",
    "tests/general/test_reply_search.py",
    "tests/general/test_solver.py",
    "tests/general/test_uct.py",
    _DIALOGUES,
    f"{_FUZZ}::test_random_lines[searching-tokens]",
)
SELECTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "quick": {ADDRESS.name: _QUICK, THREAD.name: _QUICK},
    "full": {ADDRESS.name: ("tests/board",), THREAD.name: _QUICK},
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of the tests."""

    counts: str
    """How many passed and so on, as pytest tells it."""
    complaint: str
    """The end of pytest's output where a test failed, else empty."""


def run(sanitizer: Sanitizer, tree: Path, folder: Path, words: tuple[str, ...]) -> Outcome:
    """Run tests in the build in `tree`; reports go to `folder`."""
    jobs = min(os.cpu_count() or 1, _MOST_AT_ONCE)
    command = sanitizer.command(
        *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
        *(["-p", "scripts.sanitizing.heap"] if sanitizer is ADDRESS else []),
        # A worker that a report ends is replaced, and the other tests go on.
        *("--numprocesses", str(jobs), "-o", f"timeout={_PATIENCE_OF_A_TEST}", *words),
    )
    process = subprocess.Popen(
        command,
        cwd=tree,
        env=sanitizer.run_environment(tree, folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        output, _ = process.communicate()
    finally:
        with suppress(ProcessLookupError):  # all that the tests have started, where this is interrupted
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    lines = output.splitlines()
    counts = re.findall(r"\d+ (?:passed|failed|skipped|error|errors)\b", lines[-1] if lines else "")
    if not any("passed" in count for count in counts):
        raise SanitizerError("no test has passed:\n" + "\n".join(lines[-_LAST_LINES:]))
    return Outcome(", ".join(counts), "\n".join(lines[-_LAST_LINES:]) if process.returncode else "")
