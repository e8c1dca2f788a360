"""A terminal in memory, and a page in chromium without a window; their pictures.

Keys go in, and the screen can be read as a person sees it. In the picture of a terminal letters are
outlines, so that it needs no fonts and looks the same everywhere.
"""

from __future__ import annotations

import base64
import codecs
import io
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby, islice
from pathlib import Path
from typing import Self
from xml.sax.saxutils import escape

import click
import matplotlib as mpl
import pyte
from matplotlib.font_manager import FontProperties
from matplotlib.ft2font import FT2Font
from matplotlib.path import Path as Outline
from matplotlib.textpath import TextPath
from PIL import Image
from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.by import By

from engine.system import services


class DocumentationError(click.ClickException):
    """A command does not do what the page says. The message names the command or the line."""


# Makes the terminal on stdin the controlling terminal, for Ctrl-C.
_LOGIN = "import os, sys; os.login_tty(0); os.execvp(sys.argv[1], sys.argv[1:])"
_PROMPT = "\x1b[1;32m$\x1b[0m "
_TEXT_STYLE = "\ufe0e"  # has no width, and pyte drops the character after it
_DIM, _BLINKING, _NEITHER_BOLD_NOR_DIM, _NOT_BLINKING = 2, 5, 22, 25
_COLOURS, _NUMBERS_OF_COLOUR = (38, 48), {5: 1, 2: 3}  # each is followed by a kind of colour and its numbers
_REST = (
    0.04  # seconds without output after which a display is taken as drawn; they change some 10 times a second
)
_KEYS = {"ctrl-c": "\x03", "ctrl-d": "\x04", "enter": "\r", "tab": "\t", "escape": "\x1b"}


@dataclass(frozen=True, slots=True)
class ScreenCell:
    """A character on the screen. A colour is `default`, a name of pyte's, or six hexadecimal digits."""

    text: str
    foreground: str = "default"
    background: str = "default"
    bold: bool = False
    italic: bool = False
    underlined: bool = False
    dim: bool = False

    @property
    def blank(self) -> bool:
        """Whether the cell shows nothing."""
        return self.text in ("", " ") and self.background == "default" and not self.underlined


