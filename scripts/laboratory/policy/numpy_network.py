"""The network in NumPy, forward and backward: the reference for the others, and for learning without a GPU.

A convolution of 3 by 3 is a product of matrices: each square with what is around it (im2col), times the
kernel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from scripts.laboratory.policy.learner_state import LearnerState

if TYPE_CHECKING:
    import numpy.typing as npt

    from engine.games.compiled.network_shape import PolicyShape
    from scripts.laboratory.policy.examples import PolicyExamples
    from scripts.laboratory.policy.float_network import Parameters, Reals

_MEAN_DECAY, _SQUARE_DECAY, _TINY = 0.9, 0.99, 1e-8
_DECAY = 0.03  # of weights, times the rate
_AVERAGE = 0.995  # a step's weight in the moving average of the weights is 1 less this
_LARGEST_GRADIENT = 1.0  # of all parameters together
_PORTION = 64  # examples at a time: what is kept of them should fit the processor's caches


def around(x: Reals) -> Reals:
    """Each square of each board with its eight neighbours, zeros beyond the edge."""
    boards, rows, columns, channels = x.shape
    padded = np.zeros((boards, rows + 2, columns + 2, channels), x.dtype)
    padded[:, 1:-1, 1:-1] = x
    found = np.empty((boards, rows, columns, 9, channels), x.dtype)
    for tap in range(9):
        row, column = divmod(tap, 3)
        found[:, :, :, tap] = padded[:, row : row + rows, column : column + columns]
    return found.reshape(-1, 9 * channels)


def from_around(gradients: Reals, shape: tuple[int, ...]) -> Reals:
    """The gradients of `x` from those of `around(x)`, where `x` is of that shape."""
    boards, rows, columns, channels = shape
    parts = gradients.reshape(boards, rows, columns, 9, channels)
    padded = np.zeros((boards, rows + 2, columns + 2, channels), gradients.dtype)
    for tap in range(9):
        row, column = divmod(tap, 3)
        padded[:, row : row + rows, column : column + columns] += parts[:, :, :, tap]
    return padded[:, 1:-1, 1:-1]


class NumpyNetwork:
    """A network of these weights: what it says of positions, and the gradients of the loss."""

    def __init__(self, shape: PolicyShape, weights: Parameters) -> None:
        self.shape = shape
        self.weights = weights
        self.gradients: Parameters = {}
        self._kept: dict[str, Any] = {}

    def forward(self, planes: Reals) -> tuple[Reals, Reals]:
        """The logits of the policy and of the value, of boards by rows by columns by planes."""
        weights, kept = self.weights, self._kept
        x = self._convolve("input", planes)
        for block in range(self.shape.blocks):
            inner = self._convolve(f"block {block} first", x)
            x = self._convolve(f"block {block} second", inner, x)
        boards, rows, columns, channels = x.shape
        squares = x.reshape(boards, rows * columns, channels)
        pool = np.maximum(squares @ weights["pool"] + weights["pool bias"], 0)
        pooled = np.concatenate([pool.mean(axis=1), pool.max(axis=1)], axis=1)
        moves = squares @ weights["policy"] + weights["policy bias"]
        moves = np.maximum(moves + (pooled @ weights["policy pooled"])[:, None], 0)
        on = (moves @ weights["policy out"])[:, :, 0]
        policy = np.concatenate([on, pooled @ weights["pass"] + weights["pass bias"]], axis=1)
        units = np.maximum(pooled @ weights["value"] + weights["value bias"], 0)
        value = (units @ weights["value out"] + weights["value out bias"])[:, 0]
        kept.update(squares=squares, pool=pool, pooled=pooled, moves=moves, units=units, shape=x.shape)
        return policy, value

    def learn(self, examples: PolicyExamples) -> tuple[float, float]:
        """Set `gradients` to those of the mean loss; return the losses of policy and value.

        That of the policy is less the entropy of its targets.
        """
        count = len(examples)
        losses, gradients = np.zeros(2), {name: np.zeros_like(each) for name, each in self.weights.items()}
        for first in range(0, count, _PORTION):
            losses += self._learn(examples.part(slice(first, first + _PORTION)), count)
            for name, each in self.gradients.items():
                gradients[name] += each.reshape(gradients[name].shape)
        self.gradients = gradients
        return float(losses[0]), float(losses[1])

    def _learn(self, examples: PolicyExamples, count: int) -> tuple[float, float]:
        """The part that some of `count` examples have in `learn`."""
        logits, value = self.forward(examples.planes)
        logits = logits - logits.max(axis=1, keepdims=True)
        logs = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
        known = np.log(np.maximum(examples.policy, 1e-9))
        of_policy = (examples.policy * (known - logs)).sum() / count
        target = (examples.values + 1) / 2
        of_value = (np.logaddexp(0, value) - target * value).sum() / count
        policy_errors = (np.exp(logs) * examples.policy.sum(axis=1, keepdims=True) - examples.policy) / count
        value_errors = (1 / (1 + np.exp(-value)) - target) / count
        self._backward(policy_errors.astype(value.dtype), value_errors.astype(value.dtype))
        return float(of_policy), float(of_value)

    def _convolve(self, name: str, x: Reals, added: Reals | None = None) -> Reals:
        kernel = self.weights[name]
        seen = around(x)
        sums = seen @ kernel.reshape(-1, kernel.shape[-1]) + self.weights[f"{name} bias"]
        sums = sums.reshape(*x.shape[:3], -1)
        out: Reals = np.maximum(sums if added is None else sums + added, 0)
        self._kept[name] = (x.shape, seen, out)
        return out

    def _backward(self, policy: Reals, value: Reals) -> None:
        """Set all gradients, from those of the logits."""
        weights, kept, gradients = self.weights, self._kept, self.gradients
        squares, pool, pooled, moves, units = (
            kept[name] for name in ("squares", "pool", "pooled", "moves", "units")
        )
        gradients["value out"] = units.T @ value[:, None]
        gradients["value out bias"] = value.sum(keepdims=True)
        units_errors = value[:, None] * weights["value out"].T * (units > 0)
        gradients["value"] = pooled.T @ units_errors
        gradients["value bias"] = units_errors.sum(axis=0)
        on, off = policy[:, :-1], policy[:, -1:]
        gradients["pass"] = pooled.T @ off
        gradients["pass bias"] = off.sum(axis=0)
        gradients["policy out"] = np.einsum("bs,bsc->c", on, moves)[:, None]
        moves_errors = on[:, :, None] * weights["policy out"][:, 0] * (moves > 0)
        by_board = moves_errors.sum(axis=1)
        gradients["policy pooled"] = pooled.T @ by_board
        gradients["policy bias"] = by_board.sum(axis=0)
        pooled_errors = (
            units_errors @ weights["value"].T
            + off @ weights["pass"].T
            + by_board @ weights["policy pooled"].T
        )
        pool_errors = self._unpooled(pool, pooled_errors)
        flat = squares.reshape(-1, squares.shape[-1])
        gradients["pool"] = flat.T @ pool_errors.reshape(len(flat), -1)
        gradients["pool bias"] = pool_errors.sum(axis=(0, 1))
        gradients["policy"] = flat.T @ moves_errors.reshape(len(flat), -1)
        back = (pool_errors @ weights["pool"].T + moves_errors @ weights["policy"].T).reshape(kept["shape"])
        for block in reversed(range(self.shape.blocks)):
            back = back * (kept[f"block {block} second"][2] > 0)
            inner = self._convolve_back(f"block {block} second", back)
            inner = inner * (kept[f"block {block} first"][2] > 0)
            back = back + self._convolve_back(f"block {block} first", inner)
        self._convolve_back("input", back * (kept["input"][2] > 0))

    def _unpooled(self, pool: Reals, gradients: Reals) -> Reals:
        """The gradients of what was pooled: all share a mean, the first that has it gets a maximum."""
        half = pool.shape[2]
        back: Reals = np.repeat(gradients[:, None, :half] / pool.shape[1], pool.shape[1], axis=1)
        best = pool.argmax(axis=1)
        boards, channels = np.ogrid[: len(pool), :half]
        back[boards, best, channels] += gradients[:, half:]
        return back * (pool > 0)

    def _convolve_back(self, name: str, back: Reals) -> Reals:
        """Set the gradients of a convolution's weights, from those of its sums; return those of its input."""
        shape, seen, _ = self._kept[name]
        kernel = self.weights[name]
        flat = back.reshape(-1, back.shape[-1])
        self.gradients[name] = (seen.T @ flat).reshape(kernel.shape)
        self.gradients[f"{name} bias"] = flat.sum(axis=0)
        if name == "input":
            return back
        return from_around(flat @ kernel.reshape(-1, kernel.shape[-1]).T, shape)


