"""Files of weights: whatever is wrong with one is said in a line that names it."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from eval.features import FEATURES
from eval.weight_file import load, load_outcome
from tests.engine.search.searching import sized
from tests.eval.some_weights import MODEL
from tests.eval.weight_files import GOOD, changed, content_of, good_file, problem


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return good_file(tmp_path)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_file_that_may_not_be_read(path: Path) -> None:
    path.chmod(0)
    assert "cannot be read" in problem(path)


@pytest.mark.parametrize(
    "data", [b"", b" \n", b"\0" * 4096, b"\xff\xfe\xfa", b"{", b"[]", b"null", b"7", b'"x"']
)
def test_file_of_something_else(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    for read in (load, load_outcome):
        assert "file of weights" in problem(path, read)


def test_file_cut_short_anywhere(path: Path) -> None:
    whole = path.read_bytes()
    for length in [*range(0, len(whole) - 3, sized(500, 1500)), len(whole) - 3]:
        path.write_bytes(whole[:length])
        assert "not a whole file" in problem(path)


def test_missing_file_and_folder(tmp_path: Path) -> None:
    for read in (load, load_outcome):
        assert "no such file" in problem(tmp_path / "none" / "none.json", read)
    assert "directory" in problem(tmp_path).lower()


@pytest.mark.parametrize("depth", [100, 900, 1_000_000])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_deep_nesting(path: Path, depth: int, opening: str, closing: str) -> None:
    nested = opening * depth + "1" + closing * depth
    path.write_text(nested)
    problem(path)
    head, _, tail = json.dumps(content_of(GOOD)).partition('"version": 1')
    path.write_text(f'{head}"version": {nested}{tail}')
    problem(path)


def test_missing_and_unknown_features(path: Path) -> None:
    for feature in FEATURES:
        found = content_of(GOOD)
        del found["features"][feature.name]
        path.write_text(json.dumps(found))
        assert repr(feature.name) in problem(path)
    changed(path, "features", "tempo of\nthe dance", to={"middle": [1], "endgame": [1]})
    assert "tempo of" in problem(path)


WRONG: dict[tuple[Any, ...], tuple[Any, ...]] = {
    ("version",): (0, 2, 1.5, True, "1", None, [1], 10**400),
    ("features",): (None, [], "placement", True),
    ("features", "danger", "middle"): ([], [0] * 31, [0] * 33, None, "0" * 32),
    ("features", "danger", "endgame", 31): (
        *(0.0, 1.5, float("nan"), float("inf"), True, None, "1", [1], {}, 1001, -1001, 2**31, 10**400),
        *("two\nlines", "x" * 5000, [1] * 5000, {"x": 2 * ["y" * 1000]}),
    ),
    ("outcome",): (
        *(0, "ab", {}, True, {"a": [1, 2, 3, 4]}, {"a": 1, "b": 1}, {"a": "1234", "b": "1234"}),
        *({"a": [180, 0, 0], "b": [60, 0, 0, 0]}, {"a": [180, 0, 0, None], "b": [60, 0, 0, 0]}),
        *({"a": [180, 0, 0, float("nan")], "b": [60, 0, 0, 0]}, {"a": [180, 0, 0, 0], "b": [-60, 0, 0, 0]}),
        *({"a": [10**400, 0, 0, 0], "b": [60, 0, 0, 0]}, {"a": [[180], 0, 0, 0], "b": [60, 0, 0, 0]}),
    ),
}


@pytest.mark.parametrize("keys", WRONG, ids=str)
def test_wrong_entries_are_refused_in_a_short_line(path: Path, keys: tuple[Any, ...]) -> None:
    """Weights and the model of the outcome; either is read though the other is wrong."""
    for value in WRONG[keys]:
        path.write_text(json.dumps(content_of(GOOD)))
        changed(path, *keys, to=value)
        message = problem(path)
        assert len(message) < len(str(path)) + 300, value
        assert keys[0] == "features" or keys[0] in message, value
        if keys[0] == "features":
            assert "features" in keys[-1:] or "danger" in message or "not a whole file" in message, value
            assert load_outcome(path) == MODEL
        else:
            problem(path, load_outcome)
