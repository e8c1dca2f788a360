"""The compiled trainer against numpy in float64: logits, losses, gradients, Adam."""

from typing import Any

import numpy as np
import pytest

from eval.training import positions, trainer
from eval.training.float_network import ADAM, FloatNetwork, king_places
from eval.training.trainer import AdamSteps, Backpropagation
from tests.eval.training.network_reference import ReferenceNetwork
from tests.eval.training.record_files import some_records

COMPILED = not trainer.__file__.endswith(".py")
MANY = 1500 if COMPILED else 20  # positions; compiled more than a lot, which has 1024


def gradients_of(
    network: FloatNetwork, found: positions.Records, targets: Any, order: Any
) -> tuple[float, Any]:
    gradients = np.zeros_like(network.values)
    worker = Backpropagation(network.values, gradients, network.width, network.places)
    loss = worker.learn(positions.words(found), targets, order, 0, len(order))
    return loss, FloatNetwork(network.width, network.places, gradients)


def some_network(width: int, buckets: int) -> FloatNetwork:
    """Some of its units are below 0 or above 1 in any position."""
    drawn = FloatNetwork.drawn(width, king_places(buckets), 7)
    hidden = drawn.hidden() * 4
    hidden[-1] = np.linspace(-1, 2, width)
    outputs = drawn.outputs().copy()
    outputs[:, -1] = np.linspace(-0.5, 0.5, len(outputs))
    return FloatNetwork.joined(drawn.places, hidden, outputs)


@pytest.mark.parametrize(("width", "buckets"), [(32, 1), (64, 4), (256, 1), (96, 8)])
def test_logits_losses_and_gradients(width: int, buckets: int) -> None:
    network = some_network(width, buckets)
    reference = ReferenceNetwork.of(network)
    found = some_records(MANY)
    targets = np.random.default_rng(1).random(MANY).astype(np.float32)
    order = np.arange(MANY, dtype=np.uint32)
    logits = np.empty(MANY, np.float32)
    worker = Backpropagation(network.values, np.zeros_like(network.values), width, network.places)
    worker.judge(positions.words(found), order, logits, 0, MANY)
    assert np.abs(logits - reference.logits(found)).max() < 1e-5
    loss, gradients = gradients_of(network, found, targets, order)
    assert loss == pytest.approx(reference.loss(found, targets), rel=1e-5)
    hidden, outputs = reference.gradients(found, targets)
    assert np.abs(gradients.hidden() - hidden).max() < 1e-5 * np.abs(hidden).max()
    assert np.abs(gradients.outputs() - outputs).max() < 1e-5 * np.abs(outputs).max()


def test_gradients_of_the_reference_itself() -> None:
    """They are what a small step changes."""
    network = ReferenceNetwork.of(some_network(32, 1))
    found = some_records(10)
    targets = np.random.default_rng(1).random(10)
    hidden, outputs = network.gradients(found, targets)
    step = 1e-6
    for table, gradients in ((network.hidden, hidden), (network.outputs, outputs)):
        places = np.argsort(np.abs(gradients), axis=None)[:: -(gradients.size // 50)]
        for place in zip(*np.unravel_index(places, gradients.shape), strict=True):
            table[place] += step
            above = network.loss(found, targets)
            table[place] -= 2 * step
            below = network.loss(found, targets)
            table[place] += step
            assert (above - below) / (2 * step) == pytest.approx(gradients[place], abs=1e-6)


def test_the_order_says_which_records_and_in_any_order_they_are_the_same() -> None:
    network = some_network(32, 1)
    found = some_records(12)
    targets = np.random.default_rng(1).random(12).astype(np.float32)
    order = np.array([7, 2, 11, 0], np.uint32)
    loss, gradients = gradients_of(network, found, targets, order)
    alone, expected = gradients_of(network, found[order], targets[order], np.arange(4, dtype=np.uint32))
    assert loss == alone
    assert np.array_equal(gradients.values, expected.values)
    words = positions.words(found)
    worker = Backpropagation(network.values, np.zeros_like(network.values), 32, network.places)
    logits = np.zeros(6, np.float32)
    worker.judge(words, np.array([9, 9, *order], np.uint32), logits, 2, 6)
    assert np.allclose(logits[2:], ReferenceNetwork.of(network).logits(found[order]), atol=1e-5)
    assert not logits[:2].any()


def test_adam() -> None:
    """Steps as in the paper, with the gradients of two threads, which are then forgotten; bounded weights."""
    chance = np.random.default_rng(3)
    weights = chance.normal(0, 0.5, 100).astype(np.float32)
    weights[:2] = 1.979, -1.979
    expected, mean, square = weights.astype(float), np.zeros(100), np.zeros(100)
    gradients = np.zeros((2, 100), np.float32)
    adam = AdamSteps(
        weights, gradients.ravel(), np.zeros(100, np.float32), np.zeros(100, np.float32), ADAM, 1.98
    )
    for number in range(1, 20):
        gradients[:] = chance.normal(0, 1, (2, 100)).astype(np.float32)
        gradients[:, 0], gradients[:, 1], gradients[:, 2] = -1, 1, 0
        gradient = gradients.astype(float).sum(axis=0) / 50
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.999 * square + 0.001 * gradient**2
        direction = mean / (1 - 0.9**number) / (np.sqrt(square / (1 - 0.999**number)) + 1e-8)
        expected = np.clip(expected - 0.01 * direction, -1.98, 1.98)
        adam.step(0.01, number, 50, 0, 60)
        adam.step(0.01, number, 50, 60, 100)
        assert not gradients.any()
        assert np.abs(weights - expected).max() < 1e-5
    assert weights[:2].tolist() == pytest.approx([1.98, -1.98])


@pytest.mark.parametrize("width", [0, 16, 33, 1056])
def test_widths_that_do_not_fit(width: int) -> None:
    with pytest.raises(ValueError, match="not a multiple of 32 up to 1024"):
        Backpropagation(np.zeros(9, np.float32), np.zeros(9, np.float32), width, king_places(1))


def test_weights_that_do_not_fit() -> None:
    values = FloatNetwork.drawn(32, king_places(1), 1).values
    with pytest.raises(ValueError, match="does not fit"):
        Backpropagation(values[:-1], values[:-1], 32, king_places(1))
    with pytest.raises(ValueError, match="does not fit"):
        Backpropagation(values, values, 32, king_places(2))
    with pytest.raises(ValueError, match="a gradient for each weight"):
        Backpropagation(values, values[:-1], 32, king_places(1))
