"""What the pictures of reports share: figures, tables in colours, small files."""

from io import BytesIO
from pathlib import Path

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image

from engine.system.files import writing

COLOURS = ("tab:blue", "tab:orange")

_DOTS = 100  # per inch
_SHADES = 128
_PALEST = 40.0  # centipawns: no smaller weight has full colour


def draw_heat(axes: Axes, table: npt.NDArray[np.float64]) -> None:
    """Numbers on colours: blue is good, red is bad."""
    seen = table[np.isfinite(table)]
    limit = max(_PALEST, float(np.abs(seen).max(initial=0)))
    axes.imshow(table, cmap="RdBu", vmin=-limit, vmax=limit, origin="lower", aspect="auto")
    for (row, column), number in np.ndenumerate(table):
        if np.isfinite(number):
            colour = "white" if abs(number) > 0.6 * limit else "black"
            axes.text(column, row, f"{number:.0f}", ha="center", va="center", fontsize=6.5, color=colour)
    axes.tick_params(labelsize=7, length=0)


def new_figure(width: float, height: float) -> Figure:
    """A figure of this size in inches."""
    return Figure(figsize=(width, height), dpi=_DOTS, layout="constrained")


def save_picture(figure: Figure, path: Path) -> None:
    """Write a small file, with a palette."""
    drawn = BytesIO()
    figure.savefig(drawn, format="png")
    with writing(path) as file:
        picture = Image.open(drawn).convert("RGB").quantize(_SHADES, dither=Image.Dither.NONE)
        picture.save(file, "PNG", optimize=True)
