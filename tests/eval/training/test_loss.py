"""Losses and slopes, against sums by hand and a search of all slopes."""

from math import exp, log

import numpy as np
import pytest
from scipy import sparse

from eval.features import WEIGHTS
from eval.training.dataset import Dataset, Reals
from eval.training.slope import LEAST_SLOPE, MOST_SLOPE, expected, fit_slope
from eval.training.tuner import Examples, judge, least_loss, loss, targets_of


def reals(*numbers: float) -> Reals:
    """A column."""
    return np.array(numbers, np.float32)


def materials(values: Reals, scores: Reals, results: Reals, sources: list[int] | None = None) -> Dataset:
    """Positions that count nothing, and have these values by material alone."""
    number = len(values)
    return Dataset(
        counts=sparse.csr_array((number, WEIGHTS), dtype=np.int8),
        material=values,
        middle=np.ones(number, np.float32),
        endgame=np.zeros(number, np.float32),
        score=scores,
        result=results,
        source=np.array(sources or [0] * number, np.int32),
        game=np.arange(number),
    )


def games(slope: float, number: int = 40000, seed: int = 1) -> tuple[Reals, Reals]:
    """Values, and results of games that follow from them at a slope."""
    chance = np.random.default_rng(seed)
    values = chance.normal(0, 300, number).astype(np.float32)
    won = chance.random(number) < 1 / (1 + np.exp(-slope * values))
    return values, won.astype(np.float32)


def test_loss_by_hand() -> None:
    values, targets = reals(0, 100, -250), reals(0.5, 1, 0.25)
    total = 0.0
    for value, target in zip(values.tolist(), targets.tolist(), strict=True):
        points = 1 / (1 + exp(-0.004 * value))
        total -= target * log(points) + (1 - target) * log(1 - points)
    assert loss(0.004, values, targets) == pytest.approx(total / 3, rel=1e-6)


def test_loss_of_knowing_nothing_is_log_2() -> None:
    assert loss(0.004, reals(0, 0, 0), reals(0, 0.5, 1)) == pytest.approx(log(2))


def test_loss_is_finite_however_wrong_a_value_is() -> None:
    assert loss(0.1, reals(20000, -20000), reals(0, 1)) == pytest.approx(2000)


def test_least_loss_is_that_of_the_targets_themselves() -> None:
    values = reals(-300, -20, 0, 150, 700)
    targets = expected(0.005, values)
    assert least_loss(targets) == pytest.approx(loss(0.005, values, targets), rel=1e-5)
    assert least_loss(reals(0, 1)) == 0


@pytest.mark.parametrize("slope", [0.0008, 0.003, 0.02])
def test_slope_is_recovered(slope: float) -> None:
    assert fit_slope(*games(slope)) == pytest.approx(slope, rel=0.05)


def test_no_other_slope_has_less_loss() -> None:
    values, results = games(0.004, 2000)
    best = fit_slope(values, results)
    for other in best * np.geomspace(0.5, 2, 41):
        assert loss(other, values, results) >= loss(best, values, results) - 1e-7


@pytest.mark.parametrize(
    ("values", "results", "slope"),
    [
        (reals(100, -100), reals(1, 0), MOST_SLOPE),  # says all
        (reals(100, -100), reals(0, 1), LEAST_SLOPE),  # says the contrary
    ],
)
def test_slope_stays_in_bounds(values: Reals, results: Reals, slope: float) -> None:
    assert fit_slope(values, results) == pytest.approx(slope)


def test_values_that_are_all_0_have_some_slope() -> None:
    assert LEAST_SLOPE < fit_slope(reals(0, 0), reals(1, 0)) < MOST_SLOPE


def test_targets_mix_results_and_scores() -> None:
    scores, results = games(0.004)
    data = materials(scores, scores, results)
    assert targets_of(data, 1.0) == pytest.approx(results)
    by_score = targets_of(data, 0.0)
    assert by_score == pytest.approx(expected(fit_slope(scores, results), scores), abs=1e-6)
    assert targets_of(data, 0.25) == pytest.approx(0.25 * results + 0.75 * by_score, abs=1e-6)


def test_scores_of_each_folder_have_their_own_scale() -> None:
    """The same games once more, told by a search whose values are three times as large."""
    scores, results = games(0.004, 20000)
    both = np.concatenate([scores, 3 * scores])
    sources = [0] * len(scores) + [1] * len(scores)
    targets = targets_of(materials(both, both, np.concatenate([results, results]), sources), 0.0)
    assert targets[: len(scores)] == pytest.approx(targets[len(scores) :], abs=1e-4)


def test_weights_are_judged_at_their_own_slope() -> None:
    """So a scale for all values is neither good nor bad."""
    values, results = games(0.004, 20000)
    scale = np.float32(2.5)
    for factor in (1 / scale, scale):
        data = materials(factor * values, values, results)
        examples = Examples(data, targets_of(data, 0.5))
        judgement = judge("any", np.zeros((2, WEIGHTS)), examples, examples.take(slice(0, 5000)))
        assert judgement.slope == pytest.approx(0.004 / factor, rel=0.05)
        assert judgement.training == pytest.approx(
            loss(judgement.slope, data.material, examples.targets), rel=1e-6
        )
        part = examples.take(slice(0, 5000))
        assert judgement.validation == pytest.approx(loss(0.004, values[:5000], part.targets), rel=1e-3)
        assert judgement.outcome == pytest.approx(loss(0.004, values[:5000], results[:5000]), rel=1e-3)
