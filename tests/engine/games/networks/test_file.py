"""Files of networks with a policy: what is written is read, and a bad file is refused in one line."""

from __future__ import annotations

import json
from hashlib import blake2b
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from engine.games.networks.file import PolicyFileError, PolicyWeights, load_policy, save_policy
from engine.games.networks.network import PolicyShape

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SHAPE = PolicyShape(3, 16, 1, 16, 4)


def network() -> PolicyWeights:
    random = Random(1)
    numbers = memoryview(bytearray(4 * SHAPE.count())).cast("f")
    for i in range(len(numbers)):
        numbers[i] = random.gauss(0, 10.0 ** (i % 8 - 4))
    return PolicyWeights("go", 5, 7, SHAPE, numbers, {"learned": "nöthing"})


def test_what_is_written_is_read(tmp_path: Path) -> None:
    given = network()
    save_policy(tmp_path / "x.lolli", given)
    read = load_policy(tmp_path / "x.lolli")
    assert (read.game, read.rows, read.columns, read.shape, read.about) == (
        ("go", 5, 7, SHAPE, {"learned": "nöthing"})
    )
    at = 0
    for _, size in SHAPE.parameters():
        count = 1
        for each in size:
            count *= each
        before, after = given.numbers[at : at + count], read.numbers[at : at + count]
        at += count
        if len(size) < 4:
            assert after == before
            continue
        for output in range(size[-1]):  # in 8 bits: half a step at most is lost
            step = max(map(abs, before[output :: size[-1]])) / 127
            lost = [
                abs(x - y) for x, y in zip(before[output :: size[-1]], after[output :: size[-1]], strict=True)
            ]
            assert max(lost) <= step * 0.5001
    assert not list(tmp_path.glob("*.partial"))


def _changed(data: bytes, old: bytes, new: bytes) -> bytes:
    """With something else in the description, as long as before, and with a digest that fits."""
    assert data.count(old) == 1
    data = data.replace(old, new.ljust(len(old)))[:-32]
    return data + blake2b(data, digest_size=32).digest()


BAD: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "empty": (lambda _: b"", "is not a file of a network with a policy"),
    "chess": (lambda data: b"LolliNet" + data[8:], "is not a file of a network with a policy"),
    "version": (lambda data: data[:8] + b"\2" + data[9:], "is of version 2, not 1"),
    "cut": (lambda data: data[:-1], "its digest is wrong"),
    "head": (lambda data: data[:20], "its digest is wrong"),
    "flipped": (lambda data: data[:500] + bytes([data[500] ^ 1]) + data[501:], "its digest is wrong"),
    "no json": (lambda data: _changed(data, b'"game"', b"game"), "its description cannot be read"),
    "key": (lambda data: _changed(data, b'"game"', b'"gamE"'), "does not have the entries game, rows"),
    "rows": (lambda data: _changed(data, b'"rows": 5', b'"rows": 0'), "its rows are 0, not a number from 1"),
    "text": (lambda data: _changed(data, b'"rows": 5', b'"rows":""'), "its rows are ''"),
    "step": (lambda data: _changed(data, b'"pooled": 16', b'"pooled": 15'), "not a multiple of 16"),
    "blocks": (lambda data: _changed(data, b'"blocks": 1', b'"blocks": 2'), "bytes of weights instead of"),
    "about": (lambda data: _changed(data, b'{"learned"', b'["learned"'), "its description cannot be read"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_refused_in_one_line(name: str, tmp_path: Path) -> None:
    change, reason = BAD[name]
    path = tmp_path / "x.lolli"
    save_policy(path, network())
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(PolicyFileError) as caught:
        load_policy(path)
    told = str(caught.value)
    assert told.startswith(f"{path}: ")
    assert reason in told
    assert "\n" not in told


@pytest.mark.parametrize("number", [float("nan"), float("inf"), 1e30])
def test_weights_that_are_no_numbers_are_refused(number: float, tmp_path: Path) -> None:
    weights = network()
    weights.numbers[-1] = number
    save_policy(tmp_path / "x.lolli", weights)
    with pytest.raises(PolicyFileError, match="too large, or none"):
        load_policy(tmp_path / "x.lolli")


def test_no_file_and_no_regular_file(tmp_path: Path) -> None:
    with pytest.raises(PolicyFileError, match="there is no such file"):
        load_policy(tmp_path / "none.lolli")
    with pytest.raises(PolicyFileError, match="cannot be read"):
        load_policy(tmp_path)


def test_the_description_is_json_for_all_to_read(tmp_path: Path) -> None:
    path = tmp_path / "x.lolli"
    save_policy(path, network())
    data = path.read_bytes()
    described: dict[str, Any] = json.loads(data[16 : 16 + int.from_bytes(data[12:16], "little")])
    assert described["channels"] == 16
    assert (16 + int.from_bytes(data[12:16], "little")) % 64 == 0
