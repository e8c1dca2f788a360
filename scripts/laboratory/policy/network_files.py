"""Files of networks with a policy and a value, in numbers that can be learned."""

from __future__ import annotations

import json
import zlib
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np

from engine.games.compiled.network_shape import PolicyShape

if TYPE_CHECKING:
    from pathlib import Path

    from scripts.laboratory.policy.float_network import Parameters

SUFFIX = ".npz"


class NetworkFileError(ValueError):
    """A file has no network. The message says why."""


@dataclass(frozen=True, slots=True)
class LearnedNetwork:
    """A network, the game and the size of the board that it learned on (None: the only one), and more."""

    game: str
    size: int | None
    shape: PolicyShape
    parameters: Parameters
    about: dict[str, Any] = field(default_factory=dict)


def save_network(path: Path, network: LearnedNetwork) -> None:
    """Write a file whole, or leave what was there. Raises OSError."""
    described = {
        "game": network.game,
        "size": network.size,
        "shape": asdict(network.shape),
        "about": network.about,
    }
    partial = path.with_name(path.name + ".partial")
    arrays: dict[str, Any] = {f"network/{name}": values for name, values in network.parameters.items()}
    with partial.open("wb") as file:
        np.savez(file, described=np.array(json.dumps(described)), **arrays)
    partial.replace(path)


def load_network(path: Path) -> LearnedNetwork:
    """The network in a file. Raises NetworkFileError, and OSError."""
    try:
        with np.load(path) as arrays:
            described = json.loads(str(arrays["described"]))
            shape = PolicyShape(**described["shape"])
            parameters = {name: arrays[f"network/{name}"] for name, _ in shape.parameters()}
        game, size, about = described["game"], described["size"], described["about"]
    except (BadZipFile, EOFError, KeyError, TypeError, ValueError, zlib.error):
        raise NetworkFileError(f"{path}: not a network with a policy and a value, or damaged") from None
    if any(parameters[name].shape != size_ for name, size_ in shape.parameters()):
        raise NetworkFileError(f"{path}: its arrays have other shapes than it says")
    return LearnedNetwork(game, size, shape, parameters, about)
