"""Runs the commands of the page in a shell, in a folder with some games."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self

from scripts.documentation.page_source import DocumentationError

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parent.parent.parent
INPUTS = ("docs/games/*", "scripts/laboratory/data/*.epd")
PATIENCE = 120.0  # seconds for one command
_POLL = 0.05  # seconds
_GRACE = 5.0  # seconds for a process to end by itself


class Shell:
    """A new folder with INPUTS, and commands started there. The end of the context stops and removes them."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        """`tell` is called with each command before it is run."""
        self.tell = tell
        self._temporary = tempfile.TemporaryDirectory(prefix="lolli-")
        self.folder = Path(self._temporary.name, "games")
        self.folder.mkdir()
        for pattern in INPUTS:
            for file in ROOT.glob(pattern):
                shutil.copy(file, self.folder)
        self.environment = {
            "PATH": f"{ROOT / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "HOME": self._temporary.name,
            "SHELL": "/bin/bash",
            "LC_ALL": "C.UTF-8",
        }
        self._started: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in reversed(self._started):
            _end(process)
        self._temporary.cleanup()

    def run(self, command: str, status: int = 0) -> str:
        """Run a command. Its output on stdout and stderr together. Raises DocumentationError."""
        self.tell(command)
        process = self._start(command, subprocess.PIPE)
        try:
            written = process.communicate(timeout=PATIENCE)[0].decode(errors="replace")
        except subprocess.TimeoutExpired:
            _end(process)
            raise DocumentationError(f"{command}: still running after {PATIENCE:.0f} s") from None
        if process.returncode != status:
            raise DocumentationError(f"{command}: exit status {process.returncode}, not {status}\n{written}")
        return self.checked(command, written)

    def start(self, command: str, pattern: str) -> None:
        """Start a command that runs until the end of the shell. Returns when it has written `pattern`.

        Raises DocumentationError.
        """
        self.tell(command)
        with tempfile.TemporaryFile() as log:
            process = self._start(command, log.fileno())
            self._started.append(process)
            deadline = time.monotonic() + PATIENCE
            while not re.search(pattern, written := _all(log.fileno())):
                if process.poll() is not None or time.monotonic() > deadline:
                    raise DocumentationError(f"{command}: no output matches {pattern!r}\n{written}")
                time.sleep(_POLL)

    def checked(self, command: str, text: str) -> str:
        """The text, if it does not name folders of this machine. Raises DocumentationError."""
        for private in (self._temporary.name, str(ROOT), str(Path.home())):
            if private in text:
                raise DocumentationError(f"{command}: the output names {private}\n{text}")
        return text

    def _start(self, command: str, output: int) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            ["/bin/sh", "-c", command],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def _all(descriptor: int) -> str:
    return os.pread(descriptor, os.fstat(descriptor).st_size, 0).decode(errors="replace")


def _end(process: subprocess.Popen[bytes]) -> None:
    """Terminate a process and its descendants, and kill those that do not end."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if process.stdout:
        process.stdout.close()
