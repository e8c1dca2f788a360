"""Simultaneous perturbation stochastic approximation (Spall, 1992) of the numbers of the search.

Every pair of games is between the present values moved a little to one side, each by the toss of a coin, and
the same moved to the other side; then all go a small step towards the side that won. Steps and perturbations
shrink as Spall recommends, set by what they are in the end, as fishtest does: then a number is perturbed by a
tenth of its range, and a won game moves it by `_RATE` of that. What is found is the mean of the second half
of the way (Polyak and Juditsky, 1992): where it ends is as much chance as merit.
"""

from __future__ import annotations

from math import floor
from random import Random
from typing import TYPE_CHECKING

from .duel import Duel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.search.parameters import Number

_ALPHA, _GAMMA, _STABILITY = 0.602, 0.101, 0.1
_RATE = 0.006
_SHARE = 10  # of its range: the last perturbation of a number


class Spsa:
    """Where the numbers are, and the way from pair to pair; `pairs` is the budget, which sets the pace."""

    def __init__(self, numbers: Mapping[str, Number], pairs: int, seed: int) -> None:
        """Begins at the usual values."""
        self._numbers = numbers
        self._pairs = pairs
        self._seed = seed
        self._steps = 0
        self.values = {name: float(number.default) for name, number in numbers.items()}
        self._sums = dict.fromkeys(numbers, 0.0)

    def found(self) -> dict[str, float]:
        """The mean of the values since half the budget was spent; until then the values."""
        late = self._steps - self._pairs // 2
        return {name: self._sums[name] / late if late > 0 else self.values[name] for name in self.values}

    def duel(self, number: int) -> Duel:
        """The pair of this number, from where the values are now."""
        signs, random = self._signs(number)
        either = []
        for side in (1, -1):
            moved = {
                name: self.values[name] + side * signs[name] * self._perturbation(name)
                for name in self.values
            }
            either.append({name: self._rounded(name, value, random) for name, value in moved.items()})
        return Duel(number, *either)

    def learn(self, number: int, points: float) -> None:
        """Take a step after the pair of this number; `points` are those of its first side, 0 … 2."""
        signs, _ = self._signs(number)
        self._steps += 1
        stable = _STABILITY * self._pairs
        pace = ((stable + self._pairs) / (stable + self._steps)) ** _ALPHA
        for name, each in self._numbers.items():
            step = _RATE * self._last(name) ** 2 * pace / self._perturbation(name)
            value = self.values[name] + step * 2 * (points - 1) * signs[name]
            self.values[name] = min(max(value, each.low), each.high)
            if self._steps > self._pairs // 2:
                self._sums[name] += self.values[name]

    def _signs(self, number: int) -> tuple[dict[str, int], Random]:
        random = Random(f"{self._seed}:{number}")
        return {name: random.choice((1, -1)) for name in self.values}, random

    def _last(self, name: str) -> float:
        return max((self._numbers[name].high - self._numbers[name].low) / _SHARE, 0.5)

    def _perturbation(self, name: str) -> float:
        growth: float = (self._pairs / (self._steps + 1)) ** _GAMMA
        return self._last(name) * growth

    def _rounded(self, name: str, value: float, random: Random) -> int:
        """A whole number, up or down by chance, so that on average it is the value."""
        number = self._numbers[name]
        return min(max(floor(value + random.random()), number.low), number.high)
