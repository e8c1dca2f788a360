"""The network in NumPy: its gradients against differences of the loss, and a step against one by hand."""

from __future__ import annotations

import numpy as np
import pytest

from engine.games.compiled.network_shape import PolicyShape
from engine.games.rules.go.game import GoGame
from scripts.laboratory.policy.examples import PolicyExamples, symmetries
from scripts.laboratory.policy.float_network import Parameters, drawn, numbers_of, parameters_of
from scripts.laboratory.policy.numpy_network import NumpyLearner, NumpyNetwork, turned

SHAPE = PolicyShape(3, 16, 1, 16, 5)
ROWS, COLUMNS = 4, 3


def some_weights() -> Parameters:
    """Weights none of which is 0, in double precision, so that small differences can be told."""
    chance = np.random.default_rng(1)
    return {
        name: (values + 0.2 * chance.normal(0, 1, values.shape)).astype(np.float64)
        for name, values in drawn(SHAPE, 1).items()
    }


def some_examples(count: int) -> PolicyExamples:
    chance = np.random.default_rng(2)
    policy = chance.random((count, ROWS * COLUMNS + 1))
    return PolicyExamples(
        chance.integers(0, 2, (count, ROWS, COLUMNS, 3)).astype(np.float32),
        (policy / policy.sum(axis=1, keepdims=True)).astype(np.float32),
        chance.uniform(-1, 1, count).astype(np.float32),
        chance.integers(-1, 2, (count, ROWS * COLUMNS)).astype(np.float32),
    )


def test_gradients_are_those_of_the_loss() -> None:
    """Central differences in some weights of each array."""
    weights, examples = some_weights(), some_examples(3)
    network = NumpyNetwork(SHAPE, weights)
    network.learn(examples)
    gradients = {name: np.array(values) for name, values in network.gradients.items()}
    chance, step = np.random.default_rng(3), 1e-5
    for name, values in weights.items():
        for place in chance.integers(values.size, size=2):
            at = np.unravel_index(place, values.shape)
            kept = float(values[at])
            losses = []
            for moved in (kept + step, kept - step):
                values[at] = moved
                losses.append(sum(network.learn(examples)))
            values[at] = kept
            assert gradients[name][at] == pytest.approx((losses[0] - losses[1]) / (2 * step), abs=2e-5), name


def test_many_examples_are_the_mean_of_fewer() -> None:
    """150 are more than two portions."""
    network, examples = NumpyNetwork(SHAPE, some_weights()), some_examples(150)
    losses = np.array(network.learn(examples))
    gradients = {name: np.array(values) for name, values in network.gradients.items()}
    parts = [network.learn(examples.part(slice(first, first + 30))) for first in range(0, 150, 30)]
    np.testing.assert_allclose(losses, np.mean(parts, axis=0), rtol=1e-5)
    sums = {name: np.zeros_like(values) for name, values in gradients.items()}
    for first in range(0, 150, 30):
        network.learn(examples.part(slice(first, first + 30)))
        for name, values in network.gradients.items():
            sums[name] += values / 5
    for name, values in gradients.items():
        np.testing.assert_allclose(values, sums[name], rtol=1e-4, atol=1e-6)


def test_what_was_seen_often_is_learned() -> None:
    learner, examples = NumpyLearner(SHAPE, drawn(SHAPE, 1)), some_examples(8)
    first = learner.learn(examples, 0.01)
    for _ in range(100):
        last = learner.learn(examples, 0.01)
    assert last[0] < 0.3 * first[0]
    assert last[1] < first[1]


def test_a_state_goes_on_as_if_nothing_had_been() -> None:
    one, examples = NumpyLearner(SHAPE, drawn(SHAPE, 1)), some_examples(16)
    for _ in range(3):
        one.learn(examples, 0.01)
    two = NumpyLearner(SHAPE, drawn(SHAPE, 2))
    two.restore(one.state())
    for _ in range(2):
        assert one.learn(examples, 0.01) == two.learn(examples, 0.01)
    for name, values in one.average.items():
        np.testing.assert_array_equal(values, two.average[name])


def test_numbers_in_a_row_are_the_arrays() -> None:
    weights = drawn(SHAPE, 1)
    again = parameters_of(SHAPE, numbers_of(SHAPE, weights))
    assert again.keys() == weights.keys()
    for name, values in weights.items():
        np.testing.assert_array_equal(values, again[name])


def test_examples_are_turned_as_a_whole() -> None:
    """A stone, the move to it and its owner stay together, and the pass stays what it is."""
    first = GoGame().start(5)
    squares = np.arange(25, dtype=np.float32)
    planes = np.repeat(squares.reshape(1, 5, 5, 1), 40, axis=0)
    policy = np.append(squares, 99).reshape(1, -1).repeat(40, axis=0)
    owners = squares.reshape(1, -1).repeat(40, axis=0)
    examples = PolicyExamples(planes, policy.astype(np.float32), np.zeros(40, np.float32), owners)
    found = turned(examples, symmetries(first), np.random.default_rng(1))
    np.testing.assert_array_equal(found.planes.reshape(40, 25), found.policy[:, :-1])
    np.testing.assert_array_equal(found.owners, found.policy[:, :-1])
    assert (found.policy[:, -1] == 99).all()
    assert len(np.unique(found.owners, axis=0)) == 8
