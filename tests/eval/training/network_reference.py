"""The network in float64 by numpy, dense and slow: the oracle of the compiled trainer."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from eval.network_shape import OUTPUT_BUCKETS, ROWS
from eval.training.float_network import FloatNetwork
from eval.training.positions import Records

Doubles = npt.NDArray[np.float64]


def men_of(record: np.void) -> list[tuple[int, int, int]]:
    """The men of a record: colour (0 the mover's), kind, square."""
    squares = [square for square in range(64) if int(record["occupied"]) >> square & 1]
    halves = [half for byte in record["pieces"].tolist() for half in (byte & 15, byte >> 4)]
    return [(half >> 3, half & 7, square) for square, half in zip(squares, halves, strict=False)]


def inputs_of(record: np.void, places: tuple[int, ...], us: int) -> list[int]:
    """The inputs that side `us` (0 the mover) sees set."""
    men = men_of(record)
    seen = [(colour ^ us, kind, square ^ 56 * us) for colour, kind, square in men]
    (king,) = (square for colour, kind, square in seen if (colour, kind) == (0, 5))
    if king % 8 > 3:
        seen = [(colour, kind, square ^ 7) for colour, kind, square in seen]
        king ^= 7
    return [places[king] * ROWS + (colour * 6 + kind) * 64 + square for colour, kind, square in seen]


@dataclass
class ReferenceNetwork:
    """`hidden`: a row for each input, the biases last; `outputs`: a row for each bucket, the bias last."""

    hidden: Doubles
    outputs: Doubles
    places: tuple[int, ...]

    @classmethod
    def of(cls, network: FloatNetwork) -> "ReferenceNetwork":
        return cls(network.hidden().astype(float), network.outputs().astype(float), network.places)

    def _features(self, found: Records) -> tuple[Doubles, Doubles, Any]:
        """Own and other inputs, each with a one for the biases; and the output buckets."""
        features = np.zeros((2, len(found), len(self.hidden)))
        for row, record in enumerate(found):
            for us in range(2):
                features[us, row, inputs_of(record, self.places, us)] = 1
        features[:, :, -1] = 1
        return features[0], features[1], np.array([(len(men_of(record)) - 1) // 4 for record in found])

    def logits(self, found: Records) -> Doubles:
        own, other, buckets = self._features(found)
        units = [np.clip(own @ self.hidden, 0, 1), np.clip(other @ self.hidden, 0, 1)]
        chosen = self.outputs[buckets]
        values: Doubles = (np.hstack(units) ** 2 * chosen[:, :-1]).sum(axis=1) + chosen[:, -1]
        return values

    def loss(self, found: Records, targets: Any) -> float:
        logits = self.logits(found)
        return float((np.logaddexp(0, logits) - targets * logits).sum())

    def gradients(self, found: Records, targets: Any) -> tuple[Doubles, Doubles]:
        own, other, buckets = self._features(found)
        sums = np.hstack([own @ self.hidden, other @ self.hidden])
        units = np.clip(sums, 0, 1)
        errors = 1 / (1 + np.exp(-self.logits(found))) - targets
        by_unit = errors[:, None] * self.outputs[buckets, :-1] * 2 * units * (sums < 1)
        width = self.hidden.shape[1]
        hidden = own.T @ by_unit[:, :width] + other.T @ by_unit[:, width:]
        outputs = np.zeros_like(self.outputs)
        for bucket in range(OUTPUT_BUCKETS):
            rows = buckets == bucket
            outputs[bucket, :-1] = errors[rows] @ units[rows] ** 2
            outputs[bucket, -1] = errors[rows].sum()
        return hidden, outputs
