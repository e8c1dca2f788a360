"""Who plays whom, from which seat: everybody meets everybody, and everybody sits everywhere."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class Fixture:
    """One game to be played: who has which seat, by the numbers of the entrants; `number` counts from 1.

    Games with the same `opening` begin in the same way, with the players in other seats.
    """

    number: int
    seats: tuple[int, ...]
    opening: int


def groups(entrants: int, seats: int) -> list[tuple[int, ...]]:
    """The sets that meet. Where there are fewer entrants than seats they sit down more than once, in turn."""
    if entrants < seats:
        return [tuple(seat % entrants for seat in range(seats))]
    return list(combinations(range(entrants), seats))


def schedule(entrants: int, seats: int, rounds: int) -> Iterator[Fixture]:
    """In each round every group meets once in every seating that comes of moving up one seat."""
    number = opening = 0
    for _ in range(rounds):
        for group in groups(entrants, seats):
            opening += 1
            for seating in _seatings(group):
                number += 1
                yield Fixture(number, seating, opening)


def games(entrants: int, seats: int, rounds: int) -> int:
    """How many games that makes."""
    return rounds * sum(len(_seatings(group)) for group in groups(entrants, seats))


def _seatings(group: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The group moved up seat by seat, without what comes again."""
    return list(dict.fromkeys(group[step:] + group[:step] for step in range(len(group))))
