"""The points that a value predicts: 1 / (1 + exp(-slope * v)) for the side that is v centipawns ahead."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit

LEAST_SLOPE, MOST_SLOPE = 1e-4, 1e-1
"""Bounds of the slope, for values that say nothing or everything about the results."""

_USUAL_SLOPE = 5e-3
_STEPS = 50
_CLOSE = 1e-7


def expected(slope: float, values: Any) -> Any:
    """The expected points, 0 to 1."""
    return expit(slope * values)


def fit_slope(values: Any, points: Any, number: Any = 1) -> float:
    """The slope with the least cross entropy, by Newton's method, since that is convex.

    Each of `values` occurred `number` times, and `points` were scored in all of them together.
    """
    slope = _USUAL_SLOPE
    for _ in range(_STEPS):
        chance = expected(slope, values)
        first = np.sum((number * chance - points) * values, dtype=np.float64)
        second = np.sum(number * chance * (1 - chance) * values * values, dtype=np.float64)
        step = first / second if second > 0 else 0.0
        better = float(np.clip(slope - step, max(slope / 2, LEAST_SLOPE), min(slope * 2, MOST_SLOPE)))
        if abs(better - slope) <= _CLOSE * slope:
            return better
        slope = better
    return slope
