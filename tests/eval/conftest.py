"""A file of weights for the tests of this folder."""

from pathlib import Path

import pytest

from eval.weight_file import save
from tests.eval.weight_files import GOOD


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A good file of weights."""
    path = tmp_path / "weights.json"
    save(path, GOOD)
    return path
