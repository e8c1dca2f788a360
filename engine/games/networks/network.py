"""A network with a policy and a value on the processor, for boards of any size.

    x = relu(conv3(planes))                                    `channels` numbers for each square
    x = relu(x + conv3(relu(conv3(x))))                        `blocks` times
    pooled = mean and maximum over the squares of relu(conv1(x)), `pooled` channels
    policy of a square: conv1(relu(conv1(x) + dense(pooled))); off the squares: dense(pooled)
    value = tanh(dense(relu(dense(pooled))) / 2)

He et al., "Deep residual learning" (2016); Silver et al., "Mastering the game of Go without human knowledge"
(2017), with pooled heads as in Wu, "Accelerating self-play learning in Go" (2019).

A few positions go through all layers together, so that they share the weights, which are read once for all
of them, while their own numbers stay in the processor's caches. Boards lie in memory as in convolution.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

import cython

from engine.system.memory import reserve

if not cython.compiled:
    from math import tanh as tanhf

    from engine.games.networks.convolution import collect, multiply, spread

COMPILED = bool(cython.compiled)
MOST_BLOCKS = 20
STEP = 16
"""Channels come in multiples of it."""
_TOGETHER = 8  # positions
_POINTS = 25
_PANEL = STEP
_SPARE = 16  # rows, for products: see `multiply`
_KERNEL_TO_POINTS = (
    (0.5, 0.0, 0.0),
    (-0.5, -0.5, -0.5),
    (-1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0),
    (1.0 / 6.0, 1.0 / 3.0, 2.0 / 3.0),
    (0.0, 0.0, 1.0),
)
"""Takes three weights in a row to the five points."""


@dataclass(frozen=True)
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
        return sum(prod(size) for _, size in self.parameters())


def dequantise(stored: memoryview[int], scales: memoryview[float], out: memoryview[float]) -> None:
    """Numbers of 8 bits as float32: those of each output, the last index, times its own scale."""
    outputs = len(scales)
    for i in range(len(stored)):
        scale = scales[i % outputs]
        out[i] = stored[i] * scale


class PolicyNetwork:
    """The weights of a network, for boards of one size. One thread at a time may use it."""

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
        self._inputs = -(-shape.planes // STEP) * STEP
        self._down, self._across = -(-rows // 3), -(-columns // 3)
        self._width = 3 * self._across + 2
        self._squares = (3 * self._down + 2) * self._width
        self._most = _TOGETHER * self._down * self._across + _SPARE
        wide = max(shape.channels, self._inputs)
        whole = _TOGETHER * self._squares + _SPARE
        self._seen = _floats(whole * self._inputs)
        self._x, self._inner = _floats(whole * shape.channels), _floats(whole * shape.channels)
        self._points = _floats(_POINTS * self._most * wide)
        self._products = _floats(_POINTS * self._most * shape.channels)
        self._features, self._judged = _floats(whole * shape.pooled), _floats(whole * shape.pooled)
        self._means, self._base, self._units = (
            _floats(size) for size in (2 * shape.pooled, shape.pooled, shape.hidden)
        )
        layers = _POINTS * (self._inputs + 2 * shape.blocks * shape.channels) * shape.channels
        self._weights = _floats(layers + shape.count())
        self._rest = self._take(numbers)

    def _take(self, numbers: memoryview[float]) -> int:
        """Bring the weights into the order of their use; return where those of no convolution begin."""
        basis = memoryview(
            array("d", [number for row in _KERNEL_TO_POINTS for number in row]).tobytes()
        ).cast("d")
        at = to = 0
        for layer in range(2 * self._blocks + 1):
            inputs = self._channels if layer else self._planes
            filled = self._channels if layer else self._inputs
            to = self._transform(numbers, at, to, inputs, filled, basis)
            at += 9 * inputs * self._channels
            self._copy(numbers, at, to, self._channels)
            at += self._channels
            to += self._channels
        for _ in range(2):
            to = self._pack(numbers, at, to, self._channels, self._pooled)
            at += self._channels * self._pooled
            self._copy(numbers, at, to, self._pooled)
            at += self._pooled
            to += self._pooled
        self._copy(numbers, at, to, len(numbers) - at)
        return to

    def _transform(
        self,
        given: memoryview[float],
        at: int,
        to: int,
        inputs: int,
        filled: int,
        basis: memoryview[float],
    ) -> int:
        """The kernels that begin at `given[at]` as 25 matrices; return where these end."""
        channels = self._channels
        for i in range(5):
            for j in range(5):
                for k in range(inputs):
                    for output in range(channels):
                        total = 0.0
                        for row in range(3):
                            for column in range(3):
                                a = basis[3 * i + row]
                                b = basis[3 * j + column]
                                total += (
                                    a * b * given[at + ((3 * row + column) * inputs + k) * channels + output]
                                )
                        place = to + output // _PANEL * _PANEL * filled
                        self._weights[place + k * _PANEL + output % _PANEL] = total
                to += filled * channels
        return to

    def _pack(self, given: memoryview[float], at: int, to: int, inputs: int, outputs: int) -> int:
        for panel in range(outputs // _PANEL):
            for i in range(inputs):
                for inside in range(_PANEL):
                    self._weights[to + inside] = given[at + i * outputs + panel * _PANEL + inside]
                to += _PANEL
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
        first = 0
        with cython.nogil:
            while first < count:
                self.evaluate_some(planes, first, min(count - first, _TOGETHER), policy, values)
                first += _TOGETHER

    def evaluate_some(
        self,
        planes: memoryview[float],
        first: int,
        count: int,
        policy: memoryview[float],
        values: memoryview[float],
    ) -> None:
        """The same for `count` positions from `first` on, up to _TOGETHER."""
        size, places = self.rows * self.columns * self._planes, self.rows * self.columns + 1
        for i in range(count):
            self._look(planes, (first + i) * size, i)
        bias = self._convolve_all(count)
        for i in range(count):
            self._pool(i, bias)
            self._judge_moves(i, policy, (first + i) * places, self._rest - self._pooled)
            values[first + i] = self._value()

    def _look(self, planes: memoryview[float], first: int, position: int) -> None:
        at = first
        for row in range(self.rows):
            to = (position * self._squares + (row + 1) * self._width + 1) * self._inputs
            for _ in range(self.columns):
                for i in range(self._planes):
                    self._seen[to + i] = planes[at + i]
                at += self._planes
                to += self._inputs

    def _convolve_all(self, count: int) -> int:
        """All convolutions of `count` positions; return where the bias of the pooled channels is."""
        weight = self._convolve(self._seen, self._inputs, 0, False, self._x, count)
        for _ in range(self._blocks):
            weight = self._convolve(self._x, self._channels, weight, False, self._inner, count)
            weight = self._convolve(self._inner, self._channels, weight, True, self._x, count)
        squares = count * self._squares
        multiply(self._x, 0, self._weights, weight, self._features, 0, squares, self._channels, self._pooled)
        weight += self._channels * self._pooled
        bias = weight
        weight += self._pooled
        multiply(self._x, 0, self._weights, weight, self._judged, 0, squares, self._channels, self._pooled)
        return bias

    def _convolve(
        self,
        x: memoryview[float],
        inputs: int,
        weight: int,
        adds: bool,
        out: memoryview[float],
        count: int,
    ) -> int:
        """A convolution of 3 by 3 of `count` positions; return where the weights of the next one begin."""
        tiles = self._down * self._across
        size = self._squares * inputs
        distance = self._most * inputs
        for i in range(count):
            spread(x, i * size, self._points, i * tiles * inputs, self._down, self._across, inputs, distance)
        channels = self._channels
        for point in range(_POINTS):
            multiply(
                self._points,
                point * distance,
                self._weights,
                weight,
                self._products,
                point * self._most * channels,
                count * tiles,
                inputs,
                channels,
            )
            weight += inputs * channels
        distance = self._most * channels
        size = self._squares * channels
        for i in range(count):
            collect(
                self._products,
                i * tiles * channels,
                self._weights,
                weight,
                adds,
                out,
                i * size,
                self.rows,
                self.columns,
                channels,
                distance,
            )
        return weight + channels

    def _pool(self, position: int, bias: int) -> None:
        zero = 0.0
        pooled = self._pooled
        for i in range(2 * pooled):
            self._means[i] = 0.0
        for row in range(1, self.rows + 1):
            at = (position * self._squares + row * self._width + 1) * pooled
            for _ in range(self.columns):
                for i in range(pooled):
                    unit = max(self._features[at + i] + self._weights[bias + i], zero)
                    self._means[i] += unit
                    self._means[pooled + i] = max(self._means[pooled + i], unit)
                at += pooled
        for i in range(pooled):
            self._means[i] /= self.rows * self.columns

    def _judge_moves(self, position: int, policy: memoryview[float], first: int, bias: int) -> None:
        """The logits of the policy; `bias` is where that of its convolution is."""
        zero = 0.0
        pooled = self._pooled
        weight = self._rest
        for i in range(pooled):
            self._base[i] = self._weights[bias + i]
        for j in range(2 * pooled):
            unit = self._means[j]
            for i in range(pooled):
                self._base[i] += unit * self._weights[weight + i]
            weight += pooled
        to = first
        for row in range(1, self.rows + 1):
            at = (position * self._squares + row * self._width + 1) * pooled
            for _ in range(self.columns):
                total = 0.0
                for i in range(pooled):
                    unit = max(self._judged[at + i] + self._base[i], zero)
                    total += unit * self._weights[weight + i]
                policy[to] = total
                to += 1
                at += pooled
        weight += pooled
        total = self._weights[weight + 2 * pooled]
        for j in range(2 * pooled):
            total += self._means[j] * self._weights[weight + j]
        policy[to] = total

    def _value(self) -> float:
        zero = 0.0
        hidden = self._hidden
        weight = self._rest + 2 * self._pooled * self._pooled + 3 * self._pooled + 1
        for i in range(hidden):
            self._units[i] = self._weights[weight + 2 * self._pooled * hidden + i]
        for j in range(2 * self._pooled):
            mean = self._means[j]
            for i in range(hidden):
                self._units[i] += mean * self._weights[weight + i]
            weight += hidden
        weight += hidden
        total = self._weights[weight + hidden]
        for i in range(hidden):
            total += max(self._units[i], zero) * self._weights[weight + i]
        return tanhf(total / 2)


def _floats(count: int) -> memoryview[float]:
    return memoryview(reserve(4 * count + 64)).cast("f")[:count]
