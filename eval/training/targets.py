"""The points that the mover of a position can expect: from scores, and from the result of the game.

The slope of the scores is fitted to the results of the games of a generation, because each generation may
have another evaluator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from eval.training.layout import LONGEST_PLY
from eval.training.slope import expected, fit_slope

if TYPE_CHECKING:
    import numpy.typing as npt

    from eval.training.records import Records

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


def targets(found: Records, slope: float, share: float, foresight: float = 0.0) -> Reals:
    """The targets: `share` of the game's result, and the rest from the scores.

    With `foresight`, at least 0 and less than 1, the scores of the game's later records count, too: a lambda
    return (R. Sutton, "Learning to Predict by the Methods of Temporal Differences", 1988). What comes n plies
    later counts `foresight` ** n, so that the score itself has 1 - `foresight` of the weight if the next ply
    has a record, and the last score of the game has all that is left.
    """
    scores = np.arange(_LEAST_SCORE, _LEAST_SCORE + _SCORES)
    by_score = expected(slope, scores).astype(np.float32)
    by_result = share * np.array([0, 0.5, 1], np.float32)
    parts = [slice(first, first + _ROWS_AT_A_TIME) for first in range(0, len(found), _ROWS_AT_A_TIME)]
    made = np.empty(len(found), np.float32)
    for part in parts:
        made[part] = by_score[found["score"][part].astype(np.intp) - _LEAST_SCORE]
    if foresight and len(made):
        _look_ahead(made, found, foresight)
    for part in parts:
        made[part] *= 1 - share
        made[part] += by_result[found["result"][part]]
    return made


def _look_ahead(points: Reals, found: Records, foresight: float) -> None:
    """Mix into the points of each record those of the game's next, from the ends of the games backwards."""
    ply = found["ply"].astype(np.int16)
    same = found["game"][1:] == found["game"][:-1]
    same &= (ply[1:] > ply[:-1]) & (ply[1:] < LONGEST_PLY)  # from there on records do not tell the ply
    ends = np.flatnonzero(np.append(~same, True))
    lengths = np.diff(ends, prepend=-1)
    for back in range(1, lengths.max()):
        rows = ends[lengths > back] - back
        plies = ply[rows + 1] - ply[rows]
        ahead = points[rows + 1]
        ahead = np.where(plies & 1, 1 - ahead, ahead)
        points[rows] += np.float32(foresight) ** plies * (ahead - points[rows])


def _cells(found: Records) -> npt.NDArray[np.intp]:
    """For each record the number of its score and result."""
    cells: npt.NDArray[np.intp] = (found["score"].astype(np.intp) - _LEAST_SCORE) * _RESULTS + found["result"]
    return cells
