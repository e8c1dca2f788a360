"""Commands, run as a person does."""

import os
import subprocess
from pathlib import Path

from click.testing import CliRunner, Result

from lolli.cli.group import group
from tests.patience import PATIENCE


def inside(*words: object, said: bytes = b"") -> Result:
    """Run in this process, which takes less time; what goes wrong unexpectedly is raised."""
    return CliRunner(catch_exceptions=False).invoke(group, [str(word) for word in words], input=said)


def outside(command: list[str], *words: object, said: bytes = b"", path: Path | None = None) -> Result:
    """Run in a process of its own, with a folder of modules that are found before all others."""
    environment = dict(os.environ) if path is None else {**os.environ, "PYTHONPATH": str(path)}
    done = subprocess.run(
        [*command, *map(str, words)],
        input=said,
        capture_output=True,
        check=False,
        env=environment,
        timeout=PATIENCE,
    )
    return Result(CliRunner(), done.stdout, done.stderr, b"", None, done.returncode, None)


def refused(done: Result) -> str:
    assert done.exit_code == 2
    assert done.stdout == ""
    line = done.stderr.splitlines()[-1]
    assert line.startswith("Error: ")
    assert "Traceback" not in done.stderr
    return line.removeprefix("Error: ")
