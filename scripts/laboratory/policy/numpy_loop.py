"""Learning with NumPy, where the engine's own loops evaluate: on processors alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.games.compiled.policy_network import PolicyNetwork
from scripts.laboratory.policy.examples import PolicyExamples, symmetries
from scripts.laboratory.policy.float_network import flat, numbers_of
from scripts.laboratory.policy.numpy_network import NumpyLearner, turned

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.games.compiled.network_shape import PolicyShape
    from engine.games.rules.compiled_state import CompiledState
    from scripts.laboratory.policy.float_network import Parameters
    from scripts.laboratory.policy.learner_state import LearnerState


class OwnEvaluator:
    """The engine's own network, see LeafEvaluator, for up to `rows` positions at a time."""

    def __init__(self, first: CompiledState, shape: PolicyShape, weights: Parameters, rows: int) -> None:
        board = (first.plane_rows, first.plane_columns)
        self._shape, self._board = shape, board
        self.planes = np.zeros((rows, *board, shape.planes), np.float32)
        self.policy = np.zeros((rows, board[0] * board[1] + 1), np.float32)
        self.values = np.zeros(rows, np.float32)
        self._buffers = flat((self.planes, self.policy, self.values))
        self.replace(weights)

    def replace(self, weights: Parameters) -> None:
        """Go on with other weights."""
        self._network = PolicyNetwork(self._shape, numbers_of(self._shape, weights), *self._board)

    def evaluate(self, count: int | None = None) -> None:
        """Fill `policy` and `values` from `planes`, all of them or the first `count`."""
        planes, policy, values = self._buffers
        rows = len(self.values) if count is None else count
        self._network.evaluate(planes, rows, policy, values)


class NumpyLoopLearner:
    """See PolicyLearner."""

    def __init__(
        self, first: CompiledState, shape: PolicyShape, weights: Parameters, window: int, seed: int = 0
    ) -> None:
        """`window`: the number of the latest examples that are kept."""
        squares = first.plane_rows * first.plane_columns
        self.added = 0
        self._size = window
        self._learner = NumpyLearner(shape, weights)
        self._kept = PolicyExamples(
            np.zeros((window, first.plane_rows, first.plane_columns, first.plane_count), np.float32),
            np.zeros((window, squares + 1), np.float32),
            np.zeros(window, np.float32),
            np.zeros((window, squares), np.float32),
        )
        self._ways = symmetries(first)
        self._chance = np.random.default_rng(seed)

    def add(self, examples: PolicyExamples) -> None:
        """See PolicyLearner."""
        places = (np.arange(len(examples)) + self.added) % self._size
        kept = self._kept
        kept.planes[places] = examples.planes
        kept.policy[places] = examples.policy
        kept.values[places] = examples.values
        kept.owners[places] = examples.owners
        self.added += len(examples)

    def learn(self, count: int, latest: int, rate: float) -> tuple[float, float]:
        """See PolicyLearner."""
        back = self._chance.integers(min(latest, self.added, self._size), size=count)
        rows = (self.added - 1 - back) % self._size
        return self._learner.learn(turned(self._kept.part(rows), self._ways, self._chance), rate)

    def mean(self, losses: Sequence[tuple[float, float]]) -> list[float]:
        """See PolicyLearner."""
        found: list[float] = np.mean(losses, axis=0).tolist()
        return found

    def parameters(self) -> Parameters:
        """See PolicyLearner."""
        return {name: values.copy() for name, values in self._learner.average.items()}

    def state(self) -> LearnerState:
        """See PolicyLearner."""
        return self._learner.state()

    def restore(self, state: LearnerState) -> None:
        """See PolicyLearner."""
        self._learner.restore(state)
