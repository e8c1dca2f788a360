"""Learning the weights of Othello's patterns: what a linear regression asks of millions of positions.

A position is the discs of the player to move and the others'; its features are the configurations at all
places, each shared out between the two knots beside its number of discs. So the matrix of the regression,
a row for each position, has hardly any entries that are not 0, and is never written down: the methods here
multiply it, and its transpose, by a vector. Vectors of weights have `weights` numbers.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import cython

from engine.games.rules.othello_patterns import OthelloPatterns

if not cython.compiled:
    from engine.games.rules.othello_lines import legal_moves
    from engine.games.rules.othello_patterns import FEATURES, KNOT_STEP, knot_of, part_of
    from engine.system.bits import popcount, u64

Numbers: TypeAlias = Any
"""A buffer of numbers of one type, such as an array."""
_ALL = 0xFFFFFFFFFFFFFFFF


class OthelloRegression:
    """The matrix of the features of positions, as something that multiplies."""

    def __init__(self, own: Numbers, others: Numbers) -> None:
        """The positions: arrays of unsigned 64-bit numbers; the player to move has a move in each."""
        self._patterns = OthelloPatterns()
        self.classes, self.weights = self._patterns.classes, self._patterns.weights
        self._class_of = self._patterns.class_of
        self._own, self._others = own, others
        self.positions = len(own)
        self._low = 0
        self._share = 0.0

    def times(self, weights: Numbers, values: Numbers) -> None:
        """Set `values`, one for each position: the sum of its features' weights. All numbers are doubles."""
        self._times(weights, values)

    def transposed_times(self, values: Numbers, weights: Numbers) -> None:
        """Add to the weights of each position's features its value times their share."""
        self._transposed_times(values, weights, False)

    def counts(self, weights: Numbers) -> None:
        """Add to each weight the squares of its share in all positions."""
        self._transposed_times(weights, weights, True)

    def _times(self, weights: Numbers, values: Numbers) -> None:
        for n in range(self.positions):
            self._look(n)
            low = high = 0.0
            for i in range(FEATURES):
                place = self._low + self._class_of[self._patterns.at[i]]
                low += weights[place]
                high += weights[place + self.classes]
            values[n] = low * (1.0 - self._share) + high * self._share

    def _transposed_times(self, values: Numbers, weights: Numbers, squares: bool) -> None:
        for n in range(self.positions):
            self._look(n)
            low = (1.0 - self._share) * (1.0 - self._share if squares else values[n])
            high = self._share * (self._share if squares else values[n])
            for i in range(FEATURES):
                place = self._low + self._class_of[self._patterns.at[i]]
                weights[place] += low
                weights[place + self.classes] += high

    def _look(self, n: int) -> None:
        """Find the features of position `n`, where its knot begins, and the share of the knot after it."""
        own, others = u64(self._own[n]), u64(self._others[n])
        moves = popcount(legal_moves(own, others, u64(_ALL)))
        self._patterns.look(own, others, moves, popcount(legal_moves(others, own, u64(_ALL))))
        discs = popcount(own | others) & ~1
        self._low = knot_of(discs) * self.classes
        self._share = float(part_of(discs)) / KNOT_STEP
