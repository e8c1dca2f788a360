"""The points that the mover of a position can expect: from a score, and from the result of the game.

The slope of the scores is fitted to the results of the games of a generation, because each generation may
have another evaluator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from eval.learning.slope import expected, fit_slope

if TYPE_CHECKING:
    import numpy.typing as npt

    from eval.learning.records import Records

    Reals = npt.NDArray[np.float32]
    Counts = npt.NDArray[np.int64]

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


def slope_of(counts: Counts) -> float:
    """The slope that fits scores to results best."""
    rows = np.flatnonzero(counts.sum(axis=1))
    points = counts[rows] @ np.array([0, 0.5, 1])
    return fit_slope((rows + _LEAST_SCORE).astype(float), points, counts[rows].sum(axis=1))


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
