"""The weights of the backgammon networks as a module of Python."""

from __future__ import annotations

from array import array
from base64 import b85encode
from textwrap import fill, wrap
from typing import TYPE_CHECKING

from engine.games.backgammon_net import SCALE

if TYPE_CHECKING:
    from collections.abc import Sequence

_LARGEST = (1 << 15) - 1
_WIDTH = 100


def weight_module(contact: Sequence[float], race: Sequence[float], how: str) -> str:
    """The source of engine/games/backgammon_weights.py; `how` tells in a sentence how they were learned."""
    about = fill(how, _WIDTH)
    return (
        '"""The weights of the networks of backgammon_net, as learned; made by scripts/learn_backgammon.\n\n'
        f"{about}\n\n"
        f"Numbers of 16 bits, low byte first, {SCALE} times the weights, in base 85: first a row of the\n"
        "first layer for each input and one for its bias, then a row for each output, its bias last.\n"
        '"""\n\n'
        f'CONTACT = """\n{encoded(contact)}\n"""\n\nRACE = """\n{encoded(race)}\n"""\n'
    )


def encoded(weights: Sequence[float]) -> str:
    """Weights as lines of text, those out of range as the nearest within."""
    numbers = array("h", [max(-_LARGEST, min(_LARGEST, round(SCALE * weight))) for weight in weights])
    return "\n".join(wrap(b85encode(numbers.tobytes()).decode(), _WIDTH))
