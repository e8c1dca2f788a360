"""What a training has reached, in a file beside the network, so that it goes on after it was killed."""

from __future__ import annotations

import json
import zipfile
import zlib
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from engine.system.files import writing
from eval.training.float_network import FloatNetwork
from eval.training.network_learning import DescentState, NetworkEpoch

if TYPE_CHECKING:
    from pathlib import Path

_ARRAYS = ("values", "mean", "square", "best")
_DAMAGES = (
    *(ArithmeticError, AttributeError, EOFError, LookupError, RuntimeError, TypeError, ValueError),
    *(zipfile.BadZipFile, zlib.error),
)


class CheckpointError(ValueError):
    """A checkpoint cannot be used. The message says why."""


@dataclass(slots=True)
class TrainingCheckpoint:
    """A training so far.

    `plan`: what was asked for, in JSON. `stage`: the number of the present stage. `contents`: by the name of
    each stage that has begun, the `Corpus.contents` that it learns. `done`: what is known of stages that
    have ended.
    """

    plan: dict[str, Any]
    state: DescentState
    stage: int = 0
    contents: dict[str, dict[str, tuple[int, str]]] = field(default_factory=dict)
    done: list[dict[str, Any]] = field(default_factory=list)

    def save(self, path: Path) -> None:
        """Write the file whole, or leave what was there."""
        state = self.state
        described = {
            "plan": self.plan,
            "stage": self.stage,
            "contents": self.contents,
            "done": self.done,
            "width": state.network.width,
            "places": state.network.places,
            "least": state.least,
            "steps": state.steps,
            "batch": state.batch,
            "loss": state.loss,
            "epochs": [asdict(epoch) for epoch in state.epochs],
        }
        arrays = (state.network.values, state.mean, state.square, state.best.values)
        path.parent.mkdir(parents=True, exist_ok=True)
        with writing(path) as file:
            named: dict[str, Any] = dict(zip(_ARRAYS, arrays, strict=True))
            np.savez(file, described=np.array(json.dumps(described)), **named)


def load(path: Path, plan: dict[str, Any]) -> TrainingCheckpoint | None:
    """The checkpoint of a training with this plan, or None if there is no file.

    Raises CheckpointError for a file of another training, and one that cannot be read.
    """
    try:
        with path.open("rb") as file:
            return _read(path, file, plan)
    except FileNotFoundError:
        return None
    except CheckpointError:
        raise
    except OSError as error:
        raise CheckpointError(f"{path}: cannot be read: {error.strerror or error}") from None
    except _DAMAGES:
        raise CheckpointError(
            f"{path}: cannot be read: it is damaged or of another version; delete it to begin anew"
        ) from None


def _read(path: Path, file: BinaryIO, plan: dict[str, Any]) -> TrainingCheckpoint:
    """The checkpoint in a file. Raises CheckpointError, OSError, and _DAMAGES."""
    with zipfile.ZipFile(file) as archive:
        if archive.testzip() is not None:
            raise zipfile.BadZipFile
    file.seek(0)
    with np.load(file) as kept:
        described = json.loads(str(kept["described"]))
        values, mean, square, best = (kept[name] for name in _ARRAYS)
    _compare(path, described["plan"], plan)
    width, places = described["width"], tuple(described["places"])
    state = DescentState(
        FloatNetwork(width, places, values),
        mean,
        square,
        FloatNetwork(width, places, best),
        described["least"],
        described["steps"],
        described["batch"],
        described["loss"],
        [NetworkEpoch(**epoch) for epoch in described["epochs"]],
    )
    return TrainingCheckpoint(plan, state, described["stage"], described["contents"], described["done"])


def _compare(path: Path, before: dict[str, Any], now: dict[str, Any]) -> None:
    """Raise CheckpointError where the plans differ."""
    for key in sorted(before.keys() | now.keys()):
        if before.get(key) != now.get(key):
            raise CheckpointError(
                f"{path} belongs to another training: {key} was {before.get(key)} and is {now.get(key)}"
            )
