"""What is taken from games, against the evaluator that the counts come from; losses; and the descent."""

from dataclasses import replace
from math import exp, log
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from eval.features import WEIGHTS
from eval.linear import Linear
from eval.training import game_file, tuner
from eval.training.positions import LEAST_SLOPE, MOST_SLOPE, Reals, expected, fit_slope
from eval.training.tuner import (
    Dataset,
    Table,
    Tuner,
    TunerSettings,
    judge,
    loss,
    rounded,
    table_of,
    targets_of,
    zero_table,
)
from eval.weight_file import LARGEST_WEIGHT
from tests.eval.some_weights import standard_weights
from tests.eval.training.record_files import write_games

SLOPE = 0.005
COUNTED = 12
USED = 120  # so many of the weights occur in the positions

FREE = TunerSettings(epochs=25, batch=2048, rate=2.0, prior=1000.0, repetition=1.0, seed=1)
"""As good as no prior."""


def loaded(*paths: Path, mix: float = 0.5) -> Dataset:
    """The positions of files, each as if in a folder of its own."""
    for path in paths:
        tuner.keep_features(path)
    return tuner.load([[path] for path in paths], mix)


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_games(tmp_path_factory.mktemp("games") / "a.games", 12, 30)


@pytest.fixture(scope="module")
def data(games: Path) -> Dataset:
    return loaded(games)


def test_rows_are_those_of_the_evaluator(games: Path, data: Dataset) -> None:
    """The sum of counts times weights is what the compiled evaluation gives, rounding apart."""
    values = data.values(table_of(standard_weights()))
    evaluator = Linear(standard_weights())
    rows = []
    for game in game_file.games(games):
        for ply, position in game.kept():
            trace = evaluator.trace(position)
            if not trace.known:
                score = int(game.plies["score"][ply])
                sign = -1 if position.side else 1
                rows.append((trace.value, sign * score, (game.result + 1) / 2, game.number))
    assert len(data) == len(rows) > 50
    found = zip(values.tolist(), data.score.tolist(), data.result.tolist(), data.game.tolist(), strict=True)
    for row, (value, *others) in zip(rows, found, strict=True):
        assert row[0] == pytest.approx(value, abs=1.01)
        assert list(row[1:]) == others


def test_gradients_are_the_change_of_the_values(data: Dataset) -> None:
    """What a little more of one weight does, seen by trying it."""
    chance = np.random.default_rng(1)
    by_value = chance.normal(size=len(data)).astype(np.float32)
    gradients, before = data.gradients(by_value), data.values(np.zeros((2, WEIGHTS)))
    for index in chance.choice(np.unique(data.counts.indices), 40, replace=False):
        for stage in range(2):
            weights = np.zeros((2, WEIGHTS))
            weights[stage, index] = 1.0
            change = np.dot(by_value, data.values(weights) - before)
            assert gradients[stage, index] == pytest.approx(change, abs=0.05)


def test_games_of_different_folders_are_different(games: Path, tmp_path: Path) -> None:
    other = write_games(tmp_path / "a.games", 12, 30)
    both = loaded(games, other)
    assert len(np.unique(both.game)) == 2 * len(np.unique(loaded(games).game))
    assert both.source.tolist() == sorted(both.source.tolist())
    assert {*both.source.tolist()} == {0, 1}


def test_no_game_is_on_both_sides_of_the_split(data: Dataset) -> None:
    training, validation = tuner.split(data, 0.3, seed=3)
    assert sorted([*training, *validation]) == list(range(len(data)))
    assert not set(data.game[training]) & set(data.game[validation])
    assert len(set(data.game[validation])) == round(0.3 * len(np.unique(data.game)))
    again, _ = tuner.split(data, 0.3, seed=3)
    other, _ = tuner.split(data, 0.3, seed=4)
    assert again.tolist() == training.tolist() != other.tolist()
    assert training.tolist() != sorted(training.tolist())


def test_counts_are_taken_once_and_again_where_they_are_not_those_of_the_file(tmp_path: Path) -> None:
    path = write_games(tmp_path / "a.games", 2)
    few = len(loaded(path))
    kept = tuner.kept_path(path)
    before = kept.stat().st_mtime_ns
    loaded(path)
    assert kept.stat().st_mtime_ns == before
    assert {file.name for file in tmp_path.iterdir()} == {"a.games", "a.counts.npz"}
    for size in (0, 10, 500):
        kept.write_bytes(kept.read_bytes()[:size])
        assert len(loaded(path)) == few
    write_games(path, 4)
    assert len(loaded(path)) > few


# Losses and slopes, against sums by hand and a search of all slopes


def reals(*numbers: float) -> Reals:
    return np.array(numbers, np.float32)


def materials(values: Reals, results: Reals, mix: float) -> Dataset:
    number = len(values)
    ones, source = np.ones(number, np.float32), np.zeros(number, np.int32)
    counts = sparse.csr_array((number, WEIGHTS), dtype=np.int8)
    targets = targets_of(values, results, source, mix)
    return Dataset(counts, values, ones, 0 * ones, values, results, source, np.arange(number), targets)


def results_of(slope: float, number: int = 40000, seed: int = 1) -> tuple[Reals, Reals]:
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
    assert loss(0.004, reals(0, 0, 0), reals(0, 0.5, 1)) == pytest.approx(log(2))
    assert loss(0.1, reals(20000, -20000), reals(0, 1)) == pytest.approx(2000)


def test_no_other_slope_has_less_loss() -> None:
    values, results = results_of(0.004, 2000)
    best = fit_slope(values, results)
    for other in best * np.geomspace(0.5, 2, 41):
        assert loss(other, values, results) >= loss(best, values, results) - 1e-7
    assert LEAST_SLOPE < fit_slope(reals(0, 0), reals(1, 0)) < MOST_SLOPE


