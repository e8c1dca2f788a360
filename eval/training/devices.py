"""Where a network learns: on the processor, by the compiled trainer, or wherever PyTorch does."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from eval.training import records
from eval.training.float_network import LARGEST
from eval.training.network_learning import ADAM
from eval.training.trainer import AdamSteps, Backpropagation

if TYPE_CHECKING:
    import numpy.typing as npt

    from eval.training.float_network import FloatNetwork
    from eval.training.network_learning import DescentState, LearningDevice, NetworkExamples, Rows

    Reals = npt.NDArray[np.float32]

PROCESSOR, TORCH_PROCESSOR, CUDA = "cpu", "cpu-torch", "cuda"
DEVICES = (PROCESSOR, TORCH_PROCESSOR, CUDA)


class DeviceError(ValueError):
    """A device cannot be used. The message says why."""


def open_device(name: str, examples: NetworkExamples, state: DescentState, threads: int) -> LearningDevice:
    """One of DEVICES. Raises DeviceError where it is not there."""
    if name == PROCESSOR:
        return Processor(examples, state, threads)
    try:
        from eval.training.torch_device import TorchDevice  # noqa: PLC0415 - an extra
    except ImportError:
        raise DeviceError(f"PyTorch is not installed: {sys.executable} -m pip install torch") from None
    return TorchDevice(examples, state, threads, "cuda" if name == CUDA else "cpu")


class Processor:
    """The processor, with `threads` threads of the compiled trainer."""

    def __init__(self, examples: NetworkExamples, state: DescentState, threads: int) -> None:
        self._words = records.words(examples.records)
        self._targets = examples.targets
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads)
        gradients = np.zeros((threads, len(state.network.values)), np.float32)
        self._parts = shares(gradients.shape[1], threads)
        self._backward = [_backpropagation(state.network, each) for each in gradients]
        values = state.network.values
        self._adam = AdamSteps(values, gradients.ravel(), state.mean, state.square, ADAM, LARGEST)

    def learn(self, rows: Rows, rate: float, step: int) -> float:
        """See `LearningDevice`."""

        def add_up(thread: int, share: tuple[int, int]) -> float:
            loss: float = self._backward[thread].learn(self._words, self._targets, rows, *share)
            return loss

        def descend(part: tuple[int, int]) -> None:
            self._adam.step(rate, step, len(rows), *part)

        losses = [*self._pool.map(add_up, range(self._threads), shares(len(rows), self._threads))]
        for _ in self._pool.map(descend, self._parts):
            pass
        return sum(losses)

    def judge(self, network: FloatNetwork, rows: Rows) -> Reals:
        """See `LearningDevice`."""
        logits = np.empty(len(rows), np.float32)

        def work(share: tuple[int, int]) -> None:
            _backpropagation(network, np.empty_like(network.values)).judge(self._words, rows, logits, *share)

        for _ in self._pool.map(work, shares(len(rows), self._threads)):
            pass
        return logits

    def save(self) -> None:
        """See `LearningDevice`: the arrays of the state are those that learn."""


def shares(length: int, count: int) -> list[tuple[int, int]]:
    """The numbers below `length` in `count` ranges of about the same size."""
    return list(pairwise(length * number // count for number in range(count + 1)))


def _backpropagation(network: FloatNetwork, gradients: Reals) -> Backpropagation:
    return Backpropagation(network.values, gradients, network.width, network.places)
