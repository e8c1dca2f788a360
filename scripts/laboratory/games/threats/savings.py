"""What is saved on average, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import bootstrap

if TYPE_CHECKING:
    from collections.abc import Sequence

CONFIDENCE = 0.95
_RESAMPLES = 9999


@dataclass(frozen=True, slots=True)
class Saving:
    """Mean nodes a game without and with; the change is with / without - 1, and so is its 95% interval."""

    without: float
    with_it: float
    change: float
    low: float
    high: float


def saving(without: Sequence[int], with_it: Sequence[int], seed: int) -> Saving:
    """From games played both ways, at least two: by bootstrap, percentiles of the ratio of means."""
    pairs = (np.array(without, float), np.array(with_it, float))
    found = bootstrap(
        pairs,
        _change,
        paired=True,
        vectorized=True,
        n_resamples=_RESAMPLES,
        confidence_level=CONFIDENCE,
        method="percentile",
        rng=np.random.default_rng(seed),
    )
    low, high = found.confidence_interval
    return Saving(
        float(pairs[0].mean()), float(pairs[1].mean()), float(_change(*pairs)), float(low), float(high)
    )


def _change(without: np.ndarray, with_it: np.ndarray, axis: int = -1) -> np.ndarray:
    change: np.ndarray = with_it.mean(axis=axis) / without.mean(axis=axis) - 1
    return change
