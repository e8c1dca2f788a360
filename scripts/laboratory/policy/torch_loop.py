"""Learning with PyTorch, on a GPU: the examples stay there, too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from eval.learning.devices import DeviceError
from scripts.laboratory.policy.examples import symmetries
from scripts.laboratory.policy.learnable_games import first_state
from scripts.laboratory.policy.torch_network import TorchEvaluator, TorchLearner, prepare

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.games.compiled.network_shape import PolicyShape
    from engine.games.rules.compiled_state import CompiledState
    from scripts.laboratory.policy.examples import PolicyExamples
    from scripts.laboratory.policy.float_network import Parameters
    from scripts.laboratory.policy.learner_state import LearnerState
    from scripts.laboratory.policy.playing_workers import PlayingTerms


class Window:
    """The latest examples, on the device, in a ring."""

    def __init__(self, first: CompiledState, size: int, device: str) -> None:
        squares = first.plane_rows * first.plane_columns
        kind = torch.float16 if device == "cuda" else torch.float32
        self._device = torch.device(device)
        self.size = size
        self.added = 0
        self._planes = torch.zeros((size, squares, first.plane_count), dtype=kind, device=device)
        self._policy = torch.zeros((size, squares + 1), dtype=kind, device=device)
        self._values = torch.zeros(size, device=device)
        self._owners = torch.zeros((size, squares), dtype=kind, device=device)
        self._ways = torch.from_numpy(symmetries(first)).to(device)
        self._board = (first.plane_rows, first.plane_columns)

    def add(self, examples: PolicyExamples) -> None:
        """Let examples take the places of the oldest."""
        places = (torch.arange(len(examples)) + self.added) % self.size
        places = places.to(self._device)
        planes = torch.from_numpy(examples.planes).to(self._device).to(self._planes.dtype)
        self._planes[places] = planes.reshape(len(examples), -1, planes.shape[-1])
        self._policy[places] = torch.from_numpy(examples.policy).to(self._device).to(self._policy.dtype)
        self._values[places] = torch.from_numpy(examples.values).to(self._device)
        self._owners[places] = torch.from_numpy(examples.owners).to(self._device).to(self._owners.dtype)
        self.added += len(examples)

    def draw(self, count: int, latest: int) -> tuple[Any, Any, Any, Any]:
        """Examples among the `latest`, each turned or mirrored at random."""
        latest = min(latest, self.added, self.size)
        back = torch.randint(latest, (count,), device=self._device)
        rows = (self.added - 1 - back) % self.size
        squares = self._ways[torch.randint(len(self._ways), (count,), device=self._device)]
        at = rows[:, None]
        planes = self._planes[at, squares].float().reshape(count, *self._board, -1)
        policy = torch.cat([self._policy[at, squares], self._policy[rows, -1:]], dim=1).float()
        owners = self._owners[at, squares].float().reshape(count, *self._board)
        return planes, policy, self._values[rows], owners


class TorchLoopLearner:
    """See PolicyLearner."""

    def __init__(
        self,
        first: CompiledState,
        shape: PolicyShape,
        parameters: Parameters,
        window: int,
        device: str,
        seed: int = 0,
    ) -> None:
        """`window`: the number of the latest examples that are kept."""
        self._learner = TorchLearner(shape, parameters, device, seed)
        self._window = Window(first, window, device)

    @property
    def added(self) -> int:
        """See PolicyLearner."""
        return self._window.added

    def add(self, examples: PolicyExamples) -> None:
        """See PolicyLearner."""
        self._window.add(examples)

    def learn(self, count: int, latest: int, rate: float) -> Any:
        """See PolicyLearner."""
        return self._learner.learn(*self._window.draw(count, latest), rate)

    def mean(self, losses: Sequence[Any]) -> list[float]:
        """See PolicyLearner."""
        found: list[float] = torch.stack(list(losses)).mean(dim=0).tolist()
        return found

    def parameters(self) -> Parameters:
        """See PolicyLearner."""
        return self._learner.parameters()

    def state(self) -> LearnerState:
        """See PolicyLearner."""
        return self._learner.state()

    def restore(self, state: LearnerState) -> None:
        """See PolicyLearner."""
        self._learner.restore(state)


def torch_learner(
    device: str, first: CompiledState, shape: PolicyShape, weights: Parameters, window: int, seed: int
) -> TorchLoopLearner:
    """See loop_devices. Raises DeviceError."""
    if device == "cuda" and not torch.cuda.is_available():
        raise DeviceError("PyTorch finds no GPU")
    prepare(device)
    return TorchLoopLearner(first, shape, weights, window, device, seed)


def torch_evaluators(
    terms: PlayingTerms, device: str, count: int, weights: Parameters
) -> list[TorchEvaluator]:
    """So many evaluators, in a process that has not used PyTorch before."""
    prepare(device)
    first = first_state(terms.game, terms.size)
    board = first.plane_rows, first.plane_columns
    return [TorchEvaluator(terms.shape, weights, board, terms.rows, device) for _ in range(count)]