class Terminal:
    """A shell command in a terminal with true colours. The end of the context kills it."""

    def __init__(
        self, command: str, size: tuple[int, int], folder: Path, environment: Mapping[str, str]
    ) -> None:
        """Start the command in `folder`. `size`: columns and lines."""
        columns, lines = size
        self._screen = _Screen(columns, lines)
        self._stream = pyte.Stream(self._screen)
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._stream.feed(_PROMPT + command.replace("\n", "\r\n") + "\r\n")
        self._master, slave = os.openpty()
        services.set_terminal_size(self._master, columns, lines)
        self._process = subprocess.Popen(
            [sys.executable, "-S", "-c", _LOGIN, "sh", "-c", f"exec {command}"],
            stdin=slave,
            cwd=folder,
            env={**environment, "TERM": "xterm-256color", "COLORTERM": "truecolor"},
            start_new_session=True,
        )
        os.close(slave)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        os.close(self._master)

    def press(self, key: str) -> None:
        """Press a key of _KEYS, or type a text, which `enter` must follow."""
        os.write(self._master, _KEYS.get(key, key).encode())

    def until(self, pattern: str, seconds: float) -> None:
        """Wait until the screen matches `pattern` and has stopped changing. Raises DocumentationError."""
        deadline = time.monotonic() + seconds
        while not re.search(pattern, self.text, re.MULTILINE):
            left = deadline - time.monotonic()
            if left <= 0 or not self._pump(left):
                raise DocumentationError(f"{pattern!r} not found on the screen:\n{self.text}")
        while time.monotonic() < deadline and self._pump(_REST):
            pass

    def wait(self, seconds: float) -> int:
        """Wait for the end of the process. Its exit status. Raises DocumentationError."""
        deadline = time.monotonic() + seconds
        while self._pump(deadline - time.monotonic()):
            pass
        try:
            return self._process.wait(max(_REST, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            raise DocumentationError(f"still running after {seconds} s; the screen:\n{self.text}") from None

    @property
    def text(self) -> str:
        """The text on the screen, without trailing spaces and empty lines."""
        return "\n".join(line.rstrip() for line in self._screen.display).rstrip()

    def cells(self) -> list[list[ScreenCell]]:
        """The lines of the screen, without empty ones at the end; the cursor is a white cell."""
        screen = self._screen
        rows = [[_cell(screen.buffer[y][x]) for x in range(screen.columns)] for y in range(screen.lines)]
        cursor = screen.cursor
        if not cursor.hidden and self._process.poll() is None and cursor.x < screen.columns:
            rows[cursor.y][cursor.x] = ScreenCell(" ", background="white")
        while len(rows) > 1 and all(cell.blank for cell in rows[-1]):
            del rows[-1]
        return rows

    def _pump(self, seconds: float) -> bool:
        """Process output that comes within `seconds`. False if there is none, or the process has ended."""
        if seconds <= 0 or not select.select([self._master], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self._master, 65536)
        except OSError:  # the last process of the terminal has ended
            return False
        self._stream.feed(self._decoder.decode(data).replace(_TEXT_STYLE, ""))
        return bool(data)


class _Screen(pyte.Screen):
    """A screen with dim characters, which pyte lacks: they become blinking ones, which Lolli never writes."""

    def select_graphic_rendition(self, *attrs: int) -> None:
        """Set colours and styles."""
        super().select_graphic_rendition(*_dim_as_blinking(attrs))


def _dim_as_blinking(codes: Sequence[int]) -> Iterator[int]:
    left = iter(codes)
    for code in left:
        if code in _COLOURS:
            kind = next(left, 0)
            yield from (code, kind, *islice(left, _NUMBERS_OF_COLOUR.get(kind, 0)))
        elif code == _DIM:
            yield _BLINKING
        elif code == _NEITHER_BOLD_NOR_DIM:
            yield from (code, _NOT_BLINKING)
        else:
            yield code


def _cell(char: pyte.screens.Char) -> ScreenCell:
    foreground, background = char.fg, char.bg
    if char.reverse:
        foreground = "black" if background == "default" else background
        background = "white" if char.fg == "default" else char.fg
    return ScreenCell(char.data, foreground, background, char.bold, char.italics, char.underscore, char.blink)


_WIDTH, _HEIGHT = 9, 19  # of a character, in whole pixels, so that there are no gaps between squares
_SIZE = 14.95  # of the font: DejaVu Sans Mono is 0.602 as wide as it is high
_BASELINE = 14.5  # from the top of a line
_MARGIN = 16
_BAR = 34  # the height of the window's upper edge
_PAPER, _INK, _TITLE_BAR = "#171b21", "#d6dae1", "#262c35"
_BUTTONS = ("#e06c6c", "#d9a753", "#7fb56a")
_DIMNESS = 0.45  # the share of the background in dim characters
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
_BOXES = range(0x2500, 0x25A0)  # stretched to the height of a line, so that they join
_CHESS = range(0x2654, 0x2660)


def drawn(rows: Sequence[Sequence[ScreenCell]], title: str) -> str:
    """The picture of a screen in a window. The title is its text alternative."""
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
    """The outlines of the characters in a picture, each once."""

    def __init__(self) -> None:
        self._names: dict[tuple[str, bool, bool], str] = {}

    def name(self, text: str, *, bold: bool = False, italic: bool = False) -> str:
        """The name of a character's outline."""
        return self._names.setdefault((text, bold, italic), f"g{len(self._names)}")

    def definitions(self) -> Iterator[str]:
        """The outlines that have names."""
        for (text, bold, italic), name in self._names.items():
            yield f'<path id="{name}" d="{_outline(text, bold, italic)}"/>'


def _letters(rows: Sequence[Sequence[ScreenCell]], glyphs: _Glyphs) -> Iterator[str]:
    """The characters and underlines, by colour."""
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
    """Rectangles of all other background colours."""
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
    """The `d` of a path, in pixels from the top left of the cell."""
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
    """The file of the first font that has all characters.

    Chess pieces come from a wider font, as in terminals whose own font has none.
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


_MEDIA = [
    {"name": "prefers-color-scheme", "value": "light"},
    {"name": "prefers-reduced-motion", "value": "reduce"},  # or pictures may show animations
]
_MOST_COLOURS = 256
_DISTINCT = 8  # least difference of two colours, of 256 shades of red, green or blue


class Browser:
    """A browser with one page. The end of the context closes it."""

    def __init__(self, file: Path) -> None:
        """Open the page. Raises DocumentationError."""
        options = webdriver.ChromeOptions()
        for option in ("--headless=new", "--no-sandbox", "--hide-scrollbars", "--disable-gpu", "--lang=en"):
            options.add_argument(option)
        driver = shutil.which("chromedriver")
        options.binary_location = shutil.which("chromium") or ""
        if driver is None or not options.binary_location:
            raise DocumentationError("chromium or chromedriver not found")
        try:
            self._driver = webdriver.Chrome(options, webdriver.ChromeService(driver))
            self._driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": _MEDIA})
            self._driver.get(file.as_uri())
        except WebDriverException as error:
            raise DocumentationError(f"chromium cannot open {file.name}: {error.msg}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._driver.quit()

    def resize(self, width: int, height: int, scale: float, *, mobile: bool) -> None:
        """Resize the window, in CSS pixels of `scale` device pixels each."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": mobile}
        self._driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def click(self, selector: str) -> None:
        """Scroll to the first match of a CSS selector and click it. Raises DocumentationError."""
        try:
            element = self._driver.find_element(By.CSS_SELECTOR, selector)
        except WebDriverException:
            raise DocumentationError(f"no element matches {selector}") from None
        self._driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
        self._driver.execute_script("arguments[0].click()", element)

    def scroll_up(self) -> None:
        """Scroll to the top of the page."""
        self._driver.execute_script("window.scrollTo(0, 0)")

    def picture(self) -> bytes:
        """The contents of the window as PNG."""
        answer = self._driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})
        return small_png(base64.b64decode(answer["data"]))


def small_png(data: bytes) -> bytes:
    """The same picture in fewer bytes: with a palette of its most frequent colours."""
    with Image.open(io.BytesIO(data)) as image:
        picture = image.convert("RGB")
    palette = Image.new("P", (1, 1))
    palette.putpalette([channel for colour in _palette(picture) for channel in colour])
    out = io.BytesIO()
    picture.quantize(palette=palette, dither=Image.Dither.NONE).save(out, "PNG", optimize=True)
    return min(out.getvalue(), data, key=len)


def _palette(picture: Image.Image) -> list[tuple[int, ...]]:
    """The most frequent colours, without those similar to a more frequent one."""
    counts = picture.getcolors(picture.width * picture.height) or []
    chosen: list[tuple[int, ...]] = []
    for _, colour in sorted(counts, reverse=True):
        if isinstance(colour, tuple) and all(_difference(colour, each) >= _DISTINCT for each in chosen):
            chosen.append(colour)
            if len(chosen) == _MOST_COLOURS:
                break
    return sorted(chosen)


def _difference(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    return max(abs(x - y) for x, y in zip(one, other, strict=True))
