"""A network with a policy and a value on the processor: see network_shape.

One position after the other goes through all layers, so that its numbers stay in the processor's caches. All
channels of a square lie together. An edge of zeros surrounds the board; one column of it is between any two
rows, as in Go's own board.
"""

from __future__ import annotations

import cython

from engine.games.compiled.network_shape import STEP, PolicyShape
from engine.memory import reserve

if not cython.compiled:
    from math import tanh as tanhf

    from engine.games.compiled.convolution import convolve

OUTPUTS = 16
MOST_BLOCKS = 20
_PLAN = 18  # numbers that say what a convolution has to do


class PolicyNetwork:
    """The weights of a network, for boards of one size."""

    def __init__(self, shape: PolicyShape, numbers: memoryview[float], rows: int, columns: int) -> None:
        """`numbers` are float32, the arrays of `shape.parameters()` one after the other.

        Raises ValueError for a shape that does not fit.
        """
        if shape.channels % STEP or shape.pooled % STEP or not 0 <= shape.blocks <= MOST_BLOCKS:
            raise ValueError(f"channels must be multiples of {STEP}, and blocks at most {MOST_BLOCKS}")
        if len(numbers) != shape.count():
            raise ValueError(f"there are {len(numbers)} weights instead of {shape.count()}")
        self.shape = shape
        self.rows, self.columns = rows, columns
        self._planes, self._channels, self._blocks = shape.planes, shape.channels, shape.blocks
        self._pooled, self._hidden = shape.pooled, shape.hidden
        self._stride = columns + 1
        whole = (rows + 2) * self._stride + 1
        self._weights = _floats(shape.count() + shape.pooled)
        self._seen = _floats(whole * shape.planes)
        self._x, self._inner, self._y = (_floats(whole * shape.channels) for _ in range(3))
        self._features = _floats(whole * shape.pooled)
        self._means = _floats(2 * shape.pooled)
        tiles = (2 * shape.blocks + 1) * shape.channels // OUTPUTS + 2 * shape.pooled // OUTPUTS
        self._plans = memoryview(bytearray(4 * _PLAN * tiles)).cast("i")
        self._rest = self._take(numbers)

    def _take(self, numbers: memoryview[float]) -> int:
        """Bring the weights into the order of their use; return where those of no convolution begin."""
        tile, weight = 0, 0
        for layer in range(2 * self._blocks + 3):
            small = layer > 2 * self._blocks
            inputs = self._channels if layer else self._planes
            outputs = self._pooled if small else self._channels
            taps = 1 if small else 9
            bias = self._pack(numbers, weight, taps * inputs, outputs)
            for output in range(0, outputs, OUTPUTS):
                at = weight + taps * inputs * output
                begins = bias + output
                if layer == 2 * self._blocks + 2:
                    begins = len(numbers) + output  # see `_judge_moves`
                adds = not small and layer > 0 and layer % 2 == 0
                self._plan(tile, at, begins, (inputs, outputs, output, taps, adds))
                tile += 1
            weight = bias + outputs
        self._copy(numbers, weight, weight, len(numbers) - weight)
        return weight

    def _plan(self, tile: int, weight: int, bias: int, layer: tuple[int, int, int, int, bool]) -> None:
        """See convolution.convolve: for OUTPUTS outputs of a layer."""
        inputs, outputs, output, taps, adds = layer
        first = self._stride + 1
        near = range(-1, 2) if taps > 1 else range(1)
        distances = [(row * self._stride + column) * inputs for row in near for column in near]
        squares = self.rows * self._stride - 1
        plan = (first * inputs, weight, bias, first * outputs + output, inputs, outputs, squares, adds, taps)
        for i, number in enumerate((*plan, *distances)):
            self._plans[tile * _PLAN + i] = number

    def _pack(self, given: memoryview[float], at: int, inputs: int, outputs: int) -> int:
        """Those of a convolution, OUTPUTS outputs at a time, then its bias; return where that begins."""
        to = at
        for tile in range(outputs // OUTPUTS):
            for i in range(inputs):
                for inside in range(OUTPUTS):
                    self._weights[to + inside] = given[at + i * outputs + tile * OUTPUTS + inside]
                to += OUTPUTS
        self._copy(given, to, to, outputs)
        return to

    def _copy(self, given: memoryview[float], at: int, to: int, count: int) -> None:
        for i in range(count):
            self._weights[to + i] = given[at + i]

    def evaluate(
        self, planes: memoryview[float], count: int, policy: memoryview[float], values: memoryview[float]
    ) -> None:
        """The logits of the policy, by `policy_index`, and the values of the first `count` positions.

        See PuctTree.gather and absorb.
        """
        size, places = self.rows * self.columns * self._planes, self.rows * self.columns + 1
        with cython.nogil:
            for i in range(count):
                self._look(planes, i * size)
                self._convolve_all()
                self._project(2 * self._blocks + 1)
                self._pool()
                self._judge_moves(policy, i * places)
                values[i] = self._value()

    def _look(self, planes: memoryview[float], first: int) -> None:
        """Put the planes of a position onto the board with edges."""
        at = first
        for row in range(self.rows):
            to = ((row + 1) * self._stride + 1) * self._planes
            for i in range(self.columns * self._planes):
                self._seen[to + i] = planes[at + i]
            at += self.columns * self._planes

    def _convolve_all(self) -> None:
        """The convolutions of 3 by 3, from the planes to the last features, which are in `_x`."""
        self._convolve(0, self._seen, self._x, self._x)
        for block in range(self._blocks):
            self._convolve(2 * block + 1, self._x, self._x, self._inner)
            self._convolve(2 * block + 2, self._inner, self._x, self._y)
            for i in range((self.rows + 2) * self._stride * self._channels):
                self._x[i] = self._y[i]

    def _convolve(
        self, layer: int, x: memoryview[float], added: memoryview[float], out: memoryview[float]
    ) -> None:
        """A convolution of 3 by 3."""
        for tile in range(self._channels // OUTPUTS):
            plan = (layer * (self._channels // OUTPUTS) + tile) * _PLAN
            convolve(x, self._weights, added, out, self._plans, plan)
        self._clear_edges(out)

    def _clear_edges(self, out: memoryview[float]) -> None:
        """The column between any two rows."""
        for row in range(2, self.rows + 1):
            at = row * self._stride * self._channels
            for i in range(self._channels):
                out[at + i] = 0.0

    def _project(self, layer: int) -> None:
        """One of the convolutions of 1 by 1, from the last features; into `_features`."""
        for tile in range(self._pooled // OUTPUTS):
            plan = (2 * self._blocks + 1) * (self._channels // OUTPUTS) + tile
            if layer > 2 * self._blocks + 1:
                plan += self._pooled // OUTPUTS
            convolve(self._x, self._weights, self._x, self._features, self._plans, plan * _PLAN)

    def _pool(self) -> None:
        """The mean of each pooled channel, and then the maximum of each."""
        zero = 0.0
        for i in range(self._pooled):
            total, most = zero, zero
            for row in range(1, self.rows + 1):
                at = (row * self._stride + 1) * self._pooled + i
                for _ in range(self.columns):
                    total += self._features[at]
                    most = max(most, self._features[at])
                    at += self._pooled
            self._means[i] = total / (self.rows * self.columns)
            self._means[self._pooled + i] = most

    def _judge_moves(self, policy: memoryview[float], first: int) -> None:
        """The logits of the policy. Its convolution has its bias, with what is pooled, behind all weights."""
        weight = self._rest
        bias = len(self._weights) - self._pooled
        for i in range(self._pooled):
            total = self._weights[weight - self._pooled + i]
            for j in range(2 * self._pooled):
                total += self._means[j] * self._weights[weight + j * self._pooled + i]
            self._weights[bias + i] = total
        self._project(2 * self._blocks + 2)
        weight += 2 * self._pooled * self._pooled
        to = first
        for row in range(1, self.rows + 1):
            at = (row * self._stride + 1) * self._pooled
            for _ in range(self.columns):
                total = 0.0
                for i in range(self._pooled):
                    total += self._features[at + i] * self._weights[weight + i]
                policy[to] = total
                to += 1
                at += self._pooled
        weight += self._pooled
        total = self._weights[weight + 2 * self._pooled]
        for j in range(2 * self._pooled):
            total += self._means[j] * self._weights[weight + j]
        policy[to] = total

    def _value(self) -> float:
        """The value for the player to move, from -1 to 1."""
        weight = self._rest + 2 * self._pooled * self._pooled + 3 * self._pooled + 1
        out = weight + 2 * self._pooled * self._hidden + self._hidden
        zero = 0.0
        total = self._weights[out + self._hidden]
        for i in range(self._hidden):
            unit = self._weights[out - self._hidden + i]
            for j in range(2 * self._pooled):
                unit += self._means[j] * self._weights[weight + j * self._hidden + i]
            total += max(unit, zero) * self._weights[out + i]
        return tanhf(total / 2)


def _floats(count: int) -> memoryview[float]:
    """Zeros, with room behind them."""
    return memoryview(reserve(4 * count + 64)).cast("f")[:count]
