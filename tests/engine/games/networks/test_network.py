"""The network in the engine's loops against its definition in NumPy."""

from typing import Any

import numpy as np
import pytest

from engine.games.networks.network import PolicyNetwork, PolicyShape


def plain(shape: PolicyShape, weights: dict[str, Any], planes: Any) -> tuple[Any, Any]:
    def convolved(name: str, x: Any) -> Any:
        kernel = weights[name]
        if kernel.ndim == 2:
            return x @ kernel + weights[f"{name} bias"]
        _, rows, columns, _ = x.shape
        edged = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
        taps = [(r, c) for r in range(3) for c in range(3)]
        sums = sum(edged[:, r : r + rows, c : c + columns] @ kernel[r, c] for r, c in taps)
        return sums + weights[f"{name} bias"]

    def relu(x: Any) -> Any:
        return np.maximum(x, 0)

    x = relu(convolved("input", planes))
    for block in range(shape.blocks):
        x = relu(x + convolved(f"block {block} second", relu(convolved(f"block {block} first", x))))
    pool = relu(convolved("pool", x))
    pooled = np.concatenate([pool.mean(axis=(1, 2)), pool.max(axis=(1, 2))], axis=1)
    moves = relu(convolved("policy", x) + (pooled @ weights["policy pooled"])[:, None, None])
    on = (moves @ weights["policy out"]).reshape(len(planes), -1)
    policy = np.concatenate([on, pooled @ weights["pass"] + weights["pass bias"]], axis=1)
    units = relu(pooled @ weights["value"] + weights["value bias"])
    return policy, np.tanh((units @ weights["value out"] + weights["value out bias"])[:, 0] / 2)


@pytest.mark.parametrize(
    ("rows", "columns", "channels", "blocks"), [(6, 7, 16, 2), (5, 5, 32, 1), (9, 4, 16, 0)]
)
def test_the_same_as_numpy(rows: int, columns: int, channels: int, blocks: int) -> None:
    shape = PolicyShape(5, channels, blocks, 16, 7)
    chance = np.random.default_rng(1)
    weights = {
        name: chance.normal(0, 0.1 + (np.prod(size[:-1]) ** -0.5 if len(size) > 1 else 0), size).astype(
            np.float32
        )
        for name, size in shape.parameters()
    }
    numbers = np.concatenate([values.ravel() for values in weights.values()])
    planes = chance.integers(0, 2, (2, rows, columns, 5)).astype(np.float32)
    policy, values = np.zeros((2, rows * columns + 1), np.float32), np.zeros(2, np.float32)
    arrays: list[Any] = [numbers, planes, policy, values]
    flat: list[Any] = [memoryview(each.reshape(-1)) for each in arrays]
    given, seen, found, judged = flat
    PolicyNetwork(shape, given, rows, columns).evaluate(seen, 2, found, judged)
    logits, known = plain(shape, weights, planes)
    np.testing.assert_allclose(policy, logits, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(values, known, rtol=1e-4, atol=1e-4)


def test_a_shape_that_does_not_fit_is_refused() -> None:
    nothing: Any = memoryview(bytearray(4)).cast("f")
    with pytest.raises(ValueError, match="multiples of 16"):
        PolicyNetwork(PolicyShape(5, 20, 1, 16, 7), nothing, 6, 7)
    with pytest.raises(ValueError, match="weights instead of"):
        PolicyNetwork(PolicyShape(5, 16, 1, 16, 7), nothing, 6, 7)
