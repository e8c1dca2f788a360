"""The version of the program, for the provenance of what it makes."""

from __future__ import annotations

import subprocess
from pathlib import Path


def commit() -> str | None:
    """The commit of the checkout, or None outside one."""
    words = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    try:
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None
