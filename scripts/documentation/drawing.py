"""The screen of a terminal as SVG, letters as outlines: it needs no fonts and looks the same everywhere."""

from __future__ import annotations

from functools import cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

import matplotlib as mpl
from matplotlib.font_manager import FontProperties
from matplotlib.ft2font import FT2Font
from matplotlib.path import Path as Outline
from matplotlib.textpath import TextPath

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scripts.documentation.terminal import ScreenCell

_WIDTH, _HEIGHT = 9, 19  # of a character, in pixels: whole numbers, so that no gaps are seen between squares
_SIZE = 14.95  # of the font: DejaVu Sans Mono is 0.602 as wide as it is high
_BASELINE = 14.5  # from the top of a line
_MARGIN = 16
_BAR = 34  # the height of the window's upper edge
_PAPER, _INK, _TITLE_BAR = "#171b21", "#d6dae1", "#262c35"
_BUTTONS = ("#e06c6c", "#d9a753", "#7fb56a")
_DIMNESS = 0.45  # how much of the paper is seen through dim characters
_PALETTE = {
    "black": "#171b21",
    "red": "#e8707a",
    "green": "#8fc766",
    "brown": "#e0af62",  # pyte's name for the yellow of 1981
    "blue": "#62a8ec",
    "magenta": "#c585e6",
    "cyan": "#54bcc6",
    "white": "#d6dae1",
    "brightblack": "#7d8694",
    "brightred": "#ff8a92",
    "brightgreen": "#a9e07f",
    "brightbrown": "#f4cb80",
    "brightblue": "#85c1ff",
    "brightmagenta": "#dba5f5",
    "brightcyan": "#76d7e0",
    "brightwhite": "#ffffff",
}
_LETTERS = {Outline.MOVETO: "M", Outline.LINETO: "L", Outline.CURVE3: "Q", Outline.CURVE4: "C"}
_BOXES = range(0x2500, 0x25A0)  # drawn over the whole height of a line, so that they join
_CHESS = range(0x2654, 0x2660)


def drawn(rows: Sequence[Sequence[ScreenCell]], title: str) -> str:
    """The picture of a screen's lines in a window; the title is for those who cannot see it."""
    width = max(len(row) for row in rows) * _WIDTH + 2 * _MARGIN
    height = len(rows) * _HEIGHT + 2 * _MARGIN + _BAR
    glyphs = _Glyphs()
    letters = "\n".join(_letters(rows, glyphs))
    buttons = "".join(_button(number) for number in range(len(_BUTTONS)))
    definitions = "\n".join(glyphs.definitions())
    return f"""\
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">
<title>{escape(title)}</title>
<defs>
{definitions}
</defs>
<rect width="{width}" height="{height}" rx="9" fill="{_PAPER}"/>
<path d="M0 {_BAR}V9a9 9 0 0 1 9-9H{width - 9}a9 9 0 0 1 9 9V{_BAR}z" fill="{_TITLE_BAR}"/>
{buttons}
<g transform="translate({_MARGIN} {_MARGIN + _BAR})">
<g shape-rendering="crispEdges">{"".join(_backgrounds(rows))}</g>
{letters}
</g>
</svg>
"""


class _Glyphs:
    """The outlines of the characters that a picture has, each once."""

    def __init__(self) -> None:
        self._names: dict[tuple[str, bool, bool], str] = {}

    def name(self, text: str, *, bold: bool = False, italic: bool = False) -> str:
        """By which a character is used."""
        return self._names.setdefault((text, bold, italic), f"g{len(self._names)}")

    def definitions(self) -> Iterator[str]:
        """All that have been named."""
        for (text, bold, italic), name in self._names.items():
            yield f'<path id="{name}" d="{_outline(text, bold, italic)}"/>'


