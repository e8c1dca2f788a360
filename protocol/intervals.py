"""How far a share may be trusted."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

_QUANTILE = NormalDist().inv_cdf(0.975)


def wilson(points: float, games: int) -> tuple[float, float]:
    """The 95% interval of a share of games won, 0 … 1; wider than necessary if there are draws.

    Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference" (1927).
    """
    if games == 0:
        return 0.0, 1.0
    share, square = points / games, _QUANTILE**2
    middle = (share + square / (2 * games)) / (1 + square / games)
    reach = _QUANTILE * sqrt(share * (1 - share) / games + square / (4 * games**2)) / (1 + square / games)
    low = max(0.0, middle - reach) if points > 0 else 0.0
    high = min(1.0, middle + reach) if points < games else 1.0
    return low, high
