"""Pictures: positions as SVG by python-chess, the course of a game by matplotlib, and PNG of both."""

from __future__ import annotations

import re
import warnings
import xml.etree.ElementTree as ET
from dataclasses import asdict, dataclass
from io import BytesIO
from math import nan
from typing import TYPE_CHECKING

import chess
import chess.svg
from chess.engine import Cp

from lolli._assessment import Mark, winning_chances
from lolli.cli.terminal.screen import with_real_minus

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.axes import Axes

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
_MARKED = "#e0714acc"
_BORDER = 14  # for the coordinates in a page, left of the squares and below them; a square is 45
_MIDDLE = 7.5  # from the squares to the middle of the coordinates
_COLORS = {
    "square light": "#f0ebe0",
    "square dark": "#a3b09a",
    "square light lastmove": "#ecdc95",
    "square dark lastmove": "#c3b55c",
    "coord": "#7b7f78",
    "arrow green": "#2f7d4fd9",
    "arrow red": "#cc2f2fd9",
    "arrow yellow": "#d99a00d9",
    "arrow blue": "#2d6fb3d9",
}
_POINTS_PER_INCH = 72
_TICKS = (-500, -200, 0, 200, 500)  # centipawns
_SHAPES = {Mark.INACCURACY: "o", Mark.MISTAKE: "D", Mark.BLUNDER: "s"}
_STYLE = re.compile(r"<style.*?</style>", re.DOTALL)  # matplotlib's own, which would apply to the whole page
_MARK_SIZE = 5.5  # points
_LABEL_WIDTH = 0.16  # of the axes, for the name of a phase
_SIZE_IN_POINTS = re.compile(rb'((?:width|height)="[\d.]+)pt"')  # a unit that not all programs support

Squares = tuple[chess.Square, chess.Square]


def moved_squares(board: chess.Board, move: chess.Move) -> Squares:
    """The origin and target of a move; when castling, those of the king."""
    to_square = move.to_square
    if board.is_castling(move):
        to_square = chess.square(2 if board.is_queenside_castling(move) else 6, chess.square_rank(to_square))
    return move.from_square, to_square


def board_svg(
    board: chess.Board,
    *,
    orientation: chess.Color = chess.WHITE,
    last: Squares | None = None,
    arrows: Iterable[chess.svg.Arrow] = (),
    marked: Iterable[chess.Square] = (),
    size: int | None = None,
    coordinates: bool = True,
) -> str:
    """Colours the last move's squares, those `marked`, and that of a king in check. `size` is in pixels."""
    return chess.svg.board(
        board,
        orientation=orientation,
        lastmove=chess.Move(*last) if last else None,
        check=board.king(board.turn) if board.is_check() else None,
        arrows=arrows,
        fill=dict.fromkeys(marked, _MARKED),
        size=size,
        coordinates=coordinates,
        colors={**_COLORS, "margin": "#ffffff"},
    )


def board_png(svg: str) -> bytes:
    """A PNG file of the SVG's size. Needs the package resvg_py."""
    import resvg_py  # noqa: PLC0415 - only a PNG needs it

    return resvg_py.svg_to_bytes(svg_string=svg, skip_system_fonts=True)


def diagram_in_page(
    board: chess.Board,
    label: str,
    *,
    orientation: chess.Color,
    last: Squares | None = None,
    arrows: Iterable[chess.svg.Arrow] = (),
) -> str:
    """For a page with `shared_definitions`; labelled for screen readers. The page's script turns it."""
    ET.register_namespace("", _SVG)
    svg = board_svg(board, orientation=orientation, last=last, arrows=arrows, coordinates=False)
    root = ET.fromstring(svg)  # noqa: S314 - made by python-chess
    for name in ("desc", "defs"):
        for element in root.findall(f"{{{_SVG}}}{name}"):
            root.remove(element)
    for element in root.iter(f"{{{_SVG}}}use"):
        element.attrib.pop(f"{{{_XLINK}}}href", None)
    side = 8 * chess.svg.SQUARE_SIZE
    root.set("viewBox", f"{-_BORDER} 0 {side + _BORDER} {side + _BORDER}")
    root.append(_coordinates(orientation))
    root.set("role", "img")
    root.set("aria-label", label)
    return ET.tostring(root, encoding="unicode")


def _coordinates(orientation: chess.Color) -> ET.Element:
    side = 8 * chess.svg.SQUARE_SIZE
    group = ET.Element("g", {"class": "coordinates"})
    files, ranks = chess.FILE_NAMES, chess.RANK_NAMES[::-1]
    for place in range(8):
        middle = (place + 0.5) * chess.svg.SQUARE_SIZE
        name = place if orientation else 7 - place
        file = ET.SubElement(group, "text", {"class": "file", "x": f"{middle:g}", "y": f"{side + _MIDDLE:g}"})
        rank = ET.SubElement(group, "text", {"class": "rank", "x": f"{-_MIDDLE:g}", "y": f"{middle:g}"})
        file.text, rank.text = files[name], ranks[name]
    return group


