"""Files of networks: refused with one line that names the file, or sound."""

from __future__ import annotations

import json
from array import array
from functools import cache
from hashlib import blake2b
from random import Random

from engine.board.fen import parse_fen
from eval.network import Network
from eval.network_file import (
    SQUARES,
    NetworkWeights,
    load_network,
    save_network,
)
from eval.network_shape import OUTPUT_BUCKETS, ROWS
from eval.outcome import OutcomeModel
from eval.weight_file import WeightsError
from scripts.laboratory.fuzzing.ingredients import FENS, cut, damaged, flipped, random_bytes, saved
from scripts.laboratory.fuzzing.target import require, require_plain

_WRONG = (
    *("null", "true", "[]", "{}", '""', "0", "1", "-1", "0.5", "NaN", "-Infinity", "1e999", "64", "1024"),
    *(
        "1" + "0" * 400,
        "1" * 5000,
        '"\\ud800"',
        '"a\\nb"',
        "[" * 2000,
        '{"a":' * 2000,
        '"screlu"',
        "[255, 64]",
    ),
)
_WIDTH = 32
_HEAD, _DIGEST = 16, 32  # bytes
_MOST = 20_000
"""Centipawns, the most that a position can be worth."""


def make(rng: Random) -> bytes:
    """A good file with another description, other numbers or other damage, or rarely random bytes."""
    kind = rng.random()
    if kind < 0.4:
        return _redescribed(rng)
    if kind < 0.75:
        return _signed(_renumbered(rng))
    if kind < 0.85:
        return _signed(damaged(good()[:-_DIGEST], rng, rng.randrange(3)))
    if kind < 0.9:
        return flipped(good(), rng, rng.randrange(1, 20))
    return cut(good(), rng) if kind < 0.95 else random_bytes(rng, 300)


def check(data: bytes) -> int:
    """Read the network, and judge a position by it."""
    path = saved("network.lolli", data)
    try:
        weights = load_network(path)
    except WeightsError as error:
        require_plain(str(error), "the reason")
        require(str(error).startswith(f"{path}: "), f"the reason does not name the file: {error}")
        require(len(str(error)) < len(str(path)) + 300, f"a reason of {len(str(error))} characters")
    else:
        network = Network(weights)
        for fen in FENS[:3]:
            value = network.static_value(parse_fen(fen))
            require(abs(value) <= _MOST, f"a position is worth {value}")
        require(weights.outcome is None or isinstance(weights.outcome, OutcomeModel), "unsound outcome")
    return 1


@cache
def good() -> bytes:
    """A good file."""
    rng, inputs = Random(1), 2 * ROWS
    numbers = array("h", rng.choices(range(-60, 61), k=(inputs + 1 + 2 * OUTPUT_BUCKETS) * _WIDTH))
    places = tuple(square >> 5 for square in range(SQUARES))
    outcome = OutcomeModel((180.0, 40.0, 20.0, 10.0), (60.0, 20.0, 10.0, 5.0))
    weights = NetworkWeights(
        _WIDTH, memoryview(numbers), (0,) * OUTPUT_BUCKETS, places, outcome=outcome, about={"games": 1}
    )
    path = saved("good.lolli", b"")
    save_network(path, weights)
    return path.read_bytes()


def _signed(data: bytes) -> bytes:
    """The data with their digest."""
    return data + blake2b(data, digest_size=_DIGEST).digest()


def _end_of_description() -> int:
    return _HEAD + int.from_bytes(good()[12:_HEAD], "little")


def _redescribed(rng: Random) -> bytes:
    """The good file with one entry of the description replaced, taken away or added."""
    end = _end_of_description()
    described = json.loads(good()[_HEAD:end])
    inner = described
    while True:
        key = rng.choice(list(inner) if isinstance(inner, dict) else range(len(inner)))
        if not isinstance(inner[key], dict | list) or not inner[key] or rng.random() < 0.15:
            break
        inner = inner[key]
    kind = rng.random()
    if kind < 0.1:
        del inner[key]
    elif kind < 0.2 and isinstance(inner, dict):
        inner["x" * rng.randrange(300)] = 0
    elif kind < 0.9:
        inner[key] = "HERE"
    text = json.dumps(described).encode().replace(b'"HERE"', rng.choice(_WRONG).encode())
    return _signed(good()[: _HEAD - 4] + len(text).to_bytes(4, "little") + text + good()[end:-_DIGEST])


def _renumbered(rng: Random) -> bytes:
    """The good file, unsigned, with some numbers replaced: many small, or few of any size."""
    data, first = bytearray(good()[:-_DIGEST]), _end_of_description()
    for _ in range(rng.choice((1, 10, 1000))):
        place = rng.randrange(first, len(data) - 1)
        data[place : place + 2] = rng.choice((rng.randbytes(2), b"\xff\x7f", b"\0\x80", b"\x20\0", b"\0\0"))
    return bytes(data)