def _letters(rows: Sequence[Sequence[ScreenCell]], glyphs: _Glyphs) -> Iterator[str]:
    """The characters by colour, and the lines under them."""
    by_ink: dict[str, list[str]] = {}
    for y, row in enumerate(rows):
        for x, cell in enumerate(row):
            drawn = by_ink.setdefault(_ink(cell), [])
            if cell.text not in ("", " "):
                name = glyphs.name(cell.text, bold=cell.bold, italic=cell.italic)
                drawn.append(f'<use href="#{name}" x="{x * _WIDTH}" y="{y * _HEIGHT}"/>')
            if cell.underlined:
                drawn.append(f'<path d="M{x * _WIDTH} {y * _HEIGHT + 16}h{_WIDTH}v1h-{_WIDTH}z"/>')
    for ink, drawn in by_ink.items():
        if drawn:
            yield f'<g fill="{ink}">{"".join(drawn)}</g>'


def _button(number: int) -> str:
    return f'<circle cx="{20 + 20 * number}" cy="{_BAR // 2}" r="6" fill="{_BUTTONS[number]}"/>'


def _backgrounds(rows: Sequence[Sequence[ScreenCell]]) -> Iterator[str]:
    """What is not paper."""
    for y, row in enumerate(rows):
        for background, cells in groupby(enumerate(row), lambda item: item[1].background):
            columns = [x for x, _ in cells]
            if background != "default":
                yield (
                    f'<rect x="{columns[0] * _WIDTH}" y="{y * _HEIGHT}" width="{len(columns) * _WIDTH}"'
                    f' height="{_HEIGHT}" fill="{_colour(background, _PAPER)}"/>'
                )


def _colour(name: str, default: str) -> str:
    return default if name == "default" else _PALETTE.get(name, f"#{name}")


def _ink(cell: ScreenCell) -> str:
    ink = _colour(cell.foreground, _INK)
    if not cell.dim:
        return ink
    paper = _colour(cell.background, _PAPER)
    channels = zip(bytes.fromhex(ink[1:]), bytes.fromhex(paper[1:]), strict=True)
    return "#" + bytes(round(i + (p - i) * _DIMNESS) for i, p in channels).hex()


def _outline(text: str, bold: bool, italic: bool) -> str:
    """As the `d` of a path, in pixels, from the top left of the cell."""
    font = _font(text, bold, italic)
    path = TextPath((0, 0), text, size=_SIZE, prop=FontProperties(fname=font))
    left, scale, baseline = 0.0, 1.0, _BASELINE
    if text and ord(text[0]) in _BOXES:
        whole = TextPath((0, 0), "█", size=_SIZE, prop=FontProperties(fname=font)).get_extents()
        scale = _HEIGHT / whole.height
        baseline = scale * whole.y1
    elif text and ord(text[0]) in _CHESS:
        shape = path.get_extents()
        left, baseline = _WIDTH / 2 - (shape.x0 + shape.x1) / 2, _HEIGHT / 2 + (shape.y0 + shape.y1) / 2
    pieces = []
    for points, code in path.iter_segments(simplify=False):
        if code == Outline.CLOSEPOLY:
            pieces.append("z")
            continue
        pairs = zip(points[::2], points[1::2], strict=True)
        numbers = " ".join(f"{_short(left + x)} {_short(baseline - scale * y)}" for x, y in pairs)
        pieces.append(f"{_LETTERS[code]}{numbers}")
    return "".join(pieces)


def _short(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".")


def _font(text: str, bold: bool, italic: bool) -> str:
    """The file of the first font that has all of it.

    Chess pieces come from a wider one, as in terminals whose own font has none.
    """
    style = f"{'Bold' if bold else ''}{'Oblique' if italic else ''}"
    names = [f"DejaVuSansMono{f'-{style}' if style else ''}", "DejaVuSansMono", "DejaVuSans"]
    if text and ord(text[0]) in _CHESS:
        names.reverse()
    files = [str(Path(mpl.get_data_path(), "fonts", "ttf", f"{name}.ttf")) for name in names]
    return next((file for file in files if {ord(each) for each in text} <= _characters(file)), files[0])


@cache
def _characters(file: str) -> frozenset[int]:
    return frozenset(FT2Font(file).get_charmap())