def shared_definitions() -> str:
    return "".join((*chess.svg.PIECES.values(), chess.svg.CHECK_GRADIENT))


@dataclass(frozen=True, slots=True)
class Course:
    """The data of a graph: for each position its ply (1 after White's first move), White's winning chances,
    -1 … 1 or None if not known, and the mark of the move that led to it. `phases` are those of the game, by
    the plies of their first positions; `book` is the last ply in the book."""

    plies: Sequence[int]
    chances: Sequence[float | None]
    marks: Sequence[Mark | None]
    phases: Sequence[tuple[int, str]] = ()
    book: int | None = None


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
        colors = {Mark.INACCURACY: self.inaccuracy, Mark.MISTAKE: self.mistake, Mark.BLUNDER: self.blunder}
        return colors[mark]


@dataclass(frozen=True, slots=True)
class GraphDrawing:
    """`edge` is the axes' left edge, `left` and `right` the first and last position: 0 … 1 of the width."""

    svg: str
    edge: float
    left: float
    right: float


def position_on_axis(ply: int) -> float:
    """The place of a ply on an axis of move numbers: White's move at its number, Black's half further."""
    return (ply + 1) / 2


def page_graph(course: Course) -> GraphDrawing:
    """Small, without title, in the page's font; colours are CSS variables such as `--graph-white`."""
    axes, saved = _graph(course, (440, 150), (0.068, 0.15, 0.918, 0.755), "svg", text="none")
    svg = _STYLE.sub("", saved.decode())
    for name, color in asdict(Palette()).items():
        svg = svg.replace(color, f"var(--graph-{name}, {color})")
    box, (low, high) = axes.get_position(), axes.get_xlim()
    left, right = (
        box.x0 + box.width * (position_on_axis(ply) - low) / (high - low)
        for ply in (course.plies[0], course.plies[-1])
    )
    return GraphDrawing(svg[svg.index("<svg") :], box.x0, left, right)


def graph_file(course: Course, title: str, kind: str) -> bytes:
    """The graph as a file, with a title; `kind` is `svg` or `png`."""
    return _graph(course, (900, 320), (0.045, 0.105, 0.94, 0.745), kind, title=title)[1]


def _graph(
    course: Course,
    size: tuple[int, int],
    place: tuple[float, float, float, float],
    kind: str,
    *,
    text: str = "path",
    title: str | None = None,
) -> tuple[Axes, bytes]:
    """A figure's axes, at `place` in it, and its file. `size` is in points; `text` as svg.fonttype."""
    import matplotlib as mpl  # noqa: PLC0415 - an extra
    from matplotlib.figure import Figure  # noqa: PLC0415

    with mpl.rc_context({"svg.fonttype": text, "svg.hashsalt": "lolli", "font.size": 11}):
        width, height = size
        figure = Figure(
            figsize=(width / _POINTS_PER_INCH, height / _POINTS_PER_INCH),
            facecolor="none" if title is None else "white",
        )
        axes = figure.add_axes(place)
        _draw(axes, course)
        if title is not None:
            axes.set_title(title, loc="left", fontsize=12, color=Palette().line, parse_math=False, pad=24)
        file = BytesIO()
        metadata = dict.fromkeys(("Date", "Creator", "Format", "Type") if kind == "svg" else ("Software",))
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Glyph")  # for letters that the font lacks
            dpi = _POINTS_PER_INCH * (1 if title is None else 2)
            figure.savefig(file, format=kind, dpi=dpi, metadata=metadata)
    saved = file.getvalue()
    return axes, _SIZE_IN_POINTS.sub(rb'\1"', saved, 2) if kind == "svg" else saved


def _draw(axes: Axes, course: Course) -> None:
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415 - an extra

    palette = Palette()
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
    _mark_phases(axes, course)
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


def _mark_phases(axes: Axes, course: Course) -> None:
    """A line where a phase begins, with its name above where there is room, and one where the book ends."""
    palette = Palette()
    width = max(1, course.plies[-1] - course.plies[0])
    ends = [ply for ply, _ in course.phases[1:]] + [course.plies[-1]]
    for number, ((ply, name), end) in enumerate(zip(course.phases, ends, strict=False)):
        at = position_on_axis(ply)
        if number:
            line = axes.axvline(at, color=palette.even, linewidth=0.9, linestyle="--")
            line.set_gid(f"from-{name.lower().replace(' ', '-')}")
        if (end - ply) / width > _LABEL_WIDTH:
            axes.text(at, 1.12, name, color=palette.text, fontsize=9)
    if course.book is not None:
        line = axes.axvline(position_on_axis(course.book), color=palette.even, linewidth=1.2, linestyle=":")
        line.set_gid("book-end")
