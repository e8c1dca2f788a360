"""How well a network predicts: its losses by stage of the game."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import xlogy

from eval.network_shape import MEN_A_BUCKET, OUTPUT_BUCKETS
from eval.training import records
from eval.training.network_learning import losses

if TYPE_CHECKING:
    import numpy.typing as npt

    from eval.training.network_learning import NetworkExamples, Rows

    Reals = npt.NDArray[np.float32]

_PLIES = (0, 20, 40, 60, 80, 120, 255)


@dataclass(frozen=True, slots=True)
class Band:
    """Some positions: the mean loss, the least possible one, and the loss against results alone, in nats."""

    name: str
    positions: int
    loss: float
    least: float
    result: float


@dataclass(frozen=True, slots=True)
class NetworkJudgement:
    """The losses of all validation positions, by the number of men, and by ply."""

    total: Band
    men: tuple[Band, ...]
    plies: tuple[Band, ...]

    def about(self) -> dict[str, Any]:
        """A record for the file of a network."""
        return {
            "total": _rounded(self.total),
            "men": [_rounded(band) for band in self.men],
            "plies": [_rounded(band) for band in self.plies],
        }


def judge_network(logits: Reals, examples: NetworkExamples, rows: Rows) -> NetworkJudgement:
    """Judge the logits of these rows of the examples."""
    found = examples.records[rows]
    wanted = examples.targets[rows]
    columns = (
        losses(logits, wanted),
        -(xlogy(wanted, wanted) + xlogy(1 - wanted, 1 - wanted)),
        losses(logits, found["result"].astype(np.float32) / 2),
    )
    buckets = (records.men(found).astype(int) - 1) // MEN_A_BUCKET
    names = [
        f"{bucket * MEN_A_BUCKET + 1} to {(bucket + 1) * MEN_A_BUCKET}" for bucket in range(OUTPUT_BUCKETS)
    ]
    bands = np.searchsorted(_PLIES, found["ply"], "right") - 1
    plies = [f"{first} to {last - 1}" for first, last in pairwise(_PLIES)]
    return NetworkJudgement(
        _band("all", columns, np.ones(len(rows), np.bool_)),
        tuple(_band(name, columns, buckets == number) for number, name in enumerate(names)),
        tuple(
            _band(name, columns, bands == number)
            for number, name in enumerate([*plies, f"from {_PLIES[-1]}"])
        ),
    )


def _band(name: str, columns: tuple[Reals, ...], chosen: npt.NDArray[np.bool_]) -> Band:
    positions = int(chosen.sum())
    means = [float(column[chosen].mean(dtype=np.float64)) if positions else 0.0 for column in columns]
    return Band(name, positions, *means)


def _rounded(band: Band) -> dict[str, Any]:
    return {
        key: round(value, 5) if isinstance(value, float) else value for key, value in asdict(band).items()
    }
