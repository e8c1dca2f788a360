"""Files of weights: what is written is read, and whatever is wrong with one is said in a line."""

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from engine.board.fen import parse_fen
from eval import weight_file
from eval.features import FEATURES, WEIGHTS
from eval.learning.start import hand_set
from eval.linear import Linear
from eval.outcome import OutcomeModel
from eval.weight_file import (
    LARGEST_WEIGHT,
    MATERIAL,
    STANDARD,
    Weights,
    WeightsError,
    load,
    load_outcome,
    save,
    save_outcome,
)
from tests.compiled import ROOT
from tests.eval.some_weights import MODEL, random_weights
from tests.search.searching import sized

OTHER = OutcomeModel((300.5, -10.25, 0.0, 1e-3), (90.0, 0.0, 0.1, 0.0))
GOOD = Weights(
    tuple(range(-500, WEIGHTS - 500)),
    (LARGEST_WEIGHT, -LARGEST_WEIGHT) + (0,) * (WEIGHTS - 2),
    MODEL,
    {
        "made": "2026-01-31",
        "data": "jeux, партии, 棋",
        "loss": {"before": 0.25, "after": [0.125, None, True]},
    },
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A good file."""
    path = tmp_path / "weights.json"
    save(path, GOOD)
    return path


def content(path: Path) -> Any:
    """What a file holds."""
    return json.loads(path.read_text(encoding="utf-8"))


def files_beside(path: Path) -> list[str]:
    """The names of all in its folder."""
    return [each.name for each in path.parent.iterdir()]


def complaint(path: Path, read: Callable[[Path], object] = load) -> str:
    """Why it cannot be read: one line that names the file."""
    with pytest.raises(WeightsError) as caught:
        read(path)
    text = str(caught.value)
    assert text.startswith(f"{path}: ")
    assert len(text.splitlines()) == 1
    return text


# Good files


@pytest.mark.parametrize("weights", [GOOD, hand_set(), random_weights(2, None)], ids=["any", "hand", "bare"])
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


def test_order_and_layout_do_not_matter(path: Path) -> None:
    found = content(path)
    found["features"] = dict(reversed(found["features"].items()))
    path.write_text(json.dumps(found, sort_keys=True, indent=4))
    assert load(path) == GOOD


def test_file_without_outcome_or_about(path: Path) -> None:
    found = content(path)
    del found["about"], found["outcome"]
    path.write_text(json.dumps(found))
    assert load(path) == Weights(GOOD.middle, GOOD.endgame)
    assert "outcome" in complaint(path, load_outcome)


def test_weights_of_a_file_make_an_evaluator(path: Path) -> None:
    position = parse_fen("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3")
    assert Linear(load(path)).trace(position) == Linear(GOOD).trace(position)


# Bad files


def test_missing_file(tmp_path: Path) -> None:
    for read in (load, load_outcome):
        assert "no such file" in complaint(tmp_path / "none.json", read)
        assert "no such file" in complaint(tmp_path / "none" / "none.json", read)


def test_folder(tmp_path: Path) -> None:
    assert "directory" in complaint(tmp_path).lower()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_file_that_may_not_be_read(path: Path) -> None:
    path.chmod(0)
    assert "cannot be read" in complaint(path)


@pytest.mark.parametrize(
    "data", [b"", b" \n", b"\0" * 4096, b"\xff\xfe\xfa", b"{", b"[]", b"null", b"7", b'"x"']
)
def test_file_of_something_else(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    for read in (load, load_outcome):
        assert "file of weights" in complaint(path, read)


def test_file_in_another_encoding(path: Path) -> None:
    path.write_text(path.read_text(encoding="utf-8"), encoding="utf-16")
    assert "file of weights" in complaint(path)


def test_file_cut_short_anywhere(path: Path) -> None:
    whole = path.read_bytes()
    for length in [*range(0, len(whole) - 3, sized(500, 1500)), len(whole) - 3]:
        path.write_bytes(whole[:length])
        assert "not a whole file" in complaint(path)


@pytest.mark.parametrize("depth", [100, 500, 900, 10_000, 1_000_000])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_deep_nesting(path: Path, depth: int, opening: str, closing: str) -> None:
    nested = opening * depth + "1" + closing * depth
    path.write_text(nested)
    complaint(path)
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
        complaint(path)


def content_of(weights: Weights) -> dict[str, Any]:
    """What the file of some weights holds."""
    rows = {
        feature.name: {
            stage: list(part[feature.start : feature.start + feature.size])
            for stage, part in (("middle", weights.middle), ("endgame", weights.endgame))
        }
        for feature in FEATURES
    }
    outcome = weights.outcome and {"a": list(weights.outcome.a), "b": list(weights.outcome.b)}
    head = {"format": "lolli weights", "version": 1, "about": weights.about, "outcome": outcome}
    return head | {"features": rows}


def changed(path: Path, *keys: Any, to: Any) -> None:
    """Write the good file with one thing changed."""
    found = content_of(GOOD)
    inner: Any = found
    for key in keys[:-1]:
        inner = inner[key]
    inner[keys[-1]] = to
    path.write_text(json.dumps(found))


@pytest.mark.parametrize("value", ["lolli", "LOLLI WEIGHTS", "", None, 1, ["lolli weights"], {}])
def test_another_format(path: Path, value: object) -> None:
    changed(path, "format", to=value)
    assert "not a file of weights" in complaint(path)


@pytest.mark.parametrize("value", [0, 2, -1, 1.5, "1", None, [1], {"1": 1}, 10**30])
def test_another_version(path: Path, value: object) -> None:
    changed(path, "version", to=value)
    for read in (load, load_outcome):
        assert "version" in complaint(path, read)


@pytest.mark.parametrize("value", [None, [], 0, "placement", True])
def test_features_that_are_none(path: Path, value: object) -> None:
    changed(path, "features", to=value)
    assert "features" in complaint(path)
    assert load_outcome(path) == MODEL


def test_unknown_feature(path: Path) -> None:
    changed(path, "features", "tempo of\nthe dance", to={"middle": [1], "endgame": [1]})
    assert "tempo of" in complaint(path)


@pytest.mark.parametrize("feature", FEATURES, ids=lambda feature: feature.name)
def test_missing_feature(path: Path, feature: Any) -> None:
    found = content_of(GOOD)
    del found["features"][feature.name]
    path.write_text(json.dumps(found))
    assert repr(feature.name) in complaint(path)


@pytest.mark.parametrize("stage", ["middle", "endgame"])
@pytest.mark.parametrize("value", [None, 0, "", {}, "0" * 32])
def test_part_of_a_feature_that_is_no_list(path: Path, stage: str, value: object) -> None:
    changed(path, "features", "danger", stage, to=value)
    message = complaint(path)
    assert "'danger'" in message
    assert stage in message


@pytest.mark.parametrize("value", [None, 0, [0] * 32, "middle"])
def test_feature_without_parts(path: Path, value: object) -> None:
    changed(path, "features", "danger", to=value)
    assert "'danger'" in complaint(path)


@pytest.mark.parametrize("stage", ["middle", "endgame"])
@pytest.mark.parametrize("length", [0, 31, 33, 5000])
def test_too_few_or_too_many_weights(path: Path, stage: str, length: int) -> None:
    changed(path, "features", "danger", stage, to=[0] * length)
    message = complaint(path)
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
    message = complaint(path)
    assert "'danger'" in message or "not a whole file" in message


@pytest.mark.parametrize("value", [10**400, "x" * 5000, [1] * 5000, {"x": 2 * ["y" * 1000]}], ids=type)
@pytest.mark.parametrize("keys", [("version",), ("features", "danger", "middle", 31), ("outcome", "a", 2)])
def test_complaint_is_short_whatever_it_is_about(path: Path, keys: tuple[Any, ...], value: object) -> None:
    changed(path, *keys, to=value)
    assert len(complaint(path)) < len(str(path)) + 300


def test_complaint_about_a_long_name_is_short(path: Path) -> None:
    changed(path, "features", "x" * 5000, to={})
    assert len(complaint(path)) < len(str(path)) + 300


@pytest.mark.parametrize("value", [LARGEST_WEIGHT, -LARGEST_WEIGHT])
def test_largest_weights_are_allowed(path: Path, value: int) -> None:
    changed(path, "features", "danger", "middle", 31, to=value)
    index = next(each.start for each in FEATURES if each.name == "danger") + 31
    assert load(path).middle[index] == value


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
        {"a": [[180], 0, 0, 0], "b": [60, 0, 0, 0]},
    ],
)
def test_wrong_model_of_the_outcome(path: Path, outcome: object) -> None:
    changed(path, "outcome", to=outcome)
    for read in (load, load_outcome):
        assert "outcome" in complaint(path, read)


@pytest.mark.parametrize("about", [0, "text", [], True])
def test_wrong_about(path: Path, about: object) -> None:
    changed(path, "about", to=about)
    complaint(path)


anything = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
places = st.sampled_from(
    [
        *(
            ("format",),
            ("version",),
            ("about",),
            ("outcome",),
            ("features",),
            ("outcome", "a"),
            ("outcome", "b"),
        ),
        *(("outcome", "a", 0), ("outcome", "b", 3), ("features", "tempo"), ("features", "tempo", "middle")),
        *(("features", "tempo", "middle", 0), ("features", "placement", "endgame", 383), ("features", "new")),
    ]
)


@settings(max_examples=sized(150, 60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(places, anything)
@example(("features", "tempo", "middle", 0), True)
@example(("version",), True)
@example(("version",), 1.0)
def test_whatever_stands_somewhere_is_refused_or_sound(
    path: Path, place: tuple[Any, ...], value: Any
) -> None:
    changed(path, *place, to=value)
    try:
        weights = load(path)
    except WeightsError:
        complaint(path)
    else:
        for part in (weights.middle, weights.endgame):
            assert len(part) == WEIGHTS
            assert all(type(each) is int and abs(each) <= LARGEST_WEIGHT for each in part)
        assert isinstance(weights.about, dict)
        assert weights.outcome is None or isinstance(weights.outcome, OutcomeModel)


# The model of the outcome on its own


def test_outcome_is_replaced_and_nothing_else(path: Path) -> None:
    save_outcome(path, OTHER)
    assert load_outcome(path) == OTHER
    assert load(path) == Weights(GOOD.middle, GOOD.endgame, OTHER, GOOD.about)


def test_outcome_without_features(tmp_path: Path) -> None:
    path = tmp_path / "new" / "material.json"
    save_outcome(path, OTHER)
    assert load_outcome(path) == OTHER
    assert content(path)["features"] == {}
    assert "weights" in complaint(path)
    save_outcome(path, MODEL)
    assert load_outcome(path) == MODEL


@pytest.mark.parametrize("data", [b"", b"{}", b"[1]", b"\xff", b'{"format": "lolli weights", "version": 9}'])
def test_outcome_does_not_replace_what_is_no_file_of_weights(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    complaint(path, lambda where: save_outcome(where, OTHER))
    assert path.read_bytes() == data


@pytest.mark.parametrize("features", [None, [], 7, "x", {"tempo": 7}, {"tempo": {"middle": [1]}}])
def test_outcome_does_not_replace_in_a_file_of_broken_features(path: Path, features: object) -> None:
    changed(path, "features", to=features)
    data = path.read_bytes()
    complaint(path, lambda where: save_outcome(where, OTHER))
    assert path.read_bytes() == data


# Whole or not at all


class DiskFullError(OSError):
    """Stands for what can go wrong while writing."""


@pytest.mark.parametrize("name", ["write_text", "replace"])
def test_writing_that_fails_leaves_what_was_there(
    path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    before = path.read_bytes()

    def fail(self: Path, text: object, **_: object) -> None:
        if isinstance(text, str):
            with self.open("w") as file:
                file.write(text[: len(text) // 2])
        raise DiskFullError

    monkeypatch.setattr(Path, name, fail)
    with pytest.raises(DiskFullError):
        save(path, hand_set())
    assert path.read_bytes() == before
    with pytest.raises(DiskFullError):
        save_outcome(path, OTHER)
    assert path.read_bytes() == before
    monkeypatch.undo()
    save(path, hand_set())
    assert load(path) == hand_set()
    assert files_beside(path) == [path.name]


def test_what_cannot_be_written_leaves_what_was_there(path: Path) -> None:
    with pytest.raises(TypeError):
        save(path, Weights(GOOD.middle, GOOD.endgame, None, {"path": path}))
    assert load(path) == GOOD


def test_reader_sees_one_file_or_the_other(path: Path) -> None:
    """Never a part of one, never none."""
    other = hand_set()
    ended = threading.Event()

    def write() -> None:
        for _ in range(sized(40, 20)):
            save(path, other)
            save(path, GOOD)
        ended.set()

    writer = threading.Thread(target=write)
    writer.start()
    while not ended.is_set():
        assert load(path) in (GOOD, other)
    writer.join()


# The files that come with the program


def test_files_of_the_program_lie_beside_it() -> None:
    assert STANDARD == ROOT / "eval" / "weights" / "linear.json"
    assert MATERIAL == ROOT / "eval" / "weights" / "material.json"


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
