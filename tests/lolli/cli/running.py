"""Commands of `lolli` as processes that run to their end."""

import json
import subprocess
from typing import Any

from tests.patience import PATIENCE


def run_command(
    name: str, command: list[str], *words: str, said: bytes = b"", status: int = 0
) -> subprocess.CompletedProcess[str]:
    """Run `lolli NAME WORDS...` with `said` on stdin; it must end with `status` and without a traceback."""
    done = subprocess.run(
        [*command, name, *words], input=said, capture_output=True, check=False, timeout=PATIENCE
    )
    assert done.returncode == status, done.stderr.decode()
    assert b"Traceback" not in done.stderr
    return subprocess.CompletedProcess(words, status, done.stdout.decode(), done.stderr.decode())


def objects(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines()]
