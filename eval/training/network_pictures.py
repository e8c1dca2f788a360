"""A network as pictures: its learning curves, what its units look for, what men are worth to it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.ticker import MaxNLocator

from eval.features import PIECE_NAMES
from eval.network_shape import ROWS
from eval.training.drawing import COLOURS, draw_heat, new_figure, save_picture
from eval.training.float_network import FloatNetwork

_UNITS, _KINDS = 12, 6
_FULL_COLOUR = 0.99  # the share of the weights that have not yet full colour
_SIDES = ("own", "enemy")

PICTURED_BUCKET = 0
"""The king bucket whose weights are shown."""

Doubles = npt.NDArray[np.float64]


def draw_curves(path: Path, stages: Sequence[dict[str, Any]]) -> None:
    """The losses of training and validation by epoch, a panel for each stage (see `training.Training`)."""
    figure = new_figure(4.5 * len(stages), 3.5)
    for axes, stage in zip(figure.subplots(1, len(stages), squeeze=False)[0], stages, strict=True):
        numbers = [epoch["number"] for epoch in stage["epochs"]]
        for part, colour in zip(("training", "validation"), COLOURS, strict=True):
            axes.plot(numbers, [epoch[part] for epoch in stage["epochs"]], ".-", color=colour, label=part)
        axes.set_title(stage["name"], fontsize=10)
        axes.set_xlabel("epoch")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.grid(alpha=0.3)
        axes.legend()
    figure.supylabel("loss, nats a position", fontsize=10)
    save_picture(figure, path)


def draw_units(path: Path, network: FloatNetwork) -> None:
    """The hidden weights of the units that count most: a row for each, a board for each kind of men.

    They are those of PICTURED_BUCKET.
    """
    hidden = network.hidden()[:-1].reshape(-1, ROWS, network.width)[PICTURED_BUCKET]
    figure = new_figure(11, 0.95 * _UNITS)
    grid = figure.subplots(_UNITS, 2 * _KINDS)
    for row, unit in zip(grid, heaviest_units(network, _UNITS), strict=True):
        boards = hidden[:, unit].reshape(2 * _KINDS, 8, 8)
        limit = float(np.quantile(np.abs(boards), _FULL_COLOUR)) or 1.0
        for axes, board in zip(row, boards, strict=True):
            axes.imshow(board, cmap="RdBu", vmin=-limit, vmax=limit, origin="lower")
            axes.set_xticks([])
            axes.set_yticks([])
        row[0].set_ylabel(f"{unit}", fontsize=8)
    for column, axes in enumerate(grid[0]):
        axes.set_title(f"{_SIDES[column // _KINDS]}\n{PIECE_NAMES[column % _KINDS]}", fontsize=8)
    save_picture(figure, path)


def heaviest_units(network: FloatNetwork, count: int) -> list[int]:
    """The units by how much their weights and those of their outputs vary, the heaviest first."""
    outputs = np.abs(network.outputs()[:, :-1]).mean(axis=0).reshape(2, network.width).sum(axis=0)
    weight = outputs * network.hidden()[:ROWS].std(axis=0)
    heaviest: list[int] = np.argsort(-weight, kind="stable")[:count].tolist()
    return heaviest


def draw_worths(path: Path, worths: Doubles, means: Sequence[float]) -> None:
    """A board for each kind of men but kings: by how much its worth on a square differs from its mean worth.

    Squares whose worth is NaN stay white.
    """
    figure = new_figure(11, 6.2)
    boards = figure.subplots(2, 3).ravel()
    for axes, name, table, mean in zip(boards, PIECE_NAMES, worths, means, strict=False):
        draw_heat(axes, table - mean)
        axes.set_title(f"{name}: {mean:.0f} plus" if np.isfinite(mean) else name, fontsize=9)
        axes.set_xticks(range(8), "abcdefgh")
        axes.set_yticks(range(8), "12345678")
    boards[-1].set_axis_off()
    save_picture(figure, path)
