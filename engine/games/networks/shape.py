"""The shape of a network with a policy and a value, for boards of any size.

    x = relu(conv3(planes))                                    `channels` numbers for each square
    x = relu(x + conv3(relu(conv3(x))))                        `blocks` times
    pooled = mean and maximum over the squares of relu(conv1(x)), `pooled` channels
    policy of a square: conv1(relu(conv1(x) + dense(pooled))); off the squares: dense(pooled)
    value = tanh(dense(relu(dense(pooled))) / 2)

He et al., "Deep residual learning" (2016); Silver et al., "Mastering the game of Go without human knowledge"
(2017), with pooled heads as in Wu, "Accelerating self-play learning in Go" (2019).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

STEP = 16
"""Channels come in multiples of it."""


@dataclass(frozen=True, slots=True)
class PolicyShape:
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

    def count(self) -> int:
        """How many numbers all arrays have."""
        return sum(prod(size) for _, size in self.parameters())
