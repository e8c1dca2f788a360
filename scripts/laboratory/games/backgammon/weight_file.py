"""The weights of the backgammon networks as a file."""

from __future__ import annotations

import json
from array import array
from base64 import b85encode
from typing import TYPE_CHECKING

from engine.games.rules.backgammon.network import SCALE

if TYPE_CHECKING:
    from collections.abc import Sequence

_LARGEST = (1 << 15) - 1


def weight_file(contact: Sequence[float], race: Sequence[float], how: str) -> str:
    """The text of the weights of engine/games/rules/backgammon; `how`: how they were learned."""
    weights = {"learned": how, "contact": encoded(contact), "race": encoded(race)}
    return json.dumps(weights, indent=1, ensure_ascii=False) + "\n"


def encoded(weights: Sequence[float]) -> str:
    """Weights as Net.read takes them, those out of range as the nearest within."""
    numbers = array("h", [max(-_LARGEST, min(_LARGEST, round(SCALE * weight))) for weight in weights])
    return b85encode(numbers.tobytes()).decode()
