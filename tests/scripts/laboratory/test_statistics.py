"""Elo, error bars and the sequential test, against figures that others have published."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from scripts.laboratory.statistics import (
    Model,
    Sample,
    Sprt,
    SprtVerdict,
    elo_estimate,
    elo_of,
    likelihood_of_superiority,
    normalised_elo_estimate,
    score_of,
)

counts = st.lists(st.integers(0, 5000), min_size=5, max_size=5)
elos = st.floats(-100, 50)


@pytest.mark.parametrize(
    ("score", "elo"),
    [(0.5, 0.0), (10 / 11, 400.0), (0.75, 190.848502), (0.64, 99.950989), (0.25, -190.848502)],
)
def test_elo_of_a_score(score: float, elo: float) -> None:
    assert elo_of(score) == pytest.approx(elo, abs=1e-6)
    assert score_of(elo) == pytest.approx(score)


# Reports of fastchess: pairs, Elo, its margin, normalised Elo, its margin, likelihood of superiority in %
FASTCHESS = [
    ([307, 619, 1202, 725, 353], 10.73, 6.70, 13.63, 8.50, 99.92),
    ([84, 124, 343, 125, 164], 33.40, 14.24, 39.23, 16.61, 100.00),
    ([12, 6, 25, 8, 9], -11.59, 56.66, -12.83, 62.16, 34.29),
    ([11, 1, 32, 8, 48], 149.26, 55.24, 148.57, 48.15, 100.00),
    ([0, 1, 58, 3, 438], 474.93, 44.28, 659.06, 21.53, 100.00),
]


@pytest.mark.parametrize(("pairs", "elo", "margin", "normalised", "normalised_margin", "los"), FASTCHESS)
def test_reports_of_fastchess(
    pairs: list[int], elo: float, margin: float, normalised: float, normalised_margin: float, los: float
) -> None:
    estimate = elo_estimate(pairs)
    assert estimate.value == pytest.approx(elo, abs=0.006)
    assert estimate.margin == pytest.approx(margin, abs=0.006)
    estimate = normalised_elo_estimate(pairs)
    assert estimate.value == pytest.approx(normalised, abs=0.006)
    assert estimate.margin == pytest.approx(normalised_margin, abs=0.006)
    assert 100 * likelihood_of_superiority(pairs) == pytest.approx(los, abs=0.006)


def test_pairs_that_are_all_alike_prove_little() -> None:
    estimate = elo_estimate([0, 0, 1, 0, 0])
    assert estimate.value == 0
    assert estimate.margin == pytest.approx(495.3, abs=0.1)
    assert elo_estimate([0, 0, 0, 1, 0]).margin > 400
    assert 0.5 < likelihood_of_superiority([0, 0, 0, 1, 0]) < likelihood_of_superiority([0, 0, 0, 0, 1]) < 0.9
    assert likelihood_of_superiority([0, 0, 0, 0, 50]) > 0.999


# Tests of Stockfish patches as fishtest reported them in pull requests: bounds, pairs, log-likelihood ratio.
# Until 2020 the bounds, in braces, were logistic Elo; since 2021, in angle brackets, they are normalised.
FISHTEST = [
    (Model.LOGISTIC, -0.50, 1.50, [665, 4806, 9333, 4893, 747], 2.95),  # 2920
    (Model.LOGISTIC, 0.25, 1.75, [328, 4564, 15580, 4789, 371], 2.98),
    (Model.LOGISTIC, -0.50, 1.50, [59, 754, 2467, 865, 75], 2.95),  # 2951
    (Model.LOGISTIC, 0.25, 1.75, [33, 1185, 8378, 1302, 50], 2.95),
    (Model.LOGISTIC, -0.25, 1.25, [491, 7345, 29693, 7670, 465], 2.96),  # 3098
    (Model.LOGISTIC, 0.25, 1.25, [53, 2220, 21459, 2445, 47], 2.97),
    (Model.NORMALISED, -2.50, 0.50, [238, 5274, 26761, 5326, 237], 2.94),  # 3515
    (Model.NORMALISED, -2.50, 0.50, [52, 4237, 60354, 4202, 63], 2.98),
    (Model.NORMALISED, 0.00, 2.00, [320, 12431, 27275, 12858, 316], 2.95),  # 6019
    (Model.NORMALISED, 0.50, 2.50, [197, 45541, 117722, 46579, 228], 2.96),
    (Model.NORMALISED, -1.75, 0.25, [118, 38575, 109888, 38432, 122], 2.95),  # 6285
]


@pytest.mark.parametrize(("model", "elo0", "elo1", "pairs", "ratio"), FISHTEST)
def test_sequential_tests_of_fishtest(
    model: Model, elo0: float, elo1: float, pairs: list[int], ratio: float
) -> None:
    sprt = Sprt(elo0, elo1, model=model)
    assert sprt.ratio(pairs) == pytest.approx(ratio, abs=0.0101)
    assert sprt.verdict(pairs) is (
        SprtVerdict.H1 if sprt.ratio(pairs) >= sprt.upper else SprtVerdict.UNDECIDED
    )


@given(counts)
def test_the_other_side_sees_the_opposite(pairs: list[int]) -> None:
    ours, theirs = elo_estimate(pairs), elo_estimate(pairs[::-1])
    assume(0 < Sample.of(pairs).mean < 1)
    assert ours.value == pytest.approx(-theirs.value, abs=1e-6)
    assert likelihood_of_superiority(pairs) == pytest.approx(1 - likelihood_of_superiority(pairs[::-1]))
    assert ours.low <= ours.value <= ours.high


@given(counts, elos, st.floats(0.5, 50), st.sampled_from(Model))
def test_the_test_of_the_other_side_is_opposite(
    pairs: list[int], elo0: float, width: float, model: Model
) -> None:
    ours = Sprt(elo0, elo0 + width, model=model).ratio(pairs)
    theirs = Sprt(-elo0 - width, -elo0, model=model).ratio(pairs[::-1])
    assert ours == pytest.approx(-theirs, rel=1e-4, abs=1e-4)


@given(st.lists(st.integers(50, 5000), min_size=5, max_size=5))
def test_ratio_is_near_its_normal_approximation(pairs: list[int]) -> None:
    """For bounds close together: N (s1 - s0)(2 mean - s0 - s1) / (2 variance)."""
    sample = Sample.of(pairs)
    elo = elo_of(sample.mean)
    assume(abs(elo) < 90)
    s0, s1 = score_of(elo - 2), score_of(elo + 1)
    approximation = sample.count * (s1 - s0) * (2 * sample.mean - s0 - s1) / (2 * sample.variance)
    assert Sprt(elo - 2, elo + 1).ratio(pairs) == pytest.approx(approximation, rel=0.05, abs=0.01)
