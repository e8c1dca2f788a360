"""Learning the network on the processor: sparse forward and backward passes, and Adam.

The weights are one array of float32, in the order of `float_network.FloatNetwork`: tile by tile the hidden
weights, then the output buckets. A thread adds up the gradients of its share of a batch in an array of its
own, without the interpreter lock; the same number of threads gives the same weights.
"""

from array import array
from typing import Any

import cython

if not cython.compiled:
    from math import exp, fabs, log1p
    from math import sqrt as sqrtf

    from engine.system.bits import lsb, popcount
    from eval.network_shape import MEN_A_BUCKET, OUTPUT_BUCKETS, ROWS
    from eval.training.layout import MOST_PIECES, RECORD_WORDS

    SQUARES, TILE = 64, 32
    KING, LOT, LARGEST_WIDTH = 5, 1024, 1024

    def fetch(records: Any, order: Any, k: int) -> None:
        """Ask for the k-th record before it is needed."""


class Backpropagation:
    """One thread's part of learning. `places`: the king bucket of each square of a king, by file a to d.

    A lot of positions goes through the network tile by tile, so that the weights of a tile stay in the
    processor's cache. In a lot, positions with the same number of men follow each other, so that the
    processor foresees how long the loops over the men are.
    """

    def __init__(self, weights: Any, gradients: Any, width: int, places: Any) -> None:
        """`weights` and `gradients` are laid out alike; what is learned is added to `gradients`."""
        buckets: int = max(places) + 1
        if width % TILE or not TILE <= width <= LARGEST_WIDTH:
            raise ValueError(f"a width of {width} is not a multiple of {TILE} up to {LARGEST_WIDTH}")
        self.weights = weights
        self.gradients = gradients
        self.width = width
        self.inputs = buckets * ROWS
        self.outputs = (self.inputs + 1) * width
        self.units = array("f", bytes(4 * 2 * width * LOT))
        if self.weights.shape[0] != self.outputs + OUTPUT_BUCKETS * (2 * width + 1):
            raise ValueError("the number of weights does not fit the width and the king buckets")
        if self.gradients.shape[0] != self.weights.shape[0]:
            raise ValueError("there is not a gradient for each weight")
        self.places = [0] * 64
        for square in range(64):
            self.places[square] = places[square]
        self.own_rows = [0] * 32768
        self.other_rows = [0] * 32768
        self.men = [0] * 1024
        self.at = [0] * 1024
        self.parts = [0.0] * 32768
        self.errors = [0.0] * 1024

    def learn(self, records: Any, targets: Any, order: Any, first: int, last: int) -> float:
        """Add up the gradients for `order[first:last]`, rows of `records` and `targets`.

        The result is the sum of the losses, cross entropies in nats. `records` are words (see
        `positions.words`) that `first_unsound` has checked or `GameCoder` has made. `targets` are the points
        that the mover can expect, 0 to 1.
        """
        total = 0.0
        with cython.nogil:
            while first < last:
                count = min(last - first, LOT)
                self._find_rows(records, order, first, count)
                self._forward(count)
                total += self._compare(targets, order, first, count)
                self._backward(count)
                first += count
        return total

    def judge(self, records: Any, order: Any, logits: Any, first: int, last: int) -> None:
        """Write the logits of `order[first:last]` to `logits[first:last]`, from the mover's point of view."""
        with cython.nogil:
            while first < last:
                count = min(last - first, LOT)
                self._find_rows(records, order, first, count)
                self._forward(count)
                for number in range(count):
                    logits[first + self.at[number]] = self._logit(number)
                first += count

    def _find_rows(self, records: Any, order: Any, first: int, count: int) -> None:
        """Find the rows of all men in a lot, as both sides see them, in the order of the number of men."""
        ends = cython.declare(cython.int[33])
        for men in range(MOST_PIECES + 1):
            ends[men] = 0
        for k in range(first, first + count):
            fetch(records, order, k)
        for k in range(first, first + count):
            row = order[k]
            ends[popcount(records[row * RECORD_WORDS])] += 1
        for men in range(1, MOST_PIECES + 1):
            ends[men] += ends[men - 1]
        for k in range(first, first + count):
            row = order[k]
            row *= RECORD_WORDS
            men = popcount(records[row])
            ends[men] -= 1
            number = ends[men]
            self.at[number] = k - first
            self.men[number] = men
            self._find_rows_of(number, records[row], records[row + 1], records[row + 2])

    def _find_rows_of(self, number: int, board: int, low: int, high: int) -> None:
        king = 0
        enemy = 0
        occupied = board
        left = low
        for man in range(self.men[number]):
            if man == MOST_PIECES // 2:
                left = high
            if left & 15 == KING:
                king = lsb(occupied)
            elif left & 15 == KING + 8:
                enemy = lsb(occupied)
            left >>= 4
            occupied &= occupied - 1
        turn = 7 if king & 4 else 0
        enemy_turn = 63 if enemy & 4 else 56
        base = self.places[king ^ turn] * ROWS
        enemy_base = self.places[enemy ^ enemy_turn] * ROWS
        occupied = board
        left = low
        for man in range(self.men[number]):
            if man == MOST_PIECES // 2:
                left = high
            square = lsb(occupied)
            piece = left & 7
            other = left >> 3 & 1
            self.own_rows[number * MOST_PIECES + man] = base + (other * 6 + piece) * SQUARES + (square ^ turn)
            self.other_rows[number * MOST_PIECES + man] = (
                enemy_base + ((other ^ 1) * 6 + piece) * SQUARES + (square ^ enemy_turn)
            )
            left >>= 4
            occupied &= occupied - 1

    def _forward(self, count: int) -> None:
        """The clipped sums of all hidden units, and the parts of the logits."""
        own = cython.declare(cython.float[TILE])
        other = cython.declare(cython.float[TILE])
        zero = 0.0
        one = 1.0
        for i in range(count * TILE):
            self.parts[i] = 0.0
        for tile in range(self.width // TILE):
            base = tile * (self.inputs + 1) * TILE
            biases = base + self.inputs * TILE
            for number in range(count):
                for i in range(TILE):
                    own[i] = self.weights[biases + i]
                    other[i] = self.weights[biases + i]
                for man in range(number * MOST_PIECES, number * MOST_PIECES + self.men[number]):
                    row = base + self.own_rows[man] * TILE
                    for i in range(TILE):
                        own[i] += self.weights[row + i]
                    row = base + self.other_rows[man] * TILE
                    for i in range(TILE):
                        other[i] += self.weights[row + i]
                output = self._output(number) + tile * TILE
                unit = (tile * LOT + number) * 2 * TILE
                part = number * TILE
                for i in range(TILE):
                    x = max(zero, own[i])
                    own[i] = min(one, x)
                    y = max(zero, other[i])
                    other[i] = min(one, y)
                for i in range(TILE):
                    self.units[unit + i] = own[i]
                    self.units[unit + TILE + i] = other[i]
                for i in range(TILE):
                    x = own[i]
                    y = other[i]
                    self.parts[part + i] += (
                        x * x * self.weights[output + i] + y * y * self.weights[output + self.width + i]
                    )

    def _output(self, number: int) -> int:
        """Where the weights of the output bucket begin for a position of the lot."""
        bucket: int = (self.men[number] - 1) // MEN_A_BUCKET
        return self.outputs + bucket * (2 * self.width + 1)

    def _logit(self, number: int) -> float:
        """The logit of a position of the lot, once after each `_forward`."""
        part = number * TILE
        half = TILE // 2
        while half > 0:
            for i in range(part, part + half):
                self.parts[i] += self.parts[i + half]
            half //= 2
        return float(self.weights[self._output(number) + 2 * self.width] + self.parts[part])

    def _compare(self, targets: Any, order: Any, first: int, count: int) -> float:
        """Note the gradients of the losses by the logits, `errors`; the sum of the losses."""
        total = 0.0
        for number in range(count):
            target = float(targets[order[first + self.at[number]]])
            logit = self._logit(number)
            error = 1.0 / (1.0 + exp(-logit)) - target
            self.errors[number] = error
            self.gradients[self._output(number) + 2 * self.width] += error
            total += log1p(exp(-fabs(logit))) + (max(0.0, logit)) - target * logit
        return total

    def _backward(self, count: int) -> None:
        """Add the gradients of the lot, after `_compare`."""
        own = cython.declare(cython.float[TILE])
        other = cython.declare(cython.float[TILE])
        zero = 0.0
        one = 1.0
        for tile in range(self.width // TILE):
            base = tile * (self.inputs + 1) * TILE
            biases = base + self.inputs * TILE
            for number in range(count):
                error = self.errors[number]
                twice = error + error
                output = self._output(number) + tile * TILE
                unit = (tile * LOT + number) * 2 * TILE
                for i in range(TILE):
                    x = self.units[unit + i]
                    y = self.units[unit + TILE + i]
                    gradient = twice * x * self.weights[output + i]
                    own[i] = gradient if x < one else zero
                    gradient = twice * y * self.weights[output + self.width + i]
                    other[i] = gradient if y < one else zero
                for i in range(TILE):
                    x = self.units[unit + i]
                    self.gradients[output + i] += error * x * x
                for i in range(TILE):
                    y = self.units[unit + TILE + i]
                    self.gradients[output + self.width + i] += error * y * y
                for i in range(TILE):
                    self.gradients[biases + i] += own[i] + other[i]
                for man in range(number * MOST_PIECES, number * MOST_PIECES + self.men[number]):
                    row = base + self.own_rows[man] * TILE
                    for i in range(TILE):
                        self.gradients[row + i] += own[i]
                    row = base + self.other_rows[man] * TILE
                    for i in range(TILE):
                        self.gradients[row + i] += other[i]


class AdamSteps:
    """Adam (D. P. Kingma and J. Ba, 2015, https://arxiv.org/abs/1412.6980), for several threads."""

    def __init__(
        self,
        weights: Any,
        gradients: Any,
        mean: Any,
        square: Any,
        adam: tuple[float, float, float],
        largest: float,
    ) -> None:
        """`gradients` are those of all threads, one after the other; `mean` and `square` are running means.

        `adam` has what is left of the means after a step, and what is added to the root of the second. No
        weight grows beyond `largest`.
        """
        self.weights = weights
        self.gradients = gradients
        self.size = self.weights.shape[0]
        self.threads = self.gradients.shape[0] // self.size
        self.mean = mean
        self.square = square
        self.mean_decay, self.square_decay, self.tiny = adam
        self.largest = largest

    def step(self, rate: float, number: int, count: int, first: int, last: int) -> None:
        """Make step `number`, from 1, for weights `first` to `last - 1`.

        The gradients are of `count` positions, and are then forgotten.
        """
        mean_scale = 1.0 / (1.0 - self.mean_decay**number)
        square_scale = 1.0 / (1.0 - self.square_decay**number)
        share = 1.0 / count
        with cython.nogil:
            self._step(rate, mean_scale, square_scale, share, first, last)

    def _step(
        self, rate: float, mean_scale: float, square_scale: float, share: float, first: int, last: int
    ) -> None:
        mean_part = 1.0 - self.mean_decay
        square_part = 1.0 - self.square_decay
        largest = self.largest
        tiny = self.tiny
        for i in range(first, last):
            gradient = 0.0
            for thread in range(self.threads):
                gradient += self.gradients[thread * self.size + i]
                self.gradients[thread * self.size + i] = 0.0
            gradient *= share
            mean = self.mean[i]
            mean += mean_part * (gradient - mean)
            square = self.square[i]
            square += square_part * (gradient * gradient - square)
            self.mean[i] = mean
            self.square[i] = square
            weight = self.weights[i] - rate * (mean * mean_scale) / (sqrtf(square * square_scale) + tiny)
            weight = min(largest, weight)
            self.weights[i] = max(-largest, weight)
