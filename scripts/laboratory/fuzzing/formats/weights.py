"""Files of weights: refused with one line that names the file, or sound."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.board.fen import parse_fen
from eval.features import WEIGHTS
from eval.linear import Linear
from eval.outcome import OutcomeModel
from eval.weight_file import LARGEST_WEIGHT, STANDARD, WeightsError, load, load_outcome
from scripts.laboratory.fuzzing.ingredients import FENS, as_bytes, cut, damaged, flipped, random_bytes, saved
from scripts.laboratory.fuzzing.target import require, require_plain

if TYPE_CHECKING:
    from random import Random

_JSON = ("null", "true", "[]", "{}", '""', "0", "1", "-1", "0.5", "1e2", "NaN", "-Infinity", "1e999", "1001")
_WRONG = (*_JSON, "1" + "0" * 400, "1" * 5000, '"\\ud800"', '"a\\nb"', "[" * 2000, '{"a":' * 2000)
_SNIPPETS = as_bytes((*_WRONG, *(",", ":", "{", "}", "[", "]", '"', "\\", b"\xff", b"\xef\xbb\xbf", "\0")))
_MOST = 100_000
"""Centipawns, more than any position can be worth."""


def make(rng: Random) -> bytes:
    """The standard file with one part replaced or other damage, or rarely random bytes."""
    kind = rng.random()
    if kind < 0.5:
        return _exchanged(rng)
    if kind < 0.85:
        return damaged(_standard(), rng, rng.randrange(4), _SNIPPETS)
    if kind < 0.9:
        return flipped(_standard(), rng, rng.randrange(1, 20))
    return cut(_standard(), rng) if kind < 0.95 else random_bytes(rng, 300)


def check(data: bytes) -> int:
    """Read the weights, and the model of the outcome alone."""
    path = saved("weights.json", data)
    for read in (load, load_outcome):
        try:
            found: object = read(path)
        except WeightsError as error:
            require_plain(str(error), "the reason")
            require(str(error).startswith(f"{path}: "), f"the reason does not name the file: {error}")
            require(len(str(error)) < len(str(path)) + 300, f"a reason of {len(str(error))} characters")
        else:
            _check_sound(found)
    return 2


def _check_sound(found: Any) -> None:
    if isinstance(found, OutcomeModel):
        win, draw, loss = found.chances(100, 40)
        require(win + draw + loss == 1000 and min(win, draw, loss) >= 0, f"chances {win} {draw} {loss}")
        return
    for part in (found.middle, found.endgame):
        require(len(part) == WEIGHTS, f"{len(part)} weights")
        require(all(type(each) is int and abs(each) <= LARGEST_WEIGHT for each in part), "unsound weights")
    value = Linear(found).static_value(parse_fen(FENS[1]))
    require(abs(value) < _MOST, f"a position is worth {value}")
    if found.outcome is not None:
        _check_sound(found.outcome)


@cache
def _standard() -> bytes:
    return Path(STANDARD).read_bytes()


def _exchanged(rng: Random) -> bytes:
    """The standard file with one part replaced."""
    whole = json.loads(_standard())
    inner: Any = whole
    while True:
        keys = list(inner) if isinstance(inner, dict) else range(len(inner))
        key = rng.choice(keys)
        if not isinstance(inner[key], dict | list) or not inner[key] or rng.random() < 0.15:
            break
        inner = inner[key]
    inner[key] = "HERE"
    if isinstance(inner, list) and rng.random() < 0.1:
        inner += ["HERE"] * rng.randrange(2)
    return json.dumps(whole).encode().replace(b'"HERE"', rng.choice(_WRONG).encode())
