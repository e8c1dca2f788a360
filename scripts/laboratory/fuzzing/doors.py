"""All doors by name."""

from __future__ import annotations

import math
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from .parsers import ParserDoor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .door import Door

_SHARES = {
    "uci": 20,
    "uci-searching": 10,
    "options": 4,
    "gtp": 10,
    "fen": 26,
    "epd": 7,
    "text": 8,
    "pgn": 4,
    "sgf": 4,
    "weights": 4,
    "book": 1,
    "tables": 1,
    "journal": 1,
}
"""How many of a hundred cases over all doors are for each: more where a case is quick."""
_DIALOGUES = {
    "uci": "uci:uci",
    "uci-searching": "uci:uci_searching",
    "options": "uci:options",
    "gtp": "gtp:gtp",
}
"""The doors of the engine itself, and what makes one; the others are parsers, modules of the same name."""
NAMES = tuple(_SHARES)
_LONGEST = 1000
"""Cases that are done in one go, by a process that is started for them."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """`count` cases of a door, from number `first` on."""

    door: str
    first: int
    count: int


def opened(name: str, command: Sequence[str]) -> Door:
    """The door of that name; `command` starts the engine."""
    if name not in _DIALOGUES:
        return ParserDoor(name)
    module, _, function = _DIALOGUES[name].partition(":")
    door: Door = getattr(import_module(f"{__package__}.{module}"), function)(command)
    return door


def shared_out(names: Sequence[str], count: int) -> dict[str, int]:
    """How many cases each of these doors gets; of many about `count`, of few at least one each."""
    whole = sum(_SHARES[name] for name in names)
    return {name: math.ceil(count * _SHARES[name] / whole) for name in names}


def stretches(counts: dict[str, int], first: int) -> list[Stretch]:
    """Pieces of work for processes beside each other; the doors by turns, so that none is left to the end."""
    begins = range(0, max(counts.values(), default=0), _LONGEST)
    return [
        Stretch(name, first + begin, min(_LONGEST, count - begin))
        for begin in begins
        for name, count in counts.items()
        if begin < count
    ]
