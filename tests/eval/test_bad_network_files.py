"""Files of networks: whatever is wrong with one is said in a line that names it."""

import json
from pathlib import Path
from typing import Any

import pytest

from eval import network_file
from eval.weight_file import load
from tests.engine.search.searching import sized
from tests.eval.network_files import (
    described,
    good_network,
    joined,
    network_problem,
    parts,
    signed,
)
from tests.eval.weight_files import good_file, problem


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return good_network(tmp_path)


def test_missing_file_and_folder(tmp_path: Path) -> None:
    assert "no such file" in network_problem(tmp_path / "none.lolli")
    assert "directory" in network_problem(tmp_path).lower()


@pytest.mark.parametrize("data", [b"", b"\0" * 4096, b"LolliNe", b"lollinet" * 100, b'{"format": 1}'])
def test_file_of_something_else(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    assert "not a file of a network" in network_problem(path)


def test_the_other_kind_of_weights(path: Path, tmp_path: Path) -> None:
    assert "not a file of a network" in network_problem(good_file(tmp_path))
    assert "not a file of weights" in problem(path, load)


def test_file_that_is_too_large(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network_file, "LARGEST_FILE", path.stat().st_size - 1)
    assert "larger than" in network_problem(path)


def test_file_cut_short_anywhere(path: Path) -> None:
    whole = path.read_bytes()
    for length in [8, 9, 15, 16, 17, *range(20, len(whole), len(whole) // sized(300, 60)), len(whole) - 1]:
        path.write_bytes(whole[:length])
        message = network_problem(path)
        assert "not a whole file" in message or (length < 12 and "version" in message)


def test_file_that_is_too_long(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\0")
    assert "digest" in network_problem(path)
    data = path.read_bytes()[:-33]
    path.write_bytes(signed(data + b"\0"))
    network_problem(path)
    path.write_bytes(signed(data + bytes(64)))
    assert "bytes of weights instead of" in network_problem(path)


@pytest.mark.parametrize("version", [0, 2, 1 << 16, (1 << 16) + 1, (1 << 32) - 1])
def test_another_version(path: Path, version: int) -> None:
    description, numbers = parts(path.read_bytes())
    path.write_bytes(joined(json.dumps(description).encode(), numbers, version))
    assert f"is of version {version}, not 1" in network_problem(path)


@pytest.mark.parametrize(
    "text",
    [b"", b"{", b"\xff\xfe", b"[]", b"{} {}", b"[" * 100_000, b'{"width": ' + b"1" * 5000 + b"}"],
)
def test_description_that_is_none(path: Path, text: bytes) -> None:
    path.write_bytes(joined(text, parts(path.read_bytes())[1]))
    message = network_problem(path)
    assert "description" in message
    assert len(message) < len(str(path)) + 300


WRONG: dict[str, tuple[Any, ...]] = {
    "width": (0, 31, 33, 1056, 64, 32.0, "32", None, True, 10**30),
    "king_places": (None, 0, "0" * 64, [0] * 63, [0] * 65, {"0": 0}, [0] * 64),
    "output_buckets": (7, None, "8"),
    "activation": ("crelu", None),
    "quantisation": ([255], [64, 255], None),
    "scale": (0, 10_001, 139.0, "139", None, True, float("inf")),
    "endings": (None, {}, {"won": True}, {"won": 1, "drawish": 0}, {"won": 1, "drawish": True, "lost": True}),
    "outcome": (0, "ab", {}, {"a": [1, 2, 3], "b": [1, 2, 3]}, {"a": [180, 0, 0, 0], "b": [-60, 0, 0, 0]}),
    "about": (None, 0, "text", [], True),
}


@pytest.mark.parametrize("name", WRONG)
def test_missing_and_wrong_entries(path: Path, name: str) -> None:
    whole = path.read_bytes()
    described(path, **{name: ...})
    assert repr(name) in network_problem(path)
    for value in WRONG[name]:
        path.write_bytes(whole)
        described(path, **{name: value})
        message = network_problem(path)
        assert len(message) < len(str(path)) + 300, value
        assert name in message or value in (64, [0] * 64), message  # these need other numbers


def test_unknown_entry(path: Path) -> None:
    described(path, **{"colour\nscheme": 1})
    assert "unknown" in network_problem(path)


def test_numbers_that_might_overflow(path: Path) -> None:
    description, numbers = parts(path.read_bytes())
    text = json.dumps(description).encode()
    path.write_bytes(joined(text, b"\xff\x7f" * 4000 + numbers[8000:]))
    assert "might leave 16 bits" in network_problem(path)
    path.write_bytes(joined(text, numbers[:-1000] + b"\xff\x7f" * 100 + numbers[-800:]))
    assert "output bucket" in network_problem(path)
