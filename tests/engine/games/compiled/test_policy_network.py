"""The network in the engine's loops against the same in NumPy."""

from typing import Any

import numpy as np
import pytest

from engine.games.compiled.network_shape import PolicyShape
from engine.games.compiled.policy_network import PolicyNetwork
from scripts.laboratory.policy.float_network import drawn, flat
from scripts.laboratory.policy.numpy_network import NumpyNetwork


@pytest.mark.parametrize(
    ("rows", "columns", "channels", "blocks"), [(6, 7, 16, 2), (5, 5, 32, 1), (9, 4, 16, 0)]
)
def test_the_same_as_numpy(rows: int, columns: int, channels: int, blocks: int) -> None:
    shape = PolicyShape(5, channels, blocks, 16, 7)
    chance = np.random.default_rng(1)
    weights = {
        name: values + 0.1 * chance.normal(0, 1, values.shape).astype(np.float32)
        for name, values in drawn(shape, 1).items()
    }
    numbers = np.concatenate([values.ravel() for values in weights.values()])
    planes = chance.integers(0, 2, (2, rows, columns, 5)).astype(np.float32)
    policy, values = np.zeros((2, rows * columns + 1), np.float32), np.zeros(2, np.float32)
    given, seen, found, judged = flat([numbers, planes, policy, values])
    network = PolicyNetwork(shape, given, rows, columns)
    network.evaluate(seen, 2, found, judged)
    logits, value_logits = NumpyNetwork(shape, weights).forward(planes)
    np.testing.assert_allclose(policy, logits, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(values, np.tanh(value_logits / 2), rtol=1e-4, atol=1e-5)


def test_a_shape_that_does_not_fit_is_refused() -> None:
    nothing: Any = memoryview(bytearray(4)).cast("f")
    with pytest.raises(ValueError, match="multiples of 16"):
        PolicyNetwork(PolicyShape(5, 20, 1, 16, 7), nothing, 6, 7)
    with pytest.raises(ValueError, match="weights instead of"):
        PolicyNetwork(PolicyShape(5, 16, 1, 16, 7), nothing, 6, 7)
