"""What games say about strength: Elo with error bars, likelihood of superiority, and the sequential test.

Results are counted in categories, worst first: three (loss, draw, win) of games, or five (0, ½, 1, 1½, 2) of
pairs with reversed colours from one opening, whose games are not independent. Normalised Elo divides the
surplus over one half by the standard deviation of a game, so that it does not depend on the rate of draws.

M. Van den Bergh, "A practical introduction to the GSPRT" and "Normalized Elo"; A. Wald, "Sequential
tests of statistical hypotheses" (1945).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from statistics import NormalDist, fmean, stdev
from typing import Self

from protocol.intervals import wilson

CONFIDENCE = 0.95
NORMALISED_ELO_PER_T = 800 / math.log(10)
"""Normalised Elo per unit of t, the surplus divided by the standard deviation of a game."""

# An empty category counts as this many results, so that its likelihood is not zero.
_PSEUDO_COUNT = 1e-3
# Beyond this difference in normalised Elo the constraint cannot be linearised, and no test is needed.
_WIDEST_BOUND = 100.0
_PASSES = 60
_PRECISION = 1e-9


def elo_of(score: float) -> float:
    """The difference in Elo at which a score from 0 to 1 is expected; infinite for 0 and 1."""
    if score <= 0.0:
        return -math.inf
    if score >= 1.0:
        return math.inf
    return 400.0 * math.log10(score / (1.0 - score))


def score_of(elo: float) -> float:
    return 1.0 / (1.0 + math.pow(10.0, -elo / 400.0))


@dataclass(frozen=True, slots=True)
class IntervalEstimate:
    value: float
    low: float
    high: float

    @property
    def margin(self) -> float:
        """Half the width of the interval, which may be infinite."""
        return (self.high - self.low) / 2.0

    def __str__(self) -> str:
        if math.isnan(self.value):
            return "unknown"
        if math.isinf(self.value):
            return f"{self.value:+}"
        return f"{self.value:+.1f} ± {self.margin:.1f}"


@dataclass(frozen=True, slots=True)
class Sample:
    """Mean and variance of the scores, 0 to 1, of games or pairs."""

    count: int
    mean: float
    variance: float

    @classmethod
    def of(cls, counts: Sequence[int]) -> Self:
        """From category counts, worst category first. An empty sample has mean one half."""
        total = sum(counts)
        if total == 0:
            return cls(0, 0.5, 0.0)
        values = _values(len(counts))
        mean = sum(n * value for n, value in zip(counts, values, strict=True)) / total
        variance = sum(n * (value - mean) ** 2 for n, value in zip(counts, values, strict=True)) / total
        return cls(total, mean, variance)

    @property
    def standard_error(self) -> float:
        return math.sqrt(self.variance / self.count) if self.count else math.inf

    def interval(self) -> tuple[float, float]:
        """The 95% interval of the mean; Wilson's if all are alike."""
        if self.count and not self.variance:
            return wilson(self.mean * self.count, self.count)
        reach = _quantile() * self.standard_error
        return self.mean - reach, self.mean + reach


def elo_estimate(counts: Sequence[int]) -> IntervalEstimate:
    """With its 95% interval, from three or five categories."""
    sample = Sample.of(counts)
    low, high = sample.interval()
    return IntervalEstimate(elo_of(sample.mean), elo_of(low), elo_of(high))


def pair_margin(means: Sequence[float], widest: float = 1.0) -> float:
    """Half of the 95% interval of the mean result of a game, from the mean of each pair of games.

    `widest` is the difference between the largest and the smallest result. If all pairs have the same mean,
    at most 3 in n others differ (J. A. Hanley and A. Lippman-Hand, 1983), by at most `widest`.
    """
    spread = stdev(means) if len(means) > 1 else 0.0
    if not spread:
        return min(3.0 / max(len(means), 1), 1.0) * widest
    return _quantile() * spread / math.sqrt(len(means))


