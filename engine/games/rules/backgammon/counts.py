"""The value of a position of backgammon by counting: pips, blots, points made, primes.

An estimate to measure others against. The weights are guesses, in pips; they are not tuned.
"""

from __future__ import annotations

import cython

if not cython.compiled:
    from engine.games.rules.backgammon.network import is_race

ROLL = 8
"""The pips of a roll, about: the value of being next."""
HOME_POINT, PRIME_POINT, ANCHOR, ENTRY = 4.0, 4.0, 5.0, 3.0
"""A point held at home; each in the longest row beyond two; one held in the other's home; each point that
the other holds at home, for a man on the bar."""
DIRECT, INDIRECT = 12, 3
"""Of 36 rolls that hit a blot up to 6 pips away, and one up to 12."""
FIRM, DECIDED = 2, 40.0
"""Men that hold a point; the pips ahead that are worth half of a sure win."""
POINTS, OWN_HOME, BAR = 24, 6, 25


def counted(men: list[int], roller: int) -> float:
    """The expectation of `roller`, who is to roll, between -1 and 1."""
    own = 26 * roller
    other = 26 * (1 - roller)
    lead = _pips(men, other) - _pips(men, own) + ROLL / 2.0
    if not is_race(men):
        lead += _position(men, own, other) - _position(men, other, own)
    return lead / (DECIDED + abs(lead))


def _pips(men: list[int], side: int) -> int:
    """How far all men of a side have to go."""
    pips = 0
    for point in range(1, BAR + 1):
        pips += point * men[side + point]
    return pips


def _position(men: list[int], own: int, other: int) -> float:
    """The value of the places of one side's men."""
    worth = 0.0
    row = 0
    longest = 0
    for point in range(1, POINTS + 1):
        if men[own + point] >= FIRM:
            row += 1
            longest = max(longest, row)
            if point <= OWN_HOME:
                worth += HOME_POINT + ENTRY * men[other + BAR]
            elif point > POINTS - OWN_HOME:
                worth += ANCHOR
        else:
            row = 0
            if men[own + point] == 1:
                worth -= (BAR - point) * _shots(men, other, point) / 36.0
    return worth + PRIME_POINT * max(longest - 2, 0)


def _shots(men: list[int], other: int, point: int) -> int:
    """How many of 36 rolls hit a blot on a point, about."""
    shots = 0
    for distance in range(1, min(point, 2 * OWN_HOME) + 1):
        if men[other + BAR - point + distance]:
            shots += DIRECT if distance <= OWN_HOME else INDIRECT
    return min(shots, 36)
