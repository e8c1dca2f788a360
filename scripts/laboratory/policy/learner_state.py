"""What a network that learns must keep to go on later, as a file of NumPy's."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np

from engine.files import writing
from scripts.laboratory.policy.float_network import Parameters

if TYPE_CHECKING:
    from pathlib import Path

    from engine.games.compiled.network_shape import PolicyShape

_PARTS = ("weights", "average", "means", "squares")


class LearnerStateError(ValueError):
    """A file has no state of this network. The message says why."""


@dataclass(frozen=True, slots=True)
class LearnerState:
    """Weights, their moving average, which plays, Adam's means of gradients and of their squares, and steps.

    PyTorch's have "owners", too: the weights that tell the owners of squares from the last features.
    """

    weights: Parameters
    average: Parameters
    means: Parameters
    squares: Parameters
    steps: int


def save_state(path: Path, state: LearnerState) -> None:
    """Write a file whole, or leave what was there. Raises OSError."""
    arrays: dict[str, Any] = {
        f"{part}/{name}": values for part in _PARTS for name, values in getattr(state, part).items()
    }
    with writing(path) as file:
        np.savez(file, steps=np.int64(state.steps), **arrays)


def load_state(path: Path, shape: PolicyShape) -> LearnerState:
    """The state in a file. Raises LearnerStateError, and OSError."""
    parts: dict[str, Parameters] = {part: {} for part in _PARTS}
    try:
        with path.open("rb") as file, np.load(file) as arrays:
            steps = int(arrays["steps"])
            for key in arrays.files:
                part, slash, name = key.partition("/")
                if slash:
                    parts[part][name] = arrays[key]
    except (BadZipFile, EOFError, KeyError, TypeError, ValueError, zlib.error):
        raise LearnerStateError(f"{path}: not the state of a network that learns, or damaged") from None
    for part in parts.values():
        for name, size in shape.parameters():
            if name not in part or part[name].shape != size or not np.isfinite(part[name]).all():
                raise LearnerStateError(f"{path}: the state of another network, or damaged: {name!r}")
    return LearnerState(**parts, steps=steps)
