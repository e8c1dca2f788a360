"""The points that the mover of a position can expect: from a score, and from the result of the game.

A score of v centipawns stands for 1 / (1 + exp(-slope * v)) points. The slope is fitted to the results of the
games of a generation, because each generation may have another evaluator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import expit

if TYPE_CHECKING:
    import numpy.typing as npt

    from eval.learning.records import Records

    Reals = npt.NDArray[np.float32]
    Counts = npt.NDArray[np.int64]

LEAST_SLOPE, MOST_SLOPE = 1e-4, 1e-1
"""Bounds of the slope, for scores that say nothing or everything about the results."""

_USUAL_SLOPE = 7e-3
_STEPS = 50
_CLOSE = 1e-9
_RESULTS = 3
_SCORES = 1 << 16
_LEAST_SCORE = -(1 << 15)
_ROWS_AT_A_TIME = 1 << 22


def count(found: Records) -> Counts:
    """How often each score came with each result: 65536 rows, from the score -32768 on, of 3 counts."""
    counts = np.zeros(_SCORES * _RESULTS, np.int64)
    for first in range(0, len(found), _ROWS_AT_A_TIME):
        counts += np.bincount(_cells(found[first : first + _ROWS_AT_A_TIME]), minlength=len(counts))
    return counts.reshape(_SCORES, _RESULTS)


def fit_slope(counts: Counts) -> float:
    """The slope with the least cross entropy between scores and results, by Newton's method."""
    rows = np.flatnonzero(counts.sum(axis=1))
    scores = (rows + _LEAST_SCORE).astype(float)
    number = counts[rows].sum(axis=1)
    points = counts[rows] @ np.array([0, 0.5, 1])
    slope = _USUAL_SLOPE
    for _ in range(_STEPS):
        chance = expected(slope, scores)
        first = ((number * chance - points) * scores).sum()
        second = (number * chance * (1 - chance) * scores * scores).sum()
        step = first / second if second > 0 else 0.0
        better = float(np.clip(slope - step, max(slope / 2, LEAST_SLOPE), min(slope * 2, MOST_SLOPE)))
        if abs(better - slope) <= _CLOSE * slope:
            return better
        slope = better
    return slope


def expected(slope: float, scores: Any) -> Any:
    """The expected points, 0 to 1."""
    return expit(slope * scores)


def targets(found: Records, slope: float, share: float) -> Reals:
    """The targets: `share` of the game's result, and the rest from the score."""
    scores = np.arange(_LEAST_SCORE, _LEAST_SCORE + _SCORES)
    by_score = (1 - share) * expected(slope, scores)
    table = (by_score[:, None] + share * np.array([0, 0.5, 1])).astype(np.float32).ravel()
    made = np.empty(len(found), np.float32)
    for first in range(0, len(found), _ROWS_AT_A_TIME):
        part = slice(first, first + _ROWS_AT_A_TIME)
        made[part] = table[_cells(found[part])]
    return made


def _cells(found: Records) -> npt.NDArray[np.intp]:
    """For each record the number of its score and result."""
    cells: npt.NDArray[np.intp] = (found["score"].astype(np.intp) - _LEAST_SCORE) * _RESULTS + found["result"]
    return cells
