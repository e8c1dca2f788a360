"""The course of a game as a graph: White's winning chances, move by move."""

from __future__ import annotations

import re
import warnings
from dataclasses import asdict, dataclass
from io import BytesIO
from math import nan

import matplotlib as mpl
from chess.engine import Cp
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from lolli.cli.analysis.assessment import Mark, winning_chances
from lolli.cli.reports.story import Course
from lolli.cli.terminal.words import with_real_minus

_POINTS_PER_INCH = 72
_TICKS = (-500, -200, 0, 200, 500)  # centipawns
_SHAPES = {Mark.INACCURACY: "o", Mark.MISTAKE: "D", Mark.BLUNDER: "s"}
_STYLE = re.compile(r"<style.*?</style>", re.DOTALL)  # matplotlib's own, which would apply to the whole page
_MARK_SIZE = 5.5  # points
_SIZE_IN_POINTS = re.compile(rb'((?:width|height)="[\d.]+)pt"')  # a unit that not all programs support


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours, as `#rrggbb`. The area below the curve is White's, that above it Black's."""

    white: str = "#f7f5f0"
    black: str = "#55595e"
    line: str = "#2b2d30"
    even: str = "#b3563a"
    text: str = "#5c5f63"
    inaccuracy: str = "#e0a100"
    mistake: str = "#e2701b"
    blunder: str = "#cc2f2f"

    def of(self, mark: Mark) -> str:
        return {Mark.INACCURACY: self.inaccuracy, Mark.MISTAKE: self.mistake, Mark.BLUNDER: self.blunder}[
            mark
        ]


@dataclass(frozen=True, slots=True)
class GraphDrawing:
    """A graph as an SVG file, and places in its width, 0 … 1.

    `edge` is the left edge of the axes, `left` and `right` are the first and the last position; the first
    may be left of the edge.
    """

    svg: str
    edge: float
    left: float
    right: float


def position_on_axis(ply: int) -> float:
    """The place of a ply on an axis of move numbers: White's move at its number, Black's half further."""
    return (ply + 1) / 2


def page_graph(course: Course) -> GraphDrawing:
    """The graph for a page: small, without title, its text in the font of the page.

    The colours are CSS variables such as `--graph-white`; the palette has their defaults.
    """
    palette = Palette()
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "lolli", "font.size": 11}):
        figure = Figure(figsize=_inches(440, 150), facecolor="none")
        axes = figure.add_axes((0.068, 0.15, 0.918, 0.82))
        _draw(axes, course, palette)
        svg = _STYLE.sub("", _saved(figure, "svg").decode())
    for name, color in asdict(palette).items():
        svg = svg.replace(color, f"var(--graph-{name}, {color})")
    box, (low, high) = axes.get_position(), axes.get_xlim()
    left, right = (
        box.x0 + box.width * (position_on_axis(ply) - low) / (high - low)
        for ply in (course.plies[0], course.plies[-1])
    )
    return GraphDrawing(svg[svg.index("<svg") :], box.x0, left, right)


def graph_file(course: Course, title: str, kind: str) -> bytes:
    """The graph as a file, with a title; `kind` is `svg` or `png`."""
    palette = Palette()
    with mpl.rc_context({"svg.fonttype": "path", "svg.hashsalt": "lolli", "font.size": 11}):
        figure = Figure(figsize=_inches(900, 320), facecolor="white")
        axes = figure.add_axes((0.045, 0.105, 0.94, 0.79))
        _draw(axes, course, palette)
        axes.set_title(title, loc="left", fontsize=12, color=palette.line, parse_math=False, pad=9)
        return _saved(figure, kind, dpi=2 * _POINTS_PER_INCH)


def _inches(width: int, height: int) -> tuple[float, float]:
    return width / _POINTS_PER_INCH, height / _POINTS_PER_INCH


def _draw(axes: Axes, course: Course, palette: Palette) -> None:
    x = [position_on_axis(ply) for ply in course.plies]
    y = [nan if chances is None else chances for chances in course.chances]
    axes.fill_between(x, y, -1.06, color=palette.white, linewidth=0)
    axes.fill_between(x, y, 1.06, color=palette.black, linewidth=0)
    known = [at for at, chances in zip(x, course.chances, strict=True) if chances is not None]
    axes.hlines(0, known[0], known[-1], color=palette.even, linewidth=0.9)
    axes.plot(x, y, color=palette.line, linewidth=1.1)
    for mark in reversed(Mark):
        axes.plot(
            [at for at, each in zip(x, course.marks, strict=True) if each is mark],
            [at for at, each in zip(y, course.marks, strict=True) if each is mark],
            linestyle="none",
            marker=_SHAPES[mark],
            markersize=_MARK_SIZE,
            markerfacecolor=palette.of(mark),
            markeredgecolor=palette.line,
            markeredgewidth=0.7,
            clip_on=False,
        )
    axes.set_facecolor("none")
    axes.set_xlim(known[0] if known[:1] == x[1:2] else x[0], x[-1])  # often the first position has no score
    axes.set_ylim(-1.06, 1.06)
    axes.set_yticks(
        [winning_chances(Cp(value)) for value in _TICKS],
        [with_real_minus(f"{value / 100:+.0f}") if value else "0" for value in _TICKS],
    )
    axes.xaxis.set_major_locator(MaxNLocator(nbins=10, integer=True))
    axes.tick_params(length=0, labelcolor=palette.text, pad=4)
    for side in ("left", "right", "top", "bottom"):
        axes.spines[side].set_visible(False)


def _saved(figure: Figure, kind: str, dpi: int = _POINTS_PER_INCH) -> bytes:
    file = BytesIO()
    metadata = (
        {"Date": None, "Creator": None, "Format": None, "Type": None} if kind == "svg" else {"Software": None}
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # for letters that the font lacks
        figure.savefig(file, format=kind, dpi=dpi, metadata=metadata)
    saved = file.getvalue()
    return _SIZE_IN_POINTS.sub(rb'\1"', saved, 2) if kind == "svg" else saved
