"""Where a network learns while it plays: on the processor alone, or wherever PyTorch does."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING

from eval.learning.devices import CUDA, PROCESSOR, DeviceError
from scripts.laboratory.policy.numpy_loop import NumpyLoopLearner
from scripts.laboratory.policy.threads_player import ThreadsPlayer

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.games.compiled.network_shape import PolicyShape
    from engine.games.rules.compiled_state import CompiledState
    from scripts.laboratory.jobs import JobWorker
    from scripts.laboratory.policy.float_network import Parameters
    from scripts.laboratory.policy.learning_loop import PolicyLearner
    from scripts.laboratory.policy.playing_workers import PlayedPortion, PlayingJob, PlayingTerms


def open_learner(
    name: str, first: CompiledState, shape: PolicyShape, weights: Parameters, window: int, seed: int
) -> PolicyLearner:
    """What learns on one of `eval.learning.devices.DEVICES`. Raises DeviceError."""
    if name == PROCESSOR:
        return NumpyLoopLearner(first, shape, weights, window, seed)
    try:
        from scripts.laboratory.policy.torch_loop import torch_learner  # noqa: PLC0415 - an extra
    except ImportError:
        raise DeviceError(f"PyTorch is not installed: {sys.executable} -m pip install torch") from None
    return torch_learner(_torch_name(name), first, shape, weights, window, seed)


def torch_player(
    name: str, terms: PlayingTerms, threads: int
) -> Callable[[], JobWorker[PlayingJob, PlayedPortion]]:
    """A picklable factory of workers that evaluate with PyTorch.

    Call `open_learner` first: it raises DeviceError where PyTorch is missing.
    """
    from scripts.laboratory.policy.torch_loop import torch_evaluators  # noqa: PLC0415 - an extra

    return partial(ThreadsPlayer, terms, partial(torch_evaluators, terms, _torch_name(name), threads))


def _torch_name(name: str) -> str:
    return "cuda" if name == CUDA else "cpu"
