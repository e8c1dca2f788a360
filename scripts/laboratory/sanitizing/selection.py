"""The tests that run under the sanitizers: those that use the compiled modules most."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.system import processors
from scripts.laboratory.sanitizing.sanitizers import ADDRESS, THREAD, SanitizerError

if TYPE_CHECKING:
    from pathlib import Path

    from scripts.laboratory.sanitizing.sanitizers import Sanitizer

_MOST_AT_ONCE = 8
_PATIENCE_OF_A_TEST = 1200  # seconds
_LAST_LINES = 60  # of a run that failed

_BOTH = (
    "tests/engine/board/test_position.py",  # moves made and taken back at random
    "tests/eval/test_pawns.py",
    "tests/engine/games/rules/test_go.py",
    "tests/engine/games/compiled/test_best_reply.py",
    "tests/engine/games/compiled/test_othello_endgame.py",
    "tests/engine/games/compiled/test_solver.py",
    "tests/engine/games/compiled/test_uct.py",  # the simulations
    "tests/protocol/uci/test_threads.py",
    "tests/protocol/uci/test_pipelining.py::test_one_bestmove_for_each_search_under_fire",
)
_THREADS = (
    "tests/engine/games/players/test_searchers.py",
    "tests/protocol/gtp/test_gtp_session.py",
    "tests/scripts/laboratory/games/test_solve_connectfour.py",
    "tests/engine/test_session.py",
)
LEAKS = (
    "tests/engine/board/test_position.py",
    "tests/eval/test_linear.py",
    "tests/engine/games/compiled/test_best_reply.py",
    "tests/engine/games/compiled/test_othello_endgame.py",
    "tests/engine/games/compiled/test_solver.py",
    "tests/engine/games/compiled/test_uct.py",
    "tests/engine/test_session_evaluators.py",
)
"""Tests whose process ends with one thread, and uses no library that leaks memory."""
SELECTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "quick": {
        ADDRESS.name: (
            *_BOTH,
            "tests/engine/board/test_perft.py",
            "tests/eval/learning/test_packing.py",
            "tests/eval/test_linear.py",
            "tests/eval/test_network.py",
            "tests/engine/games/rules/test_backgammon.py",
            "tests/engine/games/rules/test_checkers.py",
            "tests/engine/games/rules/test_chinesecheckers.py",
            "tests/engine/games/rules/test_connectfour.py",
            "tests/engine/games/rules/test_focus.py",
            "tests/engine/games/rules/test_othello.py",
            "tests/engine/games/rules/test_virus.py",
            "tests/engine/search/test_table.py",
        ),
        THREAD.name: (*_BOTH, *_THREADS),
    },
    "full": {
        ADDRESS.name: (
            "tests/engine/board",
            "tests/eval",
            "tests/engine/games",
            "tests/protocol/gtp/test_dialogues.py",
            "tests/engine/lookup",
            "tests/protocol/uci/test_evaluators.py",
            "tests/protocol/uci/test_threads.py",
            "tests/protocol/uci/test_pipelining.py",
            "tests/engine/search",
            "tests/engine/test_session.py",
            "tests/engine/test_session_disturbed.py",
            "tests/engine/test_session_evaluators.py",
        ),
        THREAD.name: (
            *_BOTH[:-1],
            *_THREADS,
            "tests/engine/board/test_against_chess.py",
            "tests/eval/test_linear.py",
            "tests/engine/games/textbook/test_uct.py",
            "tests/protocol/gtp/test_dialogues.py",
            "tests/protocol/uci/test_evaluators.py",
            "tests/protocol/uci/test_pipelining.py",
            "tests/engine/search/test_deepening.py",
            "tests/engine/search/test_handicap.py",
            "tests/engine/test_session_disturbed.py",
            "tests/engine/test_session_evaluators.py",
        ),
    },
}


@dataclass(frozen=True, slots=True)
class PytestOutcome:
    """The result of a run of tests."""

    counts: str
    """The numbers of tests that passed, failed and so on, from pytest."""
    failures: str
    """The end of pytest's output if a test failed, else empty."""


def run(
    sanitizer: Sanitizer, tree: Path, folder: Path, words: tuple[str, ...], *, leaks: bool = False
) -> PytestOutcome:
    """Run tests in the build in `tree`, with reports to `folder`; with `leaks` in one process, for leaks."""
    jobs = 0 if leaks else min(processors(), _MOST_AT_ONCE)
    command = sanitizer.command(
        *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
        *(["-p", "scripts.laboratory.sanitizing.address_plugin"] if sanitizer is ADDRESS else []),
        # A worker that a report ends is replaced, and the remaining tests run.
        *("--numprocesses", str(jobs), "-o", f"timeout={_PATIENCE_OF_A_TEST}", *words),
    )
    process = subprocess.Popen(
        command,
        cwd=tree,
        env=sanitizer.run_environment(tree, folder, leaks=leaks),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        output, _ = process.communicate()
    finally:
        with suppress(ProcessLookupError):  # the tests' processes, if this is interrupted
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    lines = output.splitlines()
    counts = re.findall(r"\d+ (?:passed|failed|skipped|error|errors)\b", lines[-1] if lines else "")
    if not any("passed" in count for count in counts):
        raise SanitizerError("no test has passed:\n" + "\n".join(lines[-_LAST_LINES:]))
    return PytestOutcome(", ".join(counts), "\n".join(lines[-_LAST_LINES:]) if process.returncode else "")
