"""The descent, on positions made up so that the weights behind their games are known."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from eval.features import WEIGHTS
from eval.training.dataset import Dataset
from eval.training.slope import expected
from eval.training.start import hand_set
from eval.training.tuner import (
    Adam,
    Examples,
    Table,
    Tuner,
    TunerSettings,
    judge,
    loss,
    rounded,
    table_of,
    zero_table,
)
from eval.weight_file import LARGEST_WEIGHT

SLOPE = 0.005
COUNTED = 12
USED = 120
"""So many of the weights occur in the positions."""

FREE = TunerSettings(epochs=25, batch=2048, rate=2.0, prior=1000.0, repetition=1.0, seed=1)
"""As good as no prior."""


def truth() -> Table:
    """The weights behind the games: nothing beyond those used."""
    table = zero_table()
    table[:, :USED] = np.random.default_rng(7).normal(0, 30, (2, USED))
    return table


def positions(number: int, seed: int) -> Dataset:
    """Positions that count a dozen weights each; their games are still to be played."""
    chance = np.random.default_rng(seed)
    columns = np.sort(chance.integers(0, USED, (number, COUNTED)), axis=1).ravel()
    counts = chance.choice(np.array([-2, -1, 1, 2], np.int8), number * COUNTED)
    phase = (chance.integers(0, 25, number) / 24).astype(np.float32)
    none = np.zeros(number, np.float32)
    return Dataset(
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
    )


def examples(number: int, seed: int, *, lots: bool = False) -> Examples:
    """Positions with what is to be expected of them, or with results drawn by `lots` with these odds."""
    data = positions(number, seed)
    targets = expected(SLOPE, data.values(truth()))
    if lots:
        chance = np.random.default_rng(seed + 1)
        targets = (chance.random(number) < targets).astype(np.float32)
    return Examples(replace(data, result=targets), targets)


def test_known_weights_are_recovered() -> None:
    training, validation = examples(20000, 1), examples(2000, 2)
    tuner = Tuner(training, validation, zero_table(), FREE)
    *_, last = tuner.epochs()
    assert last.slope == pytest.approx(SLOPE, rel=0.02)
    assert tuner.best[:, :USED] == pytest.approx(truth()[:, :USED], abs=3)
    assert not tuner.best[:, USED:].any()


def test_results_of_games_are_enough() -> None:
    training, validation = examples(120_000, 1, lots=True), examples(4000, 2, lots=True)
    tuner = Tuner(training, validation, zero_table(), FREE)
    epochs = list(tuner.epochs())
    likeness = np.corrcoef(tuner.best[:, :USED].ravel(), truth()[:, :USED].ravel())[0, 1]
    assert likeness > 0.97
    best = loss(SLOPE, validation.data.values(truth()), validation.targets)
    gained = epochs[0].validation - min(epoch.validation for epoch in epochs)
    assert gained > 0.95 * (epochs[0].validation - best)


def test_what_is_told_is_what_the_best_weights_are_worth() -> None:
    training, validation = examples(5000, 1, lots=True), examples(1000, 2, lots=True)
    tuner = Tuner(training, validation, zero_table(), FREE)
    epochs = list(tuner.epochs())
    best = min(epochs, key=lambda epoch: epoch.validation)
    assert [epoch.number for epoch in epochs] == list(range(len(epochs)))
    found = judge("best", tuner.best, training, validation)
    assert (found.slope, found.training, found.validation) == pytest.approx(
        (best.slope, best.training, best.validation), rel=1e-4
    )
    first = judge("first", zero_table(), training, validation)
    assert (epochs[0].training, epochs[0].validation) == pytest.approx((first.training, first.validation))


def test_the_same_arguments_give_the_same_weights() -> None:
    training, validation = examples(3000, 1, lots=True), examples(500, 2, lots=True)
    settings = replace(FREE, epochs=3, batch=500)
    tables = []
    for seed in (1, 1, 2):
        tuner = Tuner(training, validation, zero_table(), replace(settings, seed=seed))
        assert len(list(tuner.epochs())) == 4
        tables.append(tuner.best)
    assert np.array_equal(tables[0], tables[1])
    assert not np.array_equal(tables[0], tables[2])


def test_a_narrow_prior_holds_the_weights() -> None:
    """The nearer the less a weight is expected to move; what no position counts does not move at all."""
    training, validation = examples(3000, 1, lots=True), examples(500, 2, lots=True)
    start = table_of(hand_set())
    moved = []
    for prior in (1.0, 10.0, 100.0):
        settings = replace(FREE, prior=prior, patience=99)
        tuner = Tuner(training, validation, start, settings)
        list(tuner.epochs())
        moved.append(np.abs(tuner.best - start).mean())
        assert np.array_equal(tuner.best[:, USED:], start[:, USED:])
    assert moved[0] < moved[1] < moved[2]
    assert moved[0] < 1


def test_without_progress_it_stops_and_keeps_the_start() -> None:
    """Validation that says the contrary of the training: nothing learned from one helps with the other."""
    training, validation = examples(3000, 1), examples(500, 2)
    contrary = Examples(validation.data, 1 - validation.targets)
    tuner = Tuner(training, contrary, zero_table(), replace(FREE, patience=3))
    epochs = list(tuner.epochs())
    assert len(epochs) == 1 + 3
    assert not tuner.best.any()


def test_adam_goes_downhill_at_about_the_same_pace_in_steep_and_flat_valleys() -> None:
    steepness = np.array([1e-6, 1.0, 1e6])
    place, adam = np.array([20.0, -20.0, 20.0]), Adam((3,))
    for _ in range(10):
        place -= 0.5 * adam.direction(steepness * place)
    assert np.abs(place) == pytest.approx(15, abs=0.5)


def test_weights_are_rounded_and_kept_within_bounds() -> None:
    table = zero_table()
    table[0, :4] = [1.4, -1.6, 1e6, -1e6]
    weights = rounded(table)
    assert weights.middle[:5] == (1, -2, LARGEST_WEIGHT, -LARGEST_WEIGHT, 0)
    assert all(type(weight) is int for weight in weights.middle + weights.endgame)
    assert rounded(table_of(hand_set())).endgame == hand_set().endgame
