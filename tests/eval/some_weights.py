"""Weights for tests: sound, and different from one another."""

import random
from pathlib import Path

from eval.features import WEIGHTS
from eval.outcome import OutcomeModel
from eval.weight_file import STANDARD, Weights, load

MODEL = OutcomeModel((180.0, 40.0, 20.0, 10.0), (60.0, 20.0, 10.0, 5.0))


def random_weights(seed: int = 1, outcome: OutcomeModel | None = MODEL) -> Weights:
    """Up to 20 centipawns either way."""
    rng = random.Random(seed)
    middle, endgame = ([rng.randint(-20, 20) for _ in range(WEIGHTS)] for _ in range(2))
    return Weights(tuple(middle), tuple(endgame), outcome, {"seed": seed})


def standard_weights() -> Weights:
    return load(Path(STANDARD))
