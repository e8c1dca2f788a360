"""Strategies for fuzzing: good data with damage of all kinds, and JSON with one wrong value."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

import chess
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from engine.board.position import COMPILED
from tests.protocol.fuzz_lines import FENS, HOSTILE, as_bytes

WRONG_JSON = (
    *("null", "true", "[]", "{}", '""', "0", "1", "-1", "0.5", "1e2", "NaN", "-Infinity", "1e999", "1001"),
    *("1" + "0" * 400, "1" * 5000, '"\\ud800"', '"a\\nb"', '"\\u001b[2J"', "[" * 2000, '{"a":' * 2000),
    *("9223372036854775807", "9223372036854775808", '"7"'),
)
"""JSON texts that a value may be replaced by."""
JSON_SNIPPETS = (*WRONG_JSON, *',:{}[]"\\\0\n', b"\xff", b"\xef\xbb\xbf")
_LENGTHS = (0, 0, 0, 1, 1, 2, 10, 100)
_HERE = "HERE"


def examples(count: int) -> settings:
    return settings(
        max_examples=count if COMPILED else max(10, count // 10),
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    )


@st.composite
def played(draw: st.DrawFn, most: int = 12) -> chess.Board:
    """A board after at most `most` random moves from one of many positions, with the moves on its stack."""
    board = chess.Board(draw(st.sampled_from(FENS)), chess960=True)
    for _ in range(draw(st.integers(0, most))):
        moves = list(board.legal_moves)
        if not moves:
            break
        board.push(moves[draw(st.integers(0, 255)) % len(moves)])
    return board


@st.composite
def damaged(
    draw: st.DrawFn, good: st.SearchStrategy[bytes], snippets: Iterable[bytes | str] = HOSTILE, most: int = 4
) -> bytes:
    data = draw(good)
    pieces = st.sampled_from(as_bytes(tuple(snippets)))
    for _ in range(draw(st.integers(0, most))):
        begin = draw(st.integers(0, len(data)))
        end = min(len(data), begin + draw(st.sampled_from(_LENGTHS)))
        piece = draw(st.sampled_from((b"", data[begin:end] * 2)) | pieces | pieces)
        data = data[:begin] + piece + data[end:]
    return data


@st.composite
def flipped(draw: st.DrawFn, good: st.SearchStrategy[bytes], first: int = 0) -> bytes:
    """The data with up to 20 bytes replaced, none before place `first`."""
    data = bytearray(draw(good))
    if len(data) > first:
        places = st.integers(first, len(data) - 1)
        for place, byte in draw(st.lists(st.tuples(places, st.integers(0, 255)), min_size=1, max_size=20)):
            data[place] = byte
    return bytes(data)


@st.composite
def cut(draw: st.DrawFn, good: st.SearchStrategy[bytes]) -> bytes:
    data = draw(good)
    return data[: draw(st.integers(0, len(data)))]


def spoiled(
    good: st.SearchStrategy[bytes], snippets: Iterable[bytes | str] = HOSTILE
) -> st.SearchStrategy[bytes]:
    """The data with damage of any kind, or rarely random bytes."""
    pieces = damaged(good, snippets)
    return st.one_of(pieces, pieces, flipped(good), cut(good), st.binary(max_size=300))


@st.composite
def exchanged(draw: st.DrawFn, whole: Any) -> bytes:
    whole = json.loads(json.dumps(whole))
    inner = whole
    while True:
        keys: Sequence[Any] = list(inner) if isinstance(inner, dict) else range(len(inner))
        key = keys[draw(st.integers(0, 255)) % len(keys)]
        if not isinstance(inner[key], dict | list) or not inner[key] or draw(st.integers(0, 6)) == 0:
            break
        inner = inner[key]
    kind = draw(st.sampled_from(("replace", "replace", "replace", "remove", "add")))
    if kind == "replace":
        inner[key] = _HERE
    elif kind == "remove":
        del inner[key]
    elif isinstance(inner, dict):
        inner["x" * draw(st.sampled_from((1, 300)))] = 0
    else:
        inner.append(_HERE)
    wrong = draw(st.sampled_from(WRONG_JSON))
    return json.dumps(whole, separators=(",", ":")).encode().replace(b'"HERE"', wrong.encode())


def assert_plain(text: str) -> None:
    assert text.strip()
    assert not any(ord(letter) < 32 or 127 <= ord(letter) < 160 for letter in text), repr(text)
