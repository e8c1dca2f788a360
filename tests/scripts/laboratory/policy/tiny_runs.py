"""Runs of `scripts/lab learn-policy` that take a second."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click.testing import CliRunner

from engine.games.compiled import puct
from scripts.laboratory.policy.learn_policy import learn_policy

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

COMPILED = not puct.__file__.endswith(".py")
"""In plain Python such a run takes minutes."""
TINY = ("--channels", "16", "--blocks", "0", "--playouts", "8", "--games", "8", "--threads", "1")


def learn(folder: Path, *words: str) -> Result:
    """Run the command with a tiny network."""
    return CliRunner().invoke(learn_policy, ["--data", str(folder), *TINY, *words])
