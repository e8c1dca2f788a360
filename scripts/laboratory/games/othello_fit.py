"""Othello's weights from games: least squares with a prior, by the method of conjugate gradients."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

import numpy as np

from engine.games.rules.othello_learning import OthelloRegression

if TYPE_CHECKING:
    from typing import TypeAlias

    from numpy.typing import NDArray

    from scripts.laboratory.games.othello_games import Samples

    Vector: TypeAlias = NDArray[np.float64]

STEP = 4
"""Hundredths of a disc: what weights in a file are multiples of."""
_LARGEST = 32_000 // STEP


def fit(samples: Samples, prior: float, steps: int, start: Vector | None = None) -> Vector:
    """The weights w, in discs, for which |scores - A w|² + prior |w|² is least; some steps from `start`.

    A weight that was seen in `prior` positions is half of what it would be without the prior. The steps are
    preconditioned by the diagonal.
    """
    matrix = OthelloRegression(*_sides(samples))
    w = np.zeros(matrix.weights) if start is None else start.copy()
    diagonal = np.full_like(w, prior)
    matrix.counts(diagonal)
    values, back = np.empty(matrix.positions), np.empty_like(w)

    def normal(v: Vector) -> Vector:
        """(AᵀA + prior) v."""
        matrix.times(v, values)
        back[:] = prior * v
        matrix.transposed_times(values, back)
        return back

    residual = -normal(w)
    matrix.transposed_times(samples["score"].astype(float), residual)
    step = scaled = residual / diagonal
    square = residual @ scaled
    for _ in range(steps):
        if square == 0:
            break
        image = normal(step)
        length = square / (step @ image)
        w += length * step
        residual -= length * image
        scaled = residual / diagonal
        square, before = residual @ scaled, square
        step = scaled + square / before * step
    return w


def errors(samples: Samples, weights: Vector) -> Vector:
    """By how many discs the scores are higher than foretold."""
    matrix = OthelloRegression(*_sides(samples))
    values = np.empty(matrix.positions)
    matrix.times(weights, values)
    found: Vector = samples["score"] - values
    return found


def rounded(weights: Vector) -> array[int]:
    """The weights as a file has them."""
    numbers = np.clip(np.rint(weights * (100 / STEP)), -_LARGEST, _LARGEST).astype("<i2")
    return array("h", numbers.tobytes())


def _sides(samples: Samples) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    return np.ascontiguousarray(samples["own"]), np.ascontiguousarray(samples["others"])
