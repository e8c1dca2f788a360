"""Learning the network with PyTorch, on a GPU or for comparison on the processor.

The positions are dense vectors of zeros and ones: a GPU multiplies matrices faster than it gathers rows.
"""

from typing import Any

import numpy as np
import torch
from torch.nn.functional import one_hot, softplus

from eval.network_shape import MEN_A_BUCKET, OUTPUT_BUCKETS, ROWS
from eval.training import positions
from eval.training.float_network import ADAM, LARGEST, SQUARES, FloatNetwork, Reals
from eval.training.layout import RECORD_WORDS
from eval.training.positions import Examples
from eval.training.training import DescentState, Device, Rows

_KING = 5
_HALVES_A_WORD = 16
_AT_A_TIME = 16384


class TorchDevice(Device):
    """The state's arrays are up to date only after `save`."""

    def __init__(self, state: DescentState, threads: int, decay: float, name: str) -> None:
        """`name`: PyTorch's name of the device; `threads` counts on the processor. Raises ValueError."""
        if name == "cuda" and not torch.cuda.is_available():
            raise ValueError("PyTorch finds no GPU")
        torch.set_num_threads(threads)
        self._device = torch.device(name)
        self._state = state
        self._decay = decay
        self._weights = self._tensors(state.network.values)
        self._means = self._tensors(state.mean)
        self._squares = self._tensors(state.square)

    def take(self, examples: Examples) -> None:
        self._words = self._moved(examples)
        self._targets = torch.from_numpy(examples.targets).to(self._device)

    def learn(self, rows: Rows, rate: float, step: int) -> float:
        chosen = torch.from_numpy(rows.astype(np.int64)).to(self._device)
        for weights in self._weights:
            weights.requires_grad_()
            weights.grad = None
        logits = self._logits(self._weights, self._words[chosen])
        loss = (softplus(logits) - self._targets[chosen] * logits).sum()
        loss.backward()
        for parts in zip(self._weights, self._means, self._squares, strict=True):
            _descend(*parts, rate, self._decay, step, len(rows))
        return float(loss.detach())

    def judge(self, network: FloatNetwork, examples: Examples) -> Reals:
        weights = self._tensors(network.values)
        words = self._moved(examples)
        with torch.no_grad():
            parts = [self._logits(weights, part).cpu().numpy() for part in words.split(_AT_A_TIME)]
        return np.concatenate(parts)

    def save(self) -> None:
        state = self._state
        for values, tensors in (
            (state.network.values, self._weights),
            (state.mean, self._means),
            (state.square, self._squares),
        ):
            hidden, outputs = (tensor.detach().cpu().numpy() for tensor in tensors)
            values[:] = FloatNetwork.joined(state.network.places, hidden, outputs).values

    def _moved(self, examples: Examples) -> Any:
        words: Any = np.asarray(positions.words(examples.records)).view(np.int64)
        return torch.from_numpy(words.reshape(-1, RECORD_WORDS)).to(self._device)

    def _tensors(self, values: Reals) -> tuple[Any, Any]:
        network = self._state.network
        parts = FloatNetwork(network.width, network.places, values)
        hidden, outputs = (torch.from_numpy(part.copy()) for part in (parts.hidden(), parts.outputs()))
        return hidden.to(self._device), outputs.to(self._device)

    def _logits(self, weights: tuple[Any, Any], words: Any) -> Any:
        hidden, outputs = weights
        own, other, men = self._inputs(words)
        units = torch.cat([own @ hidden, other @ hidden], dim=1).clamp(0, 1)
        chosen = one_hot((men - 1) // MEN_A_BUCKET, OUTPUT_BUCKETS).to(torch.float32) @ outputs
        return (units * units * chosen[:, :-1]).sum(dim=1) + chosen[:, -1]

    def _inputs(self, words: Any) -> tuple[Any, Any, Any]:
        """For each position a row of zeros and ones for either side, bias input last; the pieces."""
        places = torch.tensor(self._state.network.places, device=self._device)
        squares = torch.arange(SQUARES, device=self._device)
        there = words[:, :1] >> squares & 1
        place = there.cumsum(dim=1) - there
        halves = words.gather(1, 1 + place // _HALVES_A_WORD) >> 4 * (place % _HALVES_A_WORD) & 15
        kind, colour = halves & 7, halves >> 3
        sides = []
        for us in range(2):
            kings = (there == 1) & (halves == _KING + 8 * us)
            king = kings.to(torch.int8).argmax(dim=1, keepdim=True)
            turn = (king >> 2 & 1) * 7 ^ 56 * us
            rows = places[king ^ turn] * ROWS + ((colour ^ us) * 6 + kind) * SQUARES + (squares ^ turn)
            biases = (max(self._state.network.places) + 1) * ROWS
            seen = torch.zeros(len(words), biases + 1, device=self._device)
            sides.append(seen.scatter_(1, torch.where(there == 1, rows, biases), 1.0))
        return sides[0], sides[1], there.sum(dim=1)


def _descend(weights: Any, mean: Any, square: Any, rate: float, decay: float, step: int, count: int) -> None:
    mean_decay, square_decay, tiny = ADAM
    with torch.no_grad():
        gradient = weights.grad / count
        mean += (1 - mean_decay) * (gradient - mean)
        square += (1 - square_decay) * (gradient * gradient - square)
        direction = mean / (1 - mean_decay**step) / ((square / (1 - square_decay**step)).sqrt() + tiny)
        weights *= 1 - rate * decay
        weights -= rate * direction
        weights.clamp_(-LARGEST, LARGEST)
