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


def test_missing_file(tmp_path: Path) -> None:
    for read in (load, load_outcome):
        assert "no such file" in problem(tmp_path / "none.json", read)
        assert "no such file" in problem(tmp_path / "none" / "none.json", read)


def test_folder(tmp_path: Path) -> None:
    assert "directory" in problem(tmp_path).lower()


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


@pytest.mark.parametrize("depth", [100, 500, 900, 10_000, 1_000_000])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_deep_nesting(path: Path, depth: int, opening: str, closing: str) -> None:
    nested = opening * depth + "1" + closing * depth
    path.write_text(nested)
    problem(path)
    whole = json.dumps(content_of(GOOD))
    for place in ('"version": 1', '"features": ', '"middle": [-500'):
        head, _, tail = whole.partition(place)
        key = place.partition(":")[0]
        if place.startswith('"middle"'):
            path.write_text(f"{head}{key}: [{nested}{tail}")
        elif place.startswith('"version"'):
            path.write_text(f"{head}{key}: {nested}{tail}")
        else:
            path.write_text(f"{head}{key}: {nested}}}")
        problem(path)


@pytest.mark.parametrize("value", [0, 2, -1, 1.5, True, "1", None, [1], {"1": 1}, 10**30])
def test_another_version(path: Path, value: object) -> None:
    changed(path, "version", to=value)
    for read in (load, load_outcome):
        assert "version" in problem(path, read)


@pytest.mark.parametrize("value", [None, [], 0, "placement", True])
def test_features_that_are_none(path: Path, value: object) -> None:
    changed(path, "features", to=value)
    assert "features" in problem(path)
    assert load_outcome(path) == MODEL


def test_unknown_feature(path: Path) -> None:
    changed(path, "features", "tempo of\nthe dance", to={"middle": [1], "endgame": [1]})
    assert "tempo of" in problem(path)


@pytest.mark.parametrize("feature", FEATURES, ids=lambda feature: feature.name)
def test_missing_feature(path: Path, feature: Any) -> None:
    found = content_of(GOOD)
    del found["features"][feature.name]
    path.write_text(json.dumps(found))
    assert repr(feature.name) in problem(path)


@pytest.mark.parametrize("stage", ["middle", "endgame"])
@pytest.mark.parametrize("length", [0, 31, 33, 5000])
def test_too_few_or_too_many_weights(path: Path, stage: str, length: int) -> None:
    changed(path, "features", "danger", stage, to=[0] * length)
    message = problem(path)
    assert "'danger'" in message
    assert stage in message
    assert str(length) in message
    assert "32" in message


@pytest.mark.parametrize(
    "text",
    [
        *("0.0", "1.5", "1e2", "-0.0", "NaN", "Infinity", "-Infinity", "1e999"),
        *("true", "false", "null", '"1"', '""', "[1]", "[]", "{}", '{"a": 1}'),
        *("1001", "-1001", "2147483648", "9223372036854775808", "1" + "0" * 400, "1" + "0" * 5000),
        '"two\\nlines"',
    ],
)
@pytest.mark.parametrize("stage", ["middle", "endgame"])
def test_weight_that_is_none(path: Path, stage: str, text: str) -> None:
    changed(path, "features", "danger", stage, 31, to="HERE")
    path.write_text(path.read_text().replace('"HERE"', text))
    message = problem(path)
    assert "'danger'" in message or "not a whole file" in message


@pytest.mark.parametrize("value", [10**400, "x" * 5000, [1] * 5000, {"x": 2 * ["y" * 1000]}], ids=type)
@pytest.mark.parametrize("keys", [("version",), ("features", "danger", "middle", 31), ("outcome", "a", 2)])
def test_problem_is_short_whatever_it_is_about(path: Path, keys: tuple[Any, ...], value: object) -> None:
    changed(path, *keys, to=value)
    assert len(problem(path)) < len(str(path)) + 300


@pytest.mark.parametrize(
    "outcome",
    [
        *(0, [], "ab", {}, True, {"a": [1, 2, 3, 4]}, {"a": 1, "b": 1}, {"a": [], "b": []}),
        {"a": [180, 0, 0], "b": [60, 0, 0, 0]},
        {"a": [180, 0, 0, 0, 0], "b": [60, 0, 0, 0]},
        {"a": [180, 0, 0, None], "b": [60, 0, 0, 0]},
        {"a": [180, 0, 0, "x\ny"], "b": [60, 0, 0, 0]},
        {"a": [180, 0, 0, float("nan")], "b": [60, 0, 0, 0]},
        {"a": [180, 0, 0, 0], "b": [float("inf"), 0, 0, 0]},
        {"a": [180, 0, 0, 0], "b": [0, 0, 0, 0]},
        {"a": [180, 0, 0, 0], "b": [-60, 0, 0, 0]},
        {"a": [10**400, 0, 0, 0], "b": [60, 0, 0, 0]},
        {"a": "1234", "b": "1234"},
        {"a": [[180], 0, 0, 0], "b": [60, 0, 0, 0]},
    ],
)
def test_wrong_model_of_the_outcome(path: Path, outcome: object) -> None:
    changed(path, "outcome", to=outcome)
    for read in (load, load_outcome):
        assert "outcome" in problem(path, read)
