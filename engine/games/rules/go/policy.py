"""Go's linear policy: how likely each move is, from the weights of its features (see features.py).

A move's strength is exp of the sum of its weights, and its probability its share of the strengths of all
moves, as in R. Coulom, "Computing Elo ratings of move patterns in the game of Go" (2007), where exp(weight)
is called gamma.
`scripts/lab learn-go-policy` learns the weights.
"""

from __future__ import annotations

import json
from array import array
from base64 import b85decode
from pathlib import Path

import cython

from engine.games.rules.compiled_state import Moves, Priors
from engine.games.rules.go.features import NAMES, Observer
from engine.games.rules.go.tactics import GoTactics

if not cython.compiled:
    from math import exp

    from engine.games.rules.go.features import SMALL

SCALE = 2048
"""Stored weights are multiplied by this, as 16-bit numbers."""
_SLOTS = 1 << 16
_MOST = 48_000  # patterns, so that few look far for their slot


class Policy:
    """The weights: a list for the features of NAMES, a hash table for the patterns."""

    def __init__(self) -> None:
        self.small = [0.0] * 88
        self.keys = [0] * 65536
        self.values = [0.0] * 65536
        self.patterns = 0
        self.known = False

    def set_weight(self, feature: int, weight: float) -> None:
        """Set the weight of a feature; those never set are 0. Raises ValueError when there is no room."""
        if feature < SMALL:
            self.small[feature] = weight
            return
        slot = self._slot(feature)
        if self.keys[slot] != feature:
            if self.patterns == _MOST:
                raise ValueError(f"at most {_MOST} patterns have weights")
            self.patterns += 1
            self.keys[slot] = feature
        self.values[slot] = weight

    def clear(self) -> None:
        """Forget all weights."""
        for i in range(SMALL):
            self.small[i] = 0.0
        for i in range(_SLOTS):
            self.keys[i] = 0
        self.patterns = 0
        self.known = False

    def weight_of(self, feature: int) -> float:
        """The weight of a feature."""
        if feature < SMALL:
            return self.small[feature]
        slot = self._slot(feature)
        return self.values[slot] if self.keys[slot] == feature else 0.0

    def read(self, text: str) -> None:
        """Take the weights of a file, which has names for small features and numbers in base 85 for patterns.

        Raises KeyError for an unknown name, ValueError.
        """
        stored = json.loads(text)
        places = {name: i for i, name in enumerate(NAMES)}
        for name, weight in stored["features"].items():
            self.set_weight(places[name], weight)
        numbers = zip(
            array("Q", b85decode(stored["patterns"])), array("h", b85decode(stored["weights"])), strict=True
        )
        for pattern, number in numbers:
            self.set_weight(pattern, number / SCALE)

    def probabilities(self, state: GoTactics) -> dict[int, float]:
        """How likely each legal move is."""
        moves, priors = Moves(), Priors()
        count = state.generate(moves)
        self.rate(state, Observer(), moves, count, priors)
        return {moves.at[i]: priors.chances[i] for i in range(count)}

    def rate(self, state: GoTactics, observer: Observer, moves: Moves, count: int, priors: Priors) -> None:
        """Set the `chances` of all legal moves."""
        observer.prepare(state)
        total = 0.0
        for i in range(count):
            observer.observe(state, moves.at[i])
            worth = 0.0
            for j in range(observer.count):
                worth += self.weight_of(observer.found[j])
            priors.chances[i] = exp(worth)
            total += priors.chances[i]
        for i in range(count):
            priors.chances[i] /= total

    def _slot(self, feature: int) -> int:
        """Where a pattern is in the table, or where there is room for it."""
        slot = (feature ^ feature >> 32) & _SLOTS - 1
        while self.keys[slot] != 0 and self.keys[slot] != feature:
            slot = slot + 1 & _SLOTS - 1
        return slot


def observed(state: GoTactics) -> tuple[list[int], list[int], list[int]]:
    """The legal moves of a position, how many features each has, and all of these in one list."""
    moves, observer = Moves(), Observer()
    count = state.generate(moves)
    observer.prepare(state)
    found: list[int] = []
    counts: list[int] = []
    for i in range(count):
        observer.observe(state, moves.at[i])
        counts.append(observer.count)
        found += [observer.found[j] for j in range(observer.count)]
    return [moves.at[i] for i in range(count)], counts, found


def load() -> None:
    """Read the weights that come with the package, unless there are some."""
    if not _learned.known:
        use((Path(__file__).parents[2] / "weights" / "go-policy.json").read_text())


def use(text: str) -> None:
    """Take the weights for all players from the text of a file: see Policy.read."""
    _learned.clear()
    _learned.read(text)
    _learned.known = True


_learned = Policy()
