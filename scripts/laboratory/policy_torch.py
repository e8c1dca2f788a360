"""The network in PyTorch: how it learns, and how a GPU evaluates the leaves of many games at once."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

import numpy as np
import torch
from torch.nn import functional

from engine.games.networks.network import PolicyShape
from engine.games.rules.compiled_state import CompiledState
from engine.system.files import writing
from scripts.laboratory.policy import LoopPlan, PolicyExamples, symmetries

_MEAN_DECAY, _SQUARE_DECAY = 0.9, 0.99
_DECAY = 0.03  # of weights, times the rate
_OWNERS = 0.3  # the weight of the loss of the owners of squares
_LARGEST_GRADIENT = 1.0  # of all weights together
_MATRICES = ("pool", "policy", "policy out")  # that PyTorch has as convolutions of one square


def arranged(shape: PolicyShape, weights: Any) -> dict[str, Any]:
    """Views, by name, of a tensor that has the arrays in order. Kernels: outputs, inputs, rows, columns."""
    made = {}
    parts = weights.split([prod(size) for _, size in shape.parameters()])
    for (name, size), part in zip(shape.parameters(), parts, strict=True):
        array = part.reshape((1, 1, *size) if name in _MATRICES else size)
        made[name] = array.permute(3, 2, 0, 1) if array.ndim == 4 else array
    return made


def forward(weights: dict[str, Any], blocks: int, planes: Any) -> tuple[Any, Any, Any]:
    """Policy logits, value logits and the last features, channels first, of planes with channels last."""
    x = planes.permute(0, 3, 1, 2)

    def convolve(x: Any, name: str) -> Any:
        return functional.conv2d(
            x, weights[name], weights[f"{name} bias"], padding=weights[name].shape[2] // 2
        )

    x = functional.relu(convolve(x, "input"))
    for block in range(blocks):
        inner = functional.relu(convolve(x, f"block {block} first"))
        x = functional.relu(x + convolve(inner, f"block {block} second"))
    pool = functional.relu(convolve(x, "pool"))
    pooled = torch.cat([pool.mean(dim=(2, 3)), pool.amax(dim=(2, 3))], dim=1)
    inner = convolve(x, "policy") + (pooled @ weights["policy pooled"])[:, :, None, None]
    squares = functional.conv2d(functional.relu(inner), weights["policy out"])
    off = pooled @ weights["pass"] + weights["pass bias"]
    policy = torch.cat([squares.flatten(1), off], dim=1)
    inner = functional.relu(pooled @ weights["value"] + weights["value bias"])
    value = (inner @ weights["value out"] + weights["value out bias"])[:, 0]
    return policy, value, x


class Window:
    def __init__(self, first: CompiledState, size: int, device: str) -> None:
        squares = first.plane_rows * first.plane_columns
        kind = torch.float16 if device == "cuda" else torch.float32
        self.size, self.added = size, 0
        self._device = device
        self._planes = torch.zeros((size, squares, first.plane_count), dtype=kind, device=device)
        self._policy = torch.zeros((size, squares + 1), dtype=kind, device=device)
        self._values = torch.zeros(size, device=device)
        self._owners = torch.zeros((size, squares), dtype=kind, device=device)
        self._ways = torch.from_numpy(symmetries(first)).to(device)
        self._board = (first.plane_rows, first.plane_columns)

    def add(self, examples: PolicyExamples) -> None:
        places = ((torch.arange(len(examples)) + self.added) % self.size).to(self._device)
        planes = examples.planes.reshape(len(examples), -1, examples.planes.shape[-1])
        for kept, new in (
            (self._planes, planes),
            (self._policy, examples.policy),
            (self._values, examples.values),
            (self._owners, examples.owners),
        ):
            kept[places] = torch.from_numpy(new).to(self._device).to(kept.dtype)
        self.added += len(examples)

    def draw(self, count: int, latest: int) -> tuple[Any, Any, Any, Any]:
        """Some of the `latest`, each turned or mirrored at random: planes, policy, values, owners."""
        back = torch.randint(min(latest, self.added, self.size), (count,), device=self._device)
        rows = (self.added - 1 - back) % self.size
        squares = self._ways[torch.randint(len(self._ways), (count,), device=self._device)]
        at = rows[:, None]
        planes = self._planes[at, squares].float().reshape(count, *self._board, -1)
        policy = torch.cat([self._policy[at, squares], self._policy[rows, -1:]], dim=1).float()
        owners = self._owners[at, squares].float().reshape(count, *self._board)
        return planes, policy, self._values[rows], owners


class TorchLearner:
    """Learns by Adam from its window of examples. What plays is the moving average of its weights."""

    def __init__(
        self, first: CompiledState, shape: PolicyShape, plan: LoopPlan, weights: Any, device: str, seed: int
    ) -> None:
        """`weights`: see policy.drawn; `device`: `cpu` or `cuda`."""
        if device == "cpu":
            torch.set_num_threads(1)
        torch.manual_seed(seed)
        self.steps = 0
        self.window = Window(first, plan.window, device)
        self._shape, self._device, self._most_average = shape, device, plan.average
        self._weights = torch.tensor(np.asarray(weights), device=device, requires_grad=True)
        self._owners = torch.zeros(1, shape.channels, 1, 1, device=device, requires_grad=True)
        self._average = self._weights.detach().clone()
        self._adam = torch.optim.AdamW(
            [self._weights, self._owners], betas=(_MEAN_DECAY, _SQUARE_DECAY), weight_decay=_DECAY
        )

    def learn(self, count: int, latest: int, rate: float) -> Any:
        """The losses of policy (less the entropy of its targets), value and owners, a tensor."""
        return self.step(*self.window.draw(count, latest), rate)

    def step(self, planes: Any, policy: Any, value: Any, owners: Any, rate: float) -> Any:
        """As `learn`; tensors of this device. `value` and `owners` are from -1 to 1, see PolicyExamples."""
        for group in self._adam.param_groups:
            group["lr"] = rate
        with torch.autocast(self._device, torch.bfloat16, enabled=self._device == "cuda"):
            arrays = arranged(self._shape, self._weights)
            logits, value_logits, features = forward(arrays, self._shape.blocks, planes)
            owner_logits = functional.conv2d(features, self._owners)[:, 0]
        of_policy = -(policy * functional.log_softmax(logits.float(), dim=1)).sum(dim=1).mean()
        entropy = -(policy * policy.clamp_min(1e-9).log()).sum(dim=1).mean()
        of_value = functional.binary_cross_entropy_with_logits(value_logits.float(), (value + 1) / 2)
        of_owners = functional.binary_cross_entropy_with_logits(owner_logits.float(), (owners + 1) / 2)
        self._adam.zero_grad(set_to_none=True)
        (of_policy + of_value + _OWNERS * of_owners).backward()
        torch.nn.utils.clip_grad_norm_([self._weights, self._owners], _LARGEST_GRADIENT)
        self._adam.step()
        self.steps += 1
        keep = min(self._most_average, self.steps / (self.steps + 10))
        self._average.lerp_(self._weights.detach(), 1 - keep)
        return torch.stack([of_policy.detach() - entropy, of_value.detach(), of_owners.detach()])

    def mean(self, losses: Sequence[Any]) -> list[float]:
        found: list[float] = torch.stack([*losses]).mean(dim=0).tolist()
        return found

    def weights(self) -> bytes:
        """The moving average, which plays: float32, see policy.drawn."""
        found: bytes = self._average.cpu().numpy().tobytes()
        return found

    def save(self, path: Path) -> None:
        state = {
            "weights": self._weights.detach(),
            "owners": self._owners.detach(),
            "average": self._average,
            "adam": self._adam.state_dict(),
            "steps": self.steps,
        }
        with writing(path) as file:
            torch.save(state, file)

    def load(self, path: Path) -> None:
        try:
            with ZipFile(path) as parts:
                damaged = parts.testzip()  # PyTorch does not look at the checksums
            if damaged is None:
                state = torch.load(path, map_location=self._device, weights_only=True)
        except (BadZipFile, EOFError, NotImplementedError, RuntimeError, ValueError):
            damaged = "all"
        if damaged is not None:
            raise ValueError(f"{path}: not the state of a network that learns, or damaged")
        if state["weights"].shape != self._weights.shape:
            raise ValueError(f"{path}: the state of another network")
        with torch.no_grad():
            self._weights.copy_(state["weights"])
            self._owners.copy_(state["owners"])
            self._average.copy_(state["average"])
        self._adam.load_state_dict(state["adam"])
        self.steps = state["steps"]


class GpuEvaluator:
    """As policy.OwnEvaluator, always for all `rows`, as one recorded graph."""

    def __init__(self, first: CompiledState, shape: PolicyShape, weights: bytes, rows: int) -> None:
        torch.backends.cudnn.benchmark = True
        board = (first.plane_rows, first.plane_columns)
        sizes = ((rows, *board, shape.planes), (rows, board[0] * board[1] + 1), (rows,))
        self._shape = shape
        self._here = [torch.zeros(size, pin_memory=True) for size in sizes]
        self.planes, self.policy, self.values = (tensor.numpy() for tensor in self._here)
        self._there = [torch.zeros(size, device="cuda") for size in sizes]
        self._weights = {
            name: torch.empty(array.shape, dtype=torch.float16, device="cuda").contiguous(
                memory_format=torch.channels_last if array.ndim == 4 else torch.contiguous_format
            )
            for name, array in self._arranged(weights).items()
        }
        self.replace(weights)
        self._record()

    def _arranged(self, weights: bytes) -> dict[str, Any]:
        return arranged(self._shape, torch.frombuffer(bytearray(weights), dtype=torch.float32).cuda())

    def replace(self, weights: bytes) -> None:
        for name, array in self._arranged(weights).items():
            self._weights[name].copy_(array)

    def evaluate(self, count: int | None = None) -> None:
        del count
        with torch.no_grad(), torch.cuda.stream(self._stream):
            self._there[0].copy_(self._here[0], non_blocking=True)
            self._graph.replay()
            for here, there in zip(self._here[1:], self._there[1:], strict=True):
                here.copy_(there, non_blocking=True)
            self._done.record(self._stream)
        self._done.synchronize()

    def _record(self) -> None:
        cuda: Any = torch.cuda  # its types are incomplete
        self._stream = cuda.Stream()
        self._done = cuda.Event(blocking=True)
        torch.cuda.synchronize()
        with torch.no_grad(), torch.cuda.stream(self._stream):
            for _ in range(3):
                self._run()
            self._stream.synchronize()
            self._graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self._graph, stream=self._stream):
                self._run()
        torch.cuda.synchronize()

    def _run(self) -> None:
        planes, policy, values = self._there
        logits, value_logits, _ = forward(self._weights, self._shape.blocks, planes.half())
        policy.copy_(logits)
        values.copy_(torch.tanh(value_logits.float() / 2))
