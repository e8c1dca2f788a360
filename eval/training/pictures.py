"""Weights and losses as pictures: PNG files of less than 150 kB each.

Weights that no position uses are left out.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from eval.features import FEATURES, PIECE_NAMES, Feature
from eval.training.drawing import COLOURS, draw_heat, new_figure, save_picture
from eval.training.tuner import Epoch, Table

STAGES = ("middle game", "endgame")

_MOBILITY = ("knight mobility", "bishop mobility", "rook mobility", "queen mobility")
_PAWNS = ("phalanx", "supported", "candidate", "passed")
_PASSED = ("blocked passed", "free passed", "safe passed", "defended passed")
_KINGS = ("own king to passed", "enemy king to passed")
PICTURED = {
    "placement",
    "facing",
    "shelter",
    "storm",
    "blocked storm",
    "danger",
    *_MOBILITY,
    *_PAWNS,
    *_PASSED,
    *_KINGS,
}
"""The features that are in some picture."""

_BY_NAME = {feature.name: feature for feature in FEATURES}
Uses = npt.NDArray[np.int64]


def draw_losses(path: Path, epochs: Sequence[Epoch]) -> None:
    """The losses of training and validation by epoch, with a ring around the epoch that was kept."""
    figure = new_figure(7.5, 4)
    axes = figure.subplots()
    numbers = [epoch.number for epoch in epochs]
    axes.plot(numbers, [epoch.training for epoch in epochs], color=COLOURS[0], label="training")
    axes.plot(numbers, [epoch.validation for epoch in epochs], color=COLOURS[1], label="validation")
    best = min(epochs, key=lambda epoch: epoch.validation)
    axes.plot([best.number], [best.validation], "o", color=COLOURS[1], fillstyle="none", label="kept")
    axes.set_xlabel("epoch")
    axes.set_ylabel("loss, nats a position")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(alpha=0.3)
    axes.legend()
    save_picture(figure, path)


def draw_boards(path: Path, name: str, weights: Table, uses: Uses) -> None:
    """A board for each piece and stage, with rank 1 at the bottom."""
    feature = _BY_NAME[name]
    pieces = PIECE_NAMES[: feature.shape[0]]
    figure = new_figure(11, 2.9 * ((len(pieces) + 1) // 2))
    boards = figure.subplots((len(pieces) + 1) // 2, 4, squeeze=False).ravel()
    tables = [_shaped(feature, stage, uses) for stage in weights]
    for index, axes in enumerate(boards):
        piece, stage = divmod(index, 2)
        if piece >= len(pieces):
            axes.set_axis_off()
            continue
        draw_heat(axes, tables[stage][piece])
        axes.set_title(f"{pieces[piece]}, {STAGES[stage]}", fontsize=9)
        axes.set_xticks(range(8), "abcdefgh")
        axes.set_yticks(range(8), "12345678")
    save_picture(figure, path)


def draw_mobility(path: Path, weights: Table, start: Table, uses: Uses) -> None:
    """The mobility weights of each piece."""
    _draw_curves(path, [(name, "squares") for name in _MOBILITY], 2, weights, start, uses)


def draw_pawns(path: Path, weights: Table, start: Table, uses: Uses) -> None:
    """Pawns by rank, and the distances of the kings from passed pawns."""
    panels = [(name, "rank") for name in _PAWNS + _PASSED] + [(name, "steps") for name in _KINGS]
    _draw_curves(path, panels, 4, weights, start, uses)


def draw_king(path: Path, weights: Table, start: Table, uses: Uses) -> None:
    """Shelter and storm in the middle game, blocked storm, and danger."""
    figure = new_figure(10, 6)
    (shelter, storm), (blocked, danger) = figure.subplots(2, 2)
    for axes, name in ((shelter, "shelter"), (storm, "storm")):
        draw_heat(axes, _shaped(_BY_NAME[name], weights[0], uses))
        axes.set_title(f"{name}, middle game", fontsize=9)
        axes.set_xticks(range(8), ["none", *"2345678"])
        axes.set_yticks(range(4), ["a, h", "b, g", "c, f", "d, e"])
        axes.set_xlabel("rank of the pawn", fontsize=8)
    _draw_curve(blocked, "blocked storm", "rank", weights, start, uses)
    _draw_curve(danger, "danger", "units", weights, start, uses)
    danger.legend(fontsize=8)
    save_picture(figure, path)


def _draw_curves(
    path: Path, panels: Sequence[tuple[str, str]], across: int, weights: Table, start: Table, uses: Uses
) -> None:
    down = -(-len(panels) // across)
    figure = new_figure(10, 2.6 * down)
    grid = figure.subplots(down, across, squeeze=False).ravel()
    for axes, (name, unit) in zip(grid, panels, strict=False):
        _draw_curve(axes, name, unit, weights, start, uses)
    for axes in grid[len(panels) :]:
        axes.set_axis_off()
    grid[0].legend(fontsize=7)
    save_picture(figure, path)


def _draw_curve(axes: Axes, name: str, unit: str, weights: Table, start: Table, uses: Uses) -> None:
    """One feature along its only axis, with its start as a dotted line."""
    feature = _BY_NAME[name]
    first = 1 if unit == "rank" else 0  # people count ranks from 1
    across = np.arange(feature.size) + first
    for stage, colour in enumerate(COLOURS):
        before, after = _shaped(feature, start[stage], uses), _shaped(feature, weights[stage], uses)
        axes.plot(across, before, ":", color=colour, linewidth=1)
        axes.plot(across, after, ".-", color=colour, linewidth=1.5, label=STAGES[stage])
    axes.axhline(0, color="black", linewidth=0.5)
    axes.set_title(name, fontsize=9)
    axes.set_xlabel(unit, fontsize=8)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.tick_params(labelsize=8)
    axes.grid(alpha=0.3)


def _shaped(feature: Feature, weights: npt.NDArray[np.float64], uses: Uses) -> npt.NDArray[np.float64]:
    """A feature's weights along its axes, NaN for those without uses."""
    place = slice(feature.start, feature.start + feature.size)
    return np.where(uses[place] > 0, weights[place], np.nan).reshape(feature.shape)
