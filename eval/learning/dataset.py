"""Positions to learn from, as a sparse matrix of what they count."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse

from eval.explanation import FULL_PHASE, FULL_SCALE
from eval.features import WEIGHTS
from eval.learning import extraction

Reals = npt.NDArray[np.float32]
Rows = npt.NDArray[np.intp]

_GAME_BITS = 32


@dataclass(frozen=True, slots=True)
class Dataset:
    """A row for each position; all of it is seen by White.

    `counts`: sparse, White's minus Black's, a column for each weight. `material`: centipawns.
    `middle`, `endgame`: the shares that these stages have in the value, 0 … 1; they need not make 1,
    for the endgame's is scaled down where it is hard to win. `score`: of the search, in centipawns.
    `result`: 1 won, 0.5 drawn, 0 lost. `source`: the number of the folder; `game`: unique in all folders.
    """

    counts: Any
    material: Reals
    middle: Reals
    endgame: Reals
    score: Reals
    result: Reals
    source: npt.NDArray[np.int32]
    game: npt.NDArray[np.int64]

    def __len__(self) -> int:
        """How many positions there are."""
        return len(self.material)

    def take(self, rows: Rows | slice) -> Self:
        """These rows only, in this order."""
        return type(self)(**{field.name: getattr(self, field.name)[rows] for field in fields(self)})

    def values(self, weights: npt.NDArray[np.floating]) -> Reals:
        """White's centipawns by `weights`, two rows: middle game and endgame. Nothing is rounded."""
        middle, endgame = np.ascontiguousarray(weights, np.float32)
        value: Reals = self.middle * (self.material + self.counts @ middle)
        value += self.endgame * (self.material + self.counts @ endgame)
        return value

    def slopes(self, by_value: Reals) -> npt.NDArray[np.float64]:
        """How something changes with the weights, in two rows, by how it changes with each value."""
        columns = self.counts.T
        stages = [columns @ (by_value * self.middle), columns @ (by_value * self.endgame)]
        return np.array(stages, np.float64)

    def uses(self) -> npt.NDArray[np.int64]:
        """In how many positions each weight counts for one side more than for the other."""
        return np.bincount(self.counts.indices, minlength=WEIGHTS)


def load(folders: Sequence[Sequence[Path]]) -> Dataset:
    """The positions of files that `extraction.prepare` has done, by folder. Raises OSError."""
    parts = [_with_source(path, source) for source, paths in enumerate(folders) for path in paths]
    lengths = np.concatenate([part.pop("lengths") for part in parts])
    indices = np.concatenate([part.pop("indices") for part in parts], dtype=np.int32)
    counts = np.concatenate([part.pop("counts") for part in parts])
    starts = np.zeros(len(lengths) + 1, np.int64 if len(indices) >= 1 << 31 else np.int32)
    np.cumsum(lengths, out=starts[1:])
    columns: dict[str, Any] = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    phase = columns["phase"] / FULL_PHASE
    return Dataset(
        counts=sparse.csr_array((counts, indices, starts), shape=(len(lengths), WEIGHTS)),
        material=_reals(columns["material"]),
        middle=_reals(phase),
        endgame=_reals((1 - phase) * columns["scale"] / FULL_SCALE),
        score=_reals(columns["score"]),
        result=_reals((columns["result"] + 1) / 2),
        source=columns["source"].astype(np.int32),
        game=columns["game"].astype(np.int64),
    )


def split(data: Dataset, share: float, seed: int) -> tuple[Rows, Rows]:
    """Rows to learn from, shuffled, and rows to judge by: all positions of about `share` of the games."""
    chance = np.random.default_rng(seed)
    games, game_of_row = np.unique(data.game, return_inverse=True)
    held_out = np.zeros(len(games), np.bool_)
    held_out[chance.permutation(len(games))[: round(share * len(games))]] = True
    judging = held_out[game_of_row]
    return chance.permutation(np.flatnonzero(~judging)), np.flatnonzero(judging)


def _with_source(path: Path, source: int) -> extraction.Columns:
    columns = extraction.load(path)
    game = columns["game"].astype(np.int64) + (source << _GAME_BITS)
    return columns | {"game": game, "source": np.full(len(game), source)}


def _reals(column: npt.NDArray[Any]) -> Reals:
    return column.astype(np.float32)