def test_targets_mix_results_and_scores_and_each_folder_has_its_own_scale() -> None:
    """The same games once more, by a search whose values are three times as large."""
    scores, results = results_of(0.004, 20000)
    one = np.zeros(len(scores), int)
    by_score = targets_of(scores, results, one, 0.0)
    assert targets_of(scores, results, one, 1.0) == pytest.approx(results)
    assert by_score == pytest.approx(expected(fit_slope(scores, results), scores), abs=1e-6)
    assert targets_of(scores, results, one, 0.25) == pytest.approx(0.25 * results + 0.75 * by_score, abs=1e-6)
    both, twice = np.concatenate([scores, 3 * scores]), np.concatenate([results, results])
    targets = targets_of(both, twice, np.concatenate([one, one + 1]), 0.0)
    assert targets[: len(scores)] == pytest.approx(targets[len(scores) :], abs=1e-4)


def test_weights_are_judged_at_their_own_slope() -> None:
    """So a scale for all values is neither good nor bad."""
    values, results = results_of(0.004, 20000)
    for factor in (np.float32(0.4), np.float32(2.5)):
        data = materials(factor * values, results, 0.5)
        part = data.take(slice(0, 5000))
        judgement = judge(np.zeros((2, WEIGHTS)), data, part)
        assert judgement.slope == pytest.approx(0.004 / factor, rel=0.05)
        assert judgement.training == pytest.approx(loss(judgement.slope, data.material, data.targets))
        assert judgement.validation == pytest.approx(loss(0.004, values[:5000], part.targets), rel=1e-3)
        assert judgement.outcome == pytest.approx(loss(0.004, values[:5000], results[:5000]), rel=1e-3)


# The descent, on positions made up so that the weights behind their games are known


def truth() -> Table:
    table = zero_table()
    table[:, :USED] = np.random.default_rng(7).normal(0, 30, (2, USED))
    return table


def examples(number: int, seed: int, *, lots: bool = False) -> Dataset:
    """Positions that count a dozen weights each, with what is to be expected of them, or drawn results."""
    chance = np.random.default_rng(seed)
    columns = np.sort(chance.integers(0, USED, (number, COUNTED)), axis=1).ravel()
    counts = chance.choice(np.array([-2, -1, 1, 2], np.int8), number * COUNTED)
    phase = (chance.integers(0, 25, number) / 24).astype(np.float32)
    none = np.zeros(number, np.float32)
    data = Dataset(
        counts=sparse.csr_array(
            (counts, columns, np.arange(0, number * COUNTED + 1, COUNTED)), (number, WEIGHTS)
        ),
        material=chance.choice(np.array([-300, -100, 0, 100, 300], np.float32), number),
        middle=phase,
        endgame=(1 - phase) * chance.choice(np.array([0.5, 1], np.float32), number),
        score=none,
        result=none,
        source=np.zeros(number, np.int32),
        game=np.arange(number),
        targets=none,
    )
    targets = expected(SLOPE, data.values(truth()))
    if lots:
        chance = np.random.default_rng(seed + 1)
        targets = (chance.random(number) < targets).astype(np.float32)
    return replace(data, result=targets, targets=targets)


def test_known_weights_are_recovered() -> None:
    tuner = Tuner(examples(20000, 1), examples(2000, 2), zero_table(), FREE)
    *_, last = tuner.epochs()
    assert last.slope == pytest.approx(SLOPE, rel=0.02)
    assert tuner.best[:, :USED] == pytest.approx(truth()[:, :USED], abs=3)
    assert not tuner.best[:, USED:].any()


def test_the_same_arguments_give_the_same_weights() -> None:
    training, validation = examples(3000, 1, lots=True), examples(500, 2, lots=True)
    tables = []
    for seed in (1, 1, 2):
        tuner = Tuner(training, validation, zero_table(), replace(FREE, epochs=3, batch=500, seed=seed))
        assert len(list(tuner.epochs())) == 4
        tables.append(tuner.best)
    assert np.array_equal(tables[0], tables[1])
    assert not np.array_equal(tables[0], tables[2])


def test_a_narrow_prior_holds_the_weights() -> None:
    """The nearer the less a weight is expected to move; what no position counts does not move at all."""
    training, validation = examples(3000, 1, lots=True), examples(500, 2, lots=True)
    start = table_of(standard_weights())
    moved = []
    for prior in (1.0, 10.0, 100.0):
        tuner = Tuner(training, validation, start, replace(FREE, prior=prior, patience=99))
        list(tuner.epochs())
        moved.append(np.abs(tuner.best - start).mean())
        assert np.array_equal(tuner.best[:, USED:], start[:, USED:])
    assert moved[0] < moved[1] < moved[2]
    assert moved[0] < 1


def test_without_progress_it_stops_and_keeps_the_start() -> None:
    """Validation that says the contrary of the training: nothing learned from one helps with the other."""
    training, validation = examples(3000, 1), examples(500, 2)
    contrary = replace(validation, targets=1 - validation.targets)
    tuner = Tuner(training, contrary, zero_table(), replace(FREE, patience=3))
    assert len(list(tuner.epochs())) == 1 + 3
    assert not tuner.best.any()


def test_weights_are_rounded_and_kept_within_bounds() -> None:
    table = zero_table()
    table[0, :4] = [1.4, -1.6, 1e6, -1e6]
    weights = rounded(table)
    assert weights.middle[:5] == (1, -2, LARGEST_WEIGHT, -LARGEST_WEIGHT, 0)
    assert all(type(weight) is int for weight in weights.middle + weights.endgame)
    assert rounded(table_of(standard_weights())).endgame == standard_weights().endgame