def share_interval(points: Sequence[float]) -> tuple[float, float]:
    """From the points of games whose neighbours are pairs. Wilson's if all pairs have the same result."""
    pairs = [fmean(pair) for pair in zip(points[::2], points[1::2], strict=False)]
    if len(set(pairs)) < 2:
        return wilson(sum(pairs), len(pairs))
    mean, margin = fmean(pairs), pair_margin(pairs)
    return max(0.0, mean - margin), min(1.0, mean + margin)


def share_text(points: Sequence[float]) -> str:
    """`62.5% [40.1, 84.9]`: the share of the points with its 95% interval."""
    return "{:.1f}% [{:.1f}, {:.1f}]".format(*(100 * x for x in (fmean(points), *share_interval(points))))


def normalised_elo_estimate(counts: Sequence[int]) -> IntervalEstimate:
    """With its 95% interval, from three or five categories; NaN without variance."""
    sample = Sample.of(counts)
    if not sample.variance:
        return IntervalEstimate(math.nan, math.nan, math.nan)
    per_game = _game_deviation_factor(len(counts)) * math.sqrt(sample.variance)
    value = (sample.mean - 0.5) / per_game * NORMALISED_ELO_PER_T
    reach = _quantile() * sample.standard_error / per_game * NORMALISED_ELO_PER_T
    return IntervalEstimate(value, value - reach, value + reach)


def likelihood_of_superiority(counts: Sequence[int]) -> float:
    sample = Sample.of(counts)
    surplus = sample.mean - 0.5
    if not sample.count or surplus == 0.0:
        return 0.5
    error = sample.standard_error or 0.5 / math.sqrt(sample.count)  # where all are alike: the widest
    return NormalDist().cdf(surplus / error)


class Model(Enum):
    LOGISTIC = "logistic"
    NORMALISED = "normalised"


class SprtVerdict(Enum):
    UNDECIDED = "undecided"
    H0 = "H0 accepted"
    H1 = "H1 accepted"