class NumpyLearner:
    """Learns by Adam, with weights whose moving average is the network that plays."""

    def __init__(self, shape: PolicyShape, weights: Parameters) -> None:
        self.network = NumpyNetwork(shape, {name: values.copy() for name, values in weights.items()})
        self.average = {name: values.copy() for name, values in weights.items()}
        self._means = {name: np.zeros_like(values) for name, values in weights.items()}
        self._squares = {name: np.zeros_like(values) for name, values in weights.items()}
        self.steps = 0

    def learn(self, examples: PolicyExamples, rate: float) -> tuple[float, float]:
        """A step; returns the losses of policy and value before it."""
        losses = self.network.learn(examples)
        self.steps += 1
        gradients = self.network.gradients
        length = float(np.sqrt(sum(float((gradient**2).sum()) for gradient in gradients.values())))
        scale = min(1.0, _LARGEST_GRADIENT / max(length, _TINY))
        keep = min(_AVERAGE, self.steps / (self.steps + 10))
        for name in self.network.weights:
            weight = self.network.weights[name]
            gradient = gradients[name] * np.float32(scale)
            mean, square = self._means[name], self._squares[name]
            mean += (1 - _MEAN_DECAY) * (gradient - mean)
            square += (1 - _SQUARE_DECAY) * (gradient * gradient - square)
            step = mean / (1 - _MEAN_DECAY**self.steps)
            step /= np.sqrt(square / (1 - _SQUARE_DECAY**self.steps)) + _TINY
            weight -= rate * (step + _DECAY * weight)
            self.average[name] += (1 - keep) * (weight - self.average[name])
        return losses

    def state(self) -> LearnerState:
        """See PolicyLearner."""
        weights, average, means, squares = (
            _copied(part, self.network.shape)
            for part in (self.network.weights, self.average, self._means, self._squares)
        )
        return LearnerState(weights, average, means, squares, self.steps)

    def restore(self, state: LearnerState) -> None:
        """See PolicyLearner."""
        shape = self.network.shape
        self.network = NumpyNetwork(shape, _copied(state.weights, shape))
        self.average, self._means = _copied(state.average, shape), _copied(state.means, shape)
        self._squares, self.steps = _copied(state.squares, shape), state.steps


def _copied(parameters: Parameters, shape: PolicyShape) -> Parameters:
    return {name: parameters[name].copy() for name, _ in shape.parameters()}


def turned(
    examples: PolicyExamples, ways: npt.NDArray[np.int64], chance: np.random.Generator
) -> PolicyExamples:
    """Each example turned or mirrored in one of the `ways`, at random; see examples.symmetries."""
    chosen = ways[chance.integers(len(ways), size=len(examples))]
    shape = examples.planes.shape
    squares = examples.planes.reshape(shape[0], -1, shape[-1])
    planes = np.take_along_axis(squares, chosen[:, :, None], axis=1).reshape(shape)
    policy = examples.policy.copy()
    policy[:, :-1] = np.take_along_axis(examples.policy[:, :-1], chosen, axis=1)
    owners = np.take_along_axis(examples.owners, chosen, axis=1)
    return type(examples)(planes, policy, examples.values, owners)
