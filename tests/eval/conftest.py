"""A file of weights for the tests of this folder."""

from pathlib import Path

import pytest


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A good file of weights."""
    from eval.weight_file import save  # noqa: PLC0415 - not before the mode is settled
    from tests.eval.weight_files import GOOD  # noqa: PLC0415

    path = tmp_path / "weights.json"
    save(path, GOOD)
    return path
