"""The network in PyTorch: for learning on a GPU, and for evaluating many leaves at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.nn import functional

from scripts.laboratory.policy.learner_state import LearnerState

if TYPE_CHECKING:
    from engine.games.compiled.network_shape import PolicyShape
    from scripts.laboratory.policy.float_network import Parameters

_MEAN_DECAY, _SQUARE_DECAY = 0.9, 0.99
_DECAY = 0.03  # of weights, times the rate
_AVERAGE = 0.998  # a step's weight in the moving average of the weights is 1 less this
_OWNERS = 0.3  # the weight of the loss of the owners of squares
_LARGEST_GRADIENT = 1.0  # of all parameters together
_OWNERS_OUT = "owners"  # what only learning needs


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


def _is_kernel(name: str) -> bool:
    """Whether PyTorch has the weights as a convolution."""
    return name in {"input", "pool", "policy", "policy out"} or name.endswith(("first", "second"))


def to_torch(parameters: Parameters, device: Any) -> dict[str, Any]:
    """Tensors; kernels as outputs, inputs, rows, columns."""
    made = {}
    for name, values in parameters.items():
        tensor = torch.from_numpy(np.ascontiguousarray(values))
        if _is_kernel(name):
            kernel = tensor.reshape(1, 1, *tensor.shape) if tensor.ndim == 2 else tensor
            tensor = kernel.permute(3, 2, 0, 1).contiguous(memory_format=torch.channels_last)
        made[name] = tensor.to(device, copy=True)
    return made


def to_numpy(weights: dict[str, Any], shape: PolicyShape) -> Parameters:
    """The opposite of `to_torch`."""
    made = {}
    for name, size in shape.parameters():
        tensor = weights[name].detach().float().cpu()
        if _is_kernel(name):
            tensor = tensor.permute(2, 3, 1, 0)
        made[name] = np.array(tensor.numpy().reshape(size), order="C")
    return made


class TorchLearner:
    """Learns by Adam, with weights whose moving average is the network that plays."""

    def __init__(self, shape: PolicyShape, parameters: Parameters, device: str, seed: int = 0) -> None:
        self.shape = shape
        self._device = torch.device(device)
        self._half = device == "cuda"
        self.weights = to_torch(parameters, self._device)
        torch.manual_seed(seed)
        self.weights[_OWNERS_OUT] = torch.zeros(1, shape.channels, 1, 1, device=self._device)
        for weight in self.weights.values():
            weight.requires_grad_()
        self.average = {name: weight.detach().clone() for name, weight in self.weights.items()}
        self._adam = torch.optim.AdamW(
            [*self.weights.values()],
            betas=(_MEAN_DECAY, _SQUARE_DECAY),
            weight_decay=_DECAY,
            fused=self._half,
        )
        self._steps = 0

    def learn(self, planes: Any, policy: Any, value: Any, owners: Any, rate: float) -> Any:
        """A step on tensors of this device; returns the losses of policy, value and owners, a tensor.

        `policy` are probabilities, `value` from -1 to 1 for the player to move, `owners` too, by square.
        """
        for group in self._adam.param_groups:
            group["lr"] = rate
        with torch.autocast(self._device.type, torch.bfloat16, enabled=self._half):
            logits, value_logits, features = forward(self.weights, self.shape.blocks, planes)
            owner_logits = functional.conv2d(features, self.weights[_OWNERS_OUT])[:, 0]
        of_policy = -(policy * functional.log_softmax(logits.float(), dim=1)).sum(dim=1).mean()
        entropy = -(policy * policy.clamp_min(1e-9).log()).sum(dim=1).mean()
        of_value = functional.binary_cross_entropy_with_logits(value_logits.float(), (value + 1) / 2)
        of_owners = functional.binary_cross_entropy_with_logits(owner_logits.float(), (owners + 1) / 2)
        self._adam.zero_grad(set_to_none=True)
        (of_policy + of_value + _OWNERS * of_owners).backward()
        torch.nn.utils.clip_grad_norm_([*self.weights.values()], _LARGEST_GRADIENT)
        self._adam.step()
        self._steps += 1
        keep = min(_AVERAGE, self._steps / (self._steps + 10))
        with torch.no_grad():
            names = [*self.weights]
            torch._foreach_lerp_(
                [self.average[name] for name in names], [self.weights[name] for name in names], 1 - keep
            )
        return torch.stack([of_policy.detach() - entropy, of_value.detach(), of_owners.detach()])

    def parameters(self) -> Parameters:
        """The moving average, as it plays."""
        return to_numpy(self.average, self.shape)

    def state(self) -> LearnerState:
        """See PolicyLearner."""
        kept = [self._adam.state[weight] for weight in self.weights.values()]
        means, squares = (
            {
                name: each.get(key, torch.zeros_like(self.weights[name]))
                for name, each in zip(self.weights, kept, strict=True)
            }
            for key in ("exp_avg", "exp_avg_sq")
        )
        weights, average = self._saved(self.weights), self._saved(self.average)
        return LearnerState(weights, average, self._saved(means), self._saved(squares), self._steps)

    def restore(self, state: LearnerState) -> None:
        """See PolicyLearner."""
        weights, average, means, squares = (
            self._restored(part) for part in (state.weights, state.average, state.means, state.squares)
        )
        self._steps = state.steps
        steps = torch.tensor(float(state.steps), device=self._device if self._half else None)
        with torch.no_grad():
            for name, weight in self.weights.items():
                weight.copy_(weights[name])
                self.average[name].copy_(average[name])
                self._adam.state[weight] = {
                    "step": steps.clone(),
                    "exp_avg": means[name],
                    "exp_avg_sq": squares[name],
                }

    def _saved(self, part: dict[str, Any]) -> Parameters:
        return {**to_numpy(part, self.shape), _OWNERS_OUT: part[_OWNERS_OUT].detach().cpu().numpy().copy()}

    def _restored(self, part: Parameters) -> dict[str, Any]:
        known = to_torch({name: part[name] for name, _ in self.shape.parameters()}, self._device)
        size = tuple(self.weights[_OWNERS_OUT].shape)
        owners = part.get(_OWNERS_OUT, np.zeros(size, np.float32)).reshape(size)
        return {**known, _OWNERS_OUT: torch.from_numpy(owners.copy()).to(self._device)}


class TorchEvaluator:
    """Evaluates up to `rows` positions at a time, always the same number, on a GPU as one recorded graph."""

    def __init__(
        self, shape: PolicyShape, parameters: Parameters, board: tuple[int, int], rows: int, device: str
    ) -> None:
        self._device = torch.device(device)
        self._blocks = shape.blocks
        self._on_gpu = device == "cuda"
        kind = torch.float16 if self._on_gpu else torch.float32
        self._weights = {name: weight.to(kind) for name, weight in to_torch(parameters, self._device).items()}
        places = board[0] * board[1] + 1
        sizes = ((rows, *board, shape.planes), (rows, places), (rows,))
        here = [torch.zeros(size, pin_memory=self._on_gpu) for size in sizes]
        self._here = here
        self.planes, self.policy, self.values = (tensor.numpy() for tensor in here)
        self._there = [torch.zeros(size, device=self._device) for size in sizes]
        self._graph: Any = None
        if self._on_gpu:
            self._record()

    def replace(self, weights: Parameters) -> None:
        """Go on with other weights."""
        replacing = to_torch(weights, self._device)
        with torch.no_grad():
            for name, weight in self._weights.items():
                weight.copy_(replacing[name])

    def evaluate(self, count: int | None = None) -> None:
        """Fill `policy` and `values` from `planes`, always all of them."""
        del count
        planes, policy, values = self._there
        if not self._on_gpu:
            with torch.no_grad():
                planes.copy_(self._here[0])
                self._run()
                self._here[1].copy_(policy)
                self._here[2].copy_(values)
            return
        with torch.no_grad(), torch.cuda.stream(self._stream):
            planes.copy_(self._here[0], non_blocking=True)
            self._graph.replay()
            self._here[1].copy_(policy, non_blocking=True)
            self._here[2].copy_(values, non_blocking=True)
            self._done.record(self._stream)
        self._done.synchronize()

    def _record(self) -> None:
        """Record what the GPU is to do, so that a single call starts all of it."""
        self._stream = torch.cuda.Stream()
        self._done = torch.cuda.Event(blocking=True)
        torch.cuda.synchronize()
        with torch.no_grad(), torch.cuda.stream(self._stream):
            for _ in range(3):
                self._run()
            self._stream.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, stream=self._stream):
                self._run()
        self._graph = graph
        torch.cuda.synchronize()

    def _run(self) -> None:
        planes, policy, values = self._there
        logits, value_logits, _ = forward(
            self._weights, self._blocks, planes.to(self._weights["input"].dtype)
        )
        policy.copy_(logits)
        values.copy_(torch.tanh(value_logits.float() / 2))


def prepare(device: str) -> None:
    """Settings of PyTorch in a process that learns or evaluates: each thread of ours uses one processor."""
    if device == "cuda":
        torch.backends.cudnn.benchmark = True
    else:
        torch.set_num_threads(1)
