"""The network in float32: drawn at random, read from a file, and rounded for a file."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from eval.network_file import NetworkWeights
from eval.network_shape import OUTPUT_BUCKETS, OUTPUT_UNIT, ROWS, UNIT

Reals = npt.NDArray[np.float32]

SQUARES, TILE = 64, 32

LARGEST = 1.98
"""No weight grows beyond it: the sums of 32 rows and the biases stay within 16 bits, outputs within ±127."""

ADAM = (0.9, 0.999, 1e-8)
"""See `trainer.AdamSteps`."""

_LARGEST_OUTPUT = 127
_FIRST_HIDDEN, _FIRST_BIAS, _FIRST_OUTPUT = 0.08, 0.25, 0.3  # scales of the random numbers, chosen by loss
_PAWN, _KING = 0, 5
_LEFT_FILES = 4

# By number of king buckets, the bucket of a king on files a to d, from its own back rank on.
_KING_PLACES = {
    1: "0000" * 8,
    2: "0000" + "1111" * 7,
    4: "0011" + "2222" + "3333" * 6,
    8: "0123" + "4455" + "6666" + "7777" * 5,
}
KING_BUCKETS = tuple(_KING_PLACES)


def king_places(buckets: int) -> tuple[int, ...]:
    """The king bucket of each square, for one of KING_BUCKETS; files e to h mirror files a to d."""
    text = _KING_PLACES[buckets]
    squares = (square ^ 7 if square & 4 else square for square in range(SQUARES))
    return tuple(int(text[(square >> 3) * _LEFT_FILES + (square & 7)]) for square in squares)


@dataclass(frozen=True, slots=True)
class FloatNetwork:
    """`values`: as `eval.training.trainer` has them, TILE units of all rows at a time.

    For each tile a row of TILE weights for each input and one of biases; then, for each output bucket,
    2 * width weights, the mover's first, and a bias.
    """

    width: int
    places: tuple[int, ...]
    values: Reals

    @classmethod
    def drawn(cls, width: int, places: Sequence[int], seed: int) -> Self:
        inputs = (max(places) + 1) * ROWS
        chance = np.random.default_rng(seed)
        hidden = np.empty((inputs + 1, width), np.float32)
        hidden[:-1] = chance.normal(0, _FIRST_HIDDEN, (inputs, width))
        hidden[:-1][_impossible(places)] = 0
        hidden[-1] = _FIRST_BIAS
        outputs = np.zeros((OUTPUT_BUCKETS, 2 * width + 1), np.float32)
        outputs[:, :-1] = chance.normal(0, _FIRST_OUTPUT / width**0.5, (OUTPUT_BUCKETS, 2 * width))
        return cls.joined(places, hidden, outputs)

    @classmethod
    def joined(cls, places: Sequence[int], hidden: Reals, outputs: Reals) -> Self:
        """From a row of hidden weights for each input and one of biases, and a row for each output bucket."""
        rows, width = hidden.shape
        tiled = hidden.reshape(rows, width // TILE, TILE).transpose(1, 0, 2)
        return cls(width, tuple(places), np.concatenate([tiled.ravel(), outputs.ravel()]))

    @classmethod
    def of_file(cls, weights: NetworkWeights) -> Self:
        width = weights.width
        numbers = np.frombuffer(weights.numbers, np.int16).astype(np.float32)
        cut = len(numbers) - OUTPUT_BUCKETS * 2 * width
        outputs = np.empty((OUTPUT_BUCKETS, 2 * width + 1), np.float32)
        outputs[:, :-1] = numbers[cut:].reshape(OUTPUT_BUCKETS, -1) / OUTPUT_UNIT
        outputs[:, -1] = np.array(weights.output_biases) / (OUTPUT_UNIT * UNIT)
        return cls.joined(weights.king_places, numbers[:cut].reshape(-1, width) / np.float32(UNIT), outputs)

    @classmethod
    def mean(cls, networks: Sequence[Self]) -> Self:
        first = networks[0]
        if any((each.width, each.places) != (first.width, first.places) for each in networks):
            raise ValueError("networks of different widths or king buckets have no mean")
        return cls(first.width, first.places, np.mean([each.values for each in networks], 0, np.float32))

    def copy(self) -> Self:
        return type(self)(self.width, self.places, self.values.copy())

    def with_places(self, places: Sequence[int]) -> Self:
        """The same network with other king buckets, if it has one bucket or the same. Raises ValueError."""
        if tuple(places) == self.places:
            return self
        if max(self.places):
            raise ValueError("a network with king buckets can only be continued with the same ones")
        hidden = self.hidden()
        tiled = np.tile(hidden[:-1], (max(places) + 1, 1))
        tiled[_impossible(places)] = 0
        return self.joined(places, np.concatenate([tiled, hidden[-1:]]), self.outputs())

    def hidden(self) -> Reals:
        """A copy: a row for each input, and the biases as the last row."""
        rows = (max(self.places) + 1) * ROWS + 1
        tiled = self.values[: rows * self.width].reshape(self.width // TILE, rows, TILE)
        return tiled.transpose(1, 0, 2).reshape(rows, self.width)

    def outputs(self) -> Reals:
        """For each output bucket the weights, the mover's first, and the bias."""
        return self.values[-OUTPUT_BUCKETS * (2 * self.width + 1) :].reshape(OUTPUT_BUCKETS, -1)

    def for_file(
        self, scale: int, about: dict[str, Any], *, won_endings: bool = True, drawish_endings: bool = True
    ) -> NetworkWeights:
        """Round to integers; `scale`: centipawns per logit.

        `won_endings`, `drawish_endings`: whether rules evaluate these endings as well.
        """
        outputs = self.outputs()
        parts = [
            np.rint(self.hidden() * UNIT).ravel(),
            np.clip(np.rint(outputs[:, :-1] * OUTPUT_UNIT), -_LARGEST_OUTPUT, _LARGEST_OUTPUT).ravel(),
        ]
        numbers: Any = np.concatenate(parts).astype("<i2")
        biases = np.rint(outputs[:, -1].astype(float) * OUTPUT_UNIT * UNIT).astype(int).tolist()
        return NetworkWeights(
            width=self.width,
            numbers=memoryview(numbers),
            output_biases=tuple(biases),
            king_places=self.places,
            scale=scale,
            won_endings=won_endings,
            drawish_endings=drawish_endings,
            about=about,
        )


def _impossible(places: Sequence[int]) -> npt.NDArray[np.bool_]:
    buckets = max(places) + 1
    found = np.zeros((buckets, 2, 6, SQUARES), np.bool_)
    found[:, :, _PAWN, :8] = found[:, :, _PAWN, -8:] = True
    for bucket in range(buckets):
        for square in range(SQUARES):
            found[bucket, 0, _KING, square] = square & _LEFT_FILES != 0 or places[square] != bucket
    return found.ravel()
