"""Where a network learns while it plays: on the processor alone, or wherever PyTorch does."""

from __future__ import annotations

import sys
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

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
    learner: PolicyLearner = _torch_loop().torch_learner(
        _torch_name(name), first, shape, weights, window, seed
    )
    return learner


def torch_player(
    name: str, terms: PlayingTerms, threads: int
) -> Callable[[], JobWorker[PlayingJob, PlayedPortion]]:
    """A picklable factory of workers that evaluate with PyTorch. Raises DeviceError."""
    evaluators = partial(_torch_loop().torch_evaluators, terms, _torch_name(name), threads)
    return partial(ThreadsPlayer, terms, evaluators)


def _torch_loop() -> Any:
    """The module that imports PyTorch, which is an extra. Raises DeviceError."""
    try:
        return import_module("scripts.laboratory.policy.torch_loop")
    except ImportError:
        raise DeviceError(f"PyTorch is not installed: {sys.executable} -m pip install torch") from None


def _torch_name(name: str) -> str:
    return "cuda" if name == CUDA else "cpu"
