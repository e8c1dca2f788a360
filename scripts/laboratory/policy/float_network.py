"""A network with a policy and a value in numbers that can be learned: its shape, and the first weights.

    x = relu(conv3(planes))                                    `channels` numbers for each square
    x = relu(x + conv3(relu(conv3(x))))                        `blocks` times
    pooled = mean and maximum over the squares of relu(conv1(x)), `pooled` channels
    policy of a square: conv1(relu(conv1(x) + dense(pooled))); off the squares: dense(pooled)
    value = tanh(dense(relu(dense(pooled))) / 2)

So it fits boards of every size. There is no normalisation: the second convolution of a block begins with
zeros, as in Zhang, Dauphin and Ma, "Fixup initialization" (2019).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Reals: TypeAlias = npt.NDArray[np.float32]
Parameters: TypeAlias = dict[str, Reals]


@dataclass(frozen=True, slots=True)
class NetworkShape:
    """How many planes there are, channels, blocks, channels that are pooled, and units before the value."""

    planes: int
    channels: int = 32
    blocks: int = 4
    pooled: int = 32
    hidden: int = 32

    def parameters(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        """The name and the shape of each array of weights, in the order of files.

        Kernels are rows, columns, inputs and outputs; matrices inputs and outputs.
        """
        wide = self.channels
        yield "input", (3, 3, self.planes, wide)
        yield "input bias", (wide,)
        for block in range(self.blocks):
            for half in ("first", "second"):
                yield f"block {block} {half}", (3, 3, wide, wide)
                yield f"block {block} {half} bias", (wide,)
        yield "pool", (wide, self.pooled)
        yield "pool bias", (self.pooled,)
        yield "policy", (wide, self.pooled)
        yield "policy bias", (self.pooled,)
        yield "policy pooled", (2 * self.pooled, self.pooled)
        yield "policy out", (self.pooled, 1)
        yield "pass", (2 * self.pooled, 1)
        yield "pass bias", (1,)
        yield "value", (2 * self.pooled, self.hidden)
        yield "value bias", (self.hidden,)
        yield "value out", (self.hidden, 1)
        yield "value out bias", (1,)


def drawn(shape: NetworkShape, seed: int) -> Parameters:
    """Random weights of He's variance; zeros for biases, for the outputs and at the end of each block."""
    chance = np.random.default_rng(seed)
    made: Parameters = {}
    for name, size in shape.parameters():
        values = np.zeros(size, np.float32)
        if not name.endswith(("bias", "second", "out", "pass", "policy pooled")):
            scale = (2 / np.prod(size[:-1])) ** 0.5
            if name.endswith("first"):
                scale /= max(shape.blocks, 1) ** 0.5
            values[:] = chance.normal(0, scale, size)
        made[name] = values
    return made


def flat(arrays: Sequence[Any]) -> list[Any]:
    """The numbers of each array, one after the other, in the form that compiled functions take."""
    return [memoryview(array.reshape(-1)) for array in arrays]
