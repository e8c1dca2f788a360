"""Networks for tests: random ones, sound and unlike one another."""

import random
from array import array
from collections.abc import Sequence
from functools import cache
from itertools import chain

from eval.network_file import SQUARES, NetworkWeights
from eval.network_shape import OUTPUT_BUCKETS, ROWS
from eval.outcome import OutcomeModel
from tests.eval.some_weights import MODEL

ONE_BUCKET = (0,) * SQUARES
BY_RANK = tuple(min(square >> 3, 2) for square in range(SQUARES))
EACH_SQUARE = tuple(square >> 3 << 2 | square & 3 for square in range(SQUARES))


def numbers(*parts: Sequence[int]) -> memoryview:
    """The int16 of a network: hidden weights, hidden biases, output weights."""
    return memoryview(array("h", chain(*parts)))


@cache
def random_network(
    seed: int = 1,
    width: int = 32,
    king_places: tuple[int, ...] = ONE_BUCKET,
    outcome: OutcomeModel | None = MODEL,
    *,
    won: bool = False,
    drawish: bool = False,
) -> NetworkWeights:
    """Values of some hundred centipawns either way; units that are off, on, and between."""
    rng = random.Random(seed)
    buckets = 1 + max(king_places)
    hidden = rng.choices(range(-60, 61), k=buckets * ROWS * width)
    biases = rng.choices(range(-100, 301), k=width)
    outputs = rng.choices(range(-127, 128), k=2 * OUTPUT_BUCKETS * width)
    return NetworkWeights(
        width,
        numbers(hidden, biases, outputs),
        tuple(rng.randint(-(1 << 20), 1 << 20) for _ in range(OUTPUT_BUCKETS)),
        king_places,
        139,
        won,
        drawish,
        outcome,
        {"seed": seed},
    )


SHAPES = {
    "32": (32, ONE_BUCKET),
    "96x3": (96, BY_RANK),
    "32x3": (32, BY_RANK),
    "64x32": (64, EACH_SQUARE),
    "128": (128, ONE_BUCKET),
    "256": (256, ONE_BUCKET),
    "512": (512, ONE_BUCKET),
}
"""Width and king places by name."""


def shaped(name: str) -> NetworkWeights:
    return random_network(1 + list(SHAPES).index(name), *SHAPES[name])


def extreme_network(sense: int, king_places: tuple[int, ...]) -> NetworkWeights:
    """Numbers as large as they may be: 32 men that all add their most fill 16 bits, all units on fill 32."""
    width, rng = 32, random.Random(sense)
    buckets = 1 + max(king_places)
    hidden = [sense * rng.choice((1016, 1016, -1016)) for _ in range(buckets * ROWS * width)]
    biases = [sense * 255] * width
    outputs = [sense * rng.choice((127, 127, -127)) for _ in range(2 * OUTPUT_BUCKETS * width)]
    return NetworkWeights(
        width,
        numbers(hidden, biases, outputs),
        (2**31 - 1, -(2**31)) * 4,
        king_places,
        10_000,
        won_endings=False,
        drawish_endings=False,
    )
