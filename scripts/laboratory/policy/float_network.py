"""A network with a policy and a value in numbers that can be learned, by the names of its arrays.

There is no normalisation: the second convolution of a block begins with zeros, as in Zhang, Dauphin and Ma,
"Fixup initialization" (2019).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.games.compiled.network_shape import PolicyShape

Reals: TypeAlias = npt.NDArray[np.float32]
Parameters: TypeAlias = dict[str, Reals]


def drawn(shape: PolicyShape, seed: int) -> Parameters:
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


def numbers_of(shape: PolicyShape, parameters: Parameters) -> memoryview[float]:
    """All arrays one after the other, as PolicyNetwork and files take them."""
    numbers = np.concatenate([parameters[name].ravel() for name, _ in shape.parameters()])
    found: memoryview[float] = flat([numbers.astype(np.float32)])[0]
    return found


def parameters_of(shape: PolicyShape, numbers: memoryview[float]) -> Parameters:
    """The opposite of `numbers_of`."""
    made, first = {}, 0
    for name, size in shape.parameters():
        count = int(np.prod(size))
        made[name] = np.array(numbers[first : first + count], np.float32).reshape(size)
        first += count
    return made


def flat(arrays: Sequence[Any]) -> list[Any]:
    """The numbers of each array, one after the other, in the form that compiled functions take."""
    return [memoryview(array.reshape(-1)) for array in arrays]
