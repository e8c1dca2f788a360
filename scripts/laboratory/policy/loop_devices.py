"""Where a network learns while it plays: on the processor alone, or wherever PyTorch does."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from eval.learning.devices import CUDA, PROCESSOR, DeviceError
from scripts.laboratory.policy.numpy_loop import NumpyLoopLearner, OwnEvaluator

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.games.compiled.network_shape import PolicyShape
    from engine.games.rules.compiled_state import CompiledState
    from scripts.laboratory.policy.float_network import Parameters
    from scripts.laboratory.policy.learning_loop import PolicyLearner
    from scripts.laboratory.policy.lockstep import LeafEvaluator


def open_loop_device(
    name: str,
    first: CompiledState,
    shape: PolicyShape,
    weights: Parameters,
    window: int,
    evaluators: tuple[int, int],
    seed: int,
) -> tuple[PolicyLearner, Sequence[LeafEvaluator]]:
    """What learns on one of `eval.learning.devices.DEVICES`, and what evaluates there.

    `evaluators`: how many, and for how many positions at a time each of them. Raises DeviceError.
    """
    count, rows = evaluators
    if name == PROCESSOR:
        learner = NumpyLoopLearner(first, shape, weights, window, seed)
        return learner, [OwnEvaluator(first, shape, weights, rows) for _ in range(count)]
    try:
        from scripts.laboratory.policy.torch_loop import torch_loop  # noqa: PLC0415 - an extra
    except ImportError:
        raise DeviceError(f"PyTorch is not installed: {sys.executable} -m pip install torch") from None
    return torch_loop("cuda" if name == CUDA else "cpu", first, shape, weights, window, evaluators, seed)
