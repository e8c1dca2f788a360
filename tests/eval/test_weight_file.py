"""Files of weights: what is written is read, whole or not at all, and what comes with the program is good."""

import json
from pathlib import Path

import pytest

from eval import weight_file
from eval.features import FEATURES, WEIGHTS
from eval.weight_file import (
    Weights,
    load,
    load_outcome,
    save,
    save_outcome,
)
from tests.compiled import ROOT
from tests.eval.some_weights import MODEL, random_weights, standard_weights
from tests.eval.weight_files import GOOD, OTHER, changed, content, good_file, problem
from tests.traps import full_disk


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return good_file(tmp_path)


def files_beside(path: Path) -> list[str]:
    return [each.name for each in path.parent.iterdir()]


# Good files


@pytest.mark.parametrize(
    "weights", [GOOD, standard_weights(), random_weights(2, None)], ids=["any", "standard", "bare"]
)
def test_what_is_written_is_read(weights: Weights, tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "weights.json"
    save(path, weights)
    assert load(path) == weights
    assert files_beside(path) == [path.name]
    text = path.read_bytes()
    save(path, load(path))
    assert path.read_bytes() == text  # the same weights give the same file


def test_file_is_by_the_names_of_features(path: Path) -> None:
    """Whatever else may change, files of this version look like this."""
    found = content(path)
    assert [*found] == ["format", "version", "about", "outcome", "features"]
    assert (found["format"], found["version"]) == ("lolli weights", 1)
    assert found["outcome"] == {"a": list(MODEL.a), "b": list(MODEL.b)}
    assert [*found["features"]] == [feature.name for feature in FEATURES]
    for feature in FEATURES:
        place = slice(feature.start, feature.start + feature.size)
        assert found["features"][feature.name] == {
            "middle": list(GOOD.middle[place]),
            "endgame": list(GOOD.endgame[place]),
        }


# The model of the outcome on its own


def test_outcome_is_replaced_with_its_history_and_nothing_else(path: Path) -> None:
    save_outcome(path, OTHER, {"data": "yesterday's games"})
    assert load_outcome(path) == OTHER
    about = GOOD.about | {"outcome": {"data": "yesterday's games"}}
    assert load(path) == Weights(GOOD.middle, GOOD.endgame, OTHER, about)
    save_outcome(path, MODEL, {})
    assert load(path) == Weights(GOOD.middle, GOOD.endgame, MODEL, GOOD.about | {"outcome": {}})


def test_outcome_without_features(tmp_path: Path) -> None:
    path = tmp_path / "new" / "material.json"
    save_outcome(path, OTHER, {"games": 7})
    assert load_outcome(path) == OTHER
    assert content(path)["features"] == {}
    assert content(path)["about"] == {"outcome": {"games": 7}}
    assert "weights" in problem(path)
    save_outcome(path, MODEL, {})
    assert load_outcome(path) == MODEL


@pytest.mark.parametrize("data", [b"", b"{}", b"[1]", b"\xff", b'{"format": "lolli weights", "version": 9}'])
def test_outcome_does_not_replace_what_is_no_file_of_weights(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    problem(path, lambda where: save_outcome(where, OTHER, {}))
    assert path.read_bytes() == data


@pytest.mark.parametrize("features", [None, [], 7, "x", {"tempo": 7}, {"tempo": {"middle": [1]}}])
def test_outcome_does_not_replace_in_a_file_of_broken_features(path: Path, features: object) -> None:
    changed(path, "features", to=features)
    data = path.read_bytes()
    problem(path, lambda where: save_outcome(where, OTHER, {}))
    assert path.read_bytes() == data


# Whole or not at all


def test_writing_that_fails_leaves_what_was_there(path: Path) -> None:
    before = path.read_bytes()
    with full_disk(len(before) // 2):
        with pytest.raises(OSError, match="File too large"):
            save(path, standard_weights())
        with pytest.raises(OSError, match="File too large"):
            save_outcome(path, OTHER, {})
    assert path.read_bytes() == before
    save(path, standard_weights())
    assert load(path) == standard_weights()
    assert files_beside(path) == [path.name]


# The files that come with the program


@pytest.mark.parametrize(
    "path", sorted((ROOT / "eval" / "weights").glob("*.json")), ids=lambda path: path.name
)
def test_files_of_the_program_are_good(path: Path) -> None:
    if json.loads(path.read_text(encoding="utf-8"))["features"]:
        weights = load(path)
        assert any(weights.middle)
        assert any(weights.endgame)
    else:
        load_outcome(path)


def test_limit_keeps_the_sum_within_its_bound() -> None:
    """A weight and its double fit into half of the number that both stages share."""
    assert weight_file.LARGEST_WEIGHT * 2 * WEIGHTS < 2**31
