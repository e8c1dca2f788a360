"""Targets: the slope that fits scores to results, and what is made of both."""

import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from eval.training.records import RECORD, Records
from eval.training.slope import LEAST_SLOPE, MOST_SLOPE, expected
from eval.training.targets import count, slope_of, targets


def scored(scores: list[int], results: list[int]) -> Records:
    found = np.zeros(len(scores), RECORD)
    found["score"], found["result"] = scores, results
    return found


def drawn(slope: float, number: int) -> Records:
    """Results as likely as a slope says."""
    chance = np.random.default_rng(1)
    scores = chance.integers(-800, 800, number)
    results = 2 * (chance.random(number) < expit(slope * scores))
    return scored(scores.tolist(), results.tolist())


@pytest.mark.parametrize("slope", [0.002, 0.007, 0.02])
def test_the_slope_is_found(slope: float) -> None:
    assert slope_of(count(drawn(slope, 100_000))) == pytest.approx(slope, rel=0.03)


def test_the_slope_is_the_best() -> None:
    found = drawn(0.005, 3000)
    best = slope_of(count(found))

    def loss(slope: float) -> float:
        logits = slope * found["score"].astype(float)
        return float((np.logaddexp(0, logits) - found["result"] / 2 * logits).sum())

    assert loss(best) < min(loss(best * 1.01), loss(best / 1.01))


def test_slopes_have_bounds() -> None:
    assert slope_of(count(scored([100] * 50, [2] * 50))) == pytest.approx(MOST_SLOPE)
    assert slope_of(count(scored([100, -100], [0, 2]))) == pytest.approx(LEAST_SLOPE)


def test_no_results_have_some_slope() -> None:
    assert LEAST_SLOPE < slope_of(count(scored([], []))) < MOST_SLOPE


def test_counts() -> None:
    counts = count(scored([-32768, 0, 0, 0, 32767], [0, 1, 1, 2, 2]))
    assert counts.shape == (65536, 3)
    assert counts[0].tolist() == [1, 0, 0]
    assert counts[32768].tolist() == [0, 2, 1]
    assert counts[65535].tolist() == [0, 0, 1]
    assert counts.sum() == 5


def test_targets() -> None:
    found = scored([0, 100, 100, -1499, 20], [1, 0, 2, 0, 1])
    made = targets(found, 0.007, 0.25)
    points = 0.75 * expit(0.007 * found["score"].astype(float)) + 0.25 * found["result"] / 2
    assert made.dtype == np.float32
    assert made == pytest.approx(points, abs=1e-6)
    assert targets(found, 0.007, 0) == pytest.approx(expected(0.007, found["score"].astype(float)), abs=1e-6)


@given(data=st.data(), foresight=st.floats(0.05, 0.98))
def test_foresight_is_a_weighted_mean_of_the_later_scores(data: st.DataObject, foresight: float) -> None:
    """By the sum that defines it, for games with gaps; each side sees the points that the other has not."""
    games = data.draw(
        st.lists(st.lists(st.integers(0, 254), min_size=1, max_size=8, unique=True), max_size=4)
    )
    rows = [(game, ply) for game, plies in enumerate(games) for ply in sorted(plies)]
    scores = data.draw(st.lists(st.integers(-1499, 1499), min_size=len(rows), max_size=len(rows)))
    found = scored(scores, [1] * len(rows))
    for row, (game, ply) in enumerate(rows):
        found[row]["game"], found[row]["ply"] = game, ply
    made = targets(found, 0.007, 0.0, foresight).tolist()
    for row, (game, ply) in enumerate(rows):
        later = [other for other in range(row, len(rows)) if rows[other][0] == game]
        reached = [foresight ** (rows[other][1] - ply) for other in later]
        weights = [mine - following for mine, following in zip(reached, [*reached[1:], 0.0], strict=True)]
        points = [abs((rows[other][1] - ply) % 2 - float(expit(0.007 * scores[other]))) for other in later]
        assert made[row] == pytest.approx(sum(map(operator.mul, weights, points)), abs=1e-5)


def test_plies_that_records_cannot_tell_apart_stand_alone() -> None:
    found = scored([100, 200, 300], [1, 1, 1])
    found["ply"] = [254, 255, 255]
    assert targets(found, 0.007, 0.0, 0.9).tolist() == targets(found, 0.007, 0.0).tolist()