@dataclass(frozen=True, slots=True)
class Sprt:
    """The generalised sequential probability ratio test of H0: elo0 against H1: elo1.

    alpha is the probability of accepting H1 if H0 holds, beta the probability of accepting H0 if H1 holds.
    Raises ValueError unless elo0 is below elo1, both are within ±100, and alpha and beta are above 0 with a
    sum below 1.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    model: Model = Model.LOGISTIC

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise ValueError(f"elo0 ({self.elo0}) must be below elo1 ({self.elo1})")
        if not (self.alpha > 0 and self.beta > 0 and self.alpha + self.beta < 1):
            raise ValueError("alpha and beta must be above 0, and their sum below 1")
        if not -_WIDEST_BOUND <= self.elo0 < self.elo1 <= _WIDEST_BOUND:
            raise ValueError(f"the bounds must be within ±{_WIDEST_BOUND:g}")

    @property
    def lower(self) -> float:
        return math.log(self.beta / (1.0 - self.alpha))

    @property
    def upper(self) -> float:
        return math.log((1.0 - self.beta) / self.alpha)

    def ratio(self, counts: Sequence[int]) -> float:
        """The log-likelihood ratio of H1 to H0, from three or five categories."""
        total = sum(counts)
        if total == 0:
            return 0.0
        observed = _distribution(counts)
        if self.model is Model.LOGISTIC:
            under0 = _likeliest_with_mean(observed, score_of(self.elo0))
            under1 = _likeliest_with_mean(observed, score_of(self.elo1))
        else:
            per_t = NORMALISED_ELO_PER_T / _game_deviation_factor(len(counts))
            under0 = _likeliest_with_t(observed, self.elo0 / per_t)
            under1 = _likeliest_with_t(observed, self.elo1 / per_t)
        weight = total + _PSEUDO_COUNT * sum(n == 0 for n in counts)
        return weight * sum(p * math.log(p1 / p0) for p, p0, p1 in zip(observed, under0, under1, strict=True))

    def text(self, counts: Sequence[int]) -> str:
        return f"LLR {self.ratio(counts):.2f} ({self.lower:.2f}, {self.upper:.2f})"

    def verdict(self, counts: Sequence[int]) -> SprtVerdict:
        ratio = self.ratio(counts)
        if ratio >= self.upper:
            return SprtVerdict.H1
        return SprtVerdict.H0 if ratio <= self.lower else SprtVerdict.UNDECIDED


def parse_sprt(words: Sequence[tuple[str, str]] | None) -> Sprt | None:
    if words is None:
        return None
    values = {"alpha": "0.05", "beta": "0.05", "model": Model.LOGISTIC.value} | dict(words)
    takes = "--sprt takes elo0, elo1, alpha, beta and model"
    if wrong := values.keys() ^ {"elo0", "elo1", "alpha", "beta", "model"}:
        raise ValueError(f"{takes}: missing or unknown: {', '.join(sorted(wrong))}")
    try:
        model = Model(values.pop("model"))
        return Sprt(**{key: float(value) for key, value in values.items()}, model=model)
    except ValueError as error:
        raise ValueError(f"{takes}: {error}") from error


def score_line(games: Sequence[int], pairs: Sequence[int], sprt: Sprt | None) -> str:
    losses, draws, wins = games
    parts = [f"+{wins} -{losses} ={draws}"]
    if any(pairs):
        parts.append(f"Elo {elo_estimate(pairs)}")
    if sprt is not None:
        parts.append(sprt.text(pairs))
    return "  ".join(parts)


def pair_lines(pairs: Sequence[int]) -> list[str]:
    return [
        f"  stronger with a likelihood of {likelihood_of_superiority(pairs):.1%}",
        f"  pairs    {pairs} with 0, ½, 1, 1½, 2 points",
    ]


def _quantile() -> float:
    return NormalDist().inv_cdf((1.0 + CONFIDENCE) / 2.0)


def _values(categories: int) -> list[float]:
    return [index / (categories - 1) for index in range(categories)]


def _game_deviation_factor(categories: int) -> float:
    """The standard deviation of a game divided by that of a unit's mean score: √2 for pairs."""
    return math.sqrt(2.0) if categories == 5 else 1.0


def _distribution(counts: Sequence[int]) -> list[float]:
    filled = [n or _PSEUDO_COUNT for n in counts]
    return [n / sum(filled) for n in filled]


def _tilt(observed: Sequence[float], slopes: Sequence[float]) -> list[float]:
    """The likeliest distribution in which the expectation of `slopes` is zero.

    Lagrange: p = observed / (1 + x slope), with the x for which the expectation vanishes. The expectation
    decreases in x between the poles, so that bisection finds x. The slopes must have both signs.
    """
    low, high = -1.0 / max(slopes), -1.0 / min(slopes)
    for _ in range(_PASSES):
        x = (low + high) / 2.0
        if sum(p * slope / (1.0 + x * slope) for p, slope in zip(observed, slopes, strict=True)) > 0.0:
            low = x
        else:
            high = x
    return [p / (1.0 + x * slope) for p, slope in zip(observed, slopes, strict=True)]


def _likeliest_with_mean(observed: Sequence[float], mean: float) -> list[float]:
    return _tilt(observed, [value - mean for value in _values(len(observed))])


def _likeliest_with_t(observed: Sequence[float], t: float) -> list[float]:
    """The constraint is not linear: it is linearised at the last solution until the solution converges."""
    values = _values(len(observed))
    solution = [1.0 / len(values)] * len(values)
    for _ in range(_PASSES):
        mean = sum(p * value for p, value in zip(solution, values, strict=True))
        deviation = math.sqrt(sum(p * (value - mean) ** 2 for p, value in zip(solution, values, strict=True)))
        slopes = [
            value - 0.5 - t * deviation * (1.0 + ((value - mean) / deviation) ** 2) / 2.0 for value in values
        ]
        previous, solution = solution, _tilt(observed, slopes)
        if max(abs(p - q) for p, q in zip(previous, solution, strict=True)) < _PRECISION:
            break
    return solution
