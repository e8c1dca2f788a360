"""A terminal in memory, and a page in chromium without a window; their pictures."""

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
from itertools import groupby, islice
from pathlib import Path
from typing import Self

import click
import pyte
from PIL import Image
from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.style import Style
from rich.terminal_theme import TerminalTheme
from rich.text import Text
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


class Terminal:
    """A shell command in a terminal with true colours. The end of the context kills it."""

    def __init__(
        self, command: str, size: tuple[int, int], folder: Path, environment: Mapping[str, str]
    ) -> None:
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
        """Press a key of _KEYS, or type a text; press `enter` after it."""
        os.write(self._master, _KEYS.get(key, key).encode())

    def until(self, pattern: str, seconds: float) -> None:
        """Wait until the screen matches and has stopped changing. Raises DocumentationError."""
        deadline = time.monotonic() + seconds
        while not re.search(pattern, self.text, re.MULTILINE):
            left = deadline - time.monotonic()
            if left <= 0 or not self._pump(left):
                raise DocumentationError(f"{pattern!r} not found on the screen:\n{self.text}")
        while time.monotonic() < deadline and self._pump(_REST):
            pass

    def wait(self, seconds: float) -> int:
        deadline = time.monotonic() + seconds
        while self._pump(deadline - time.monotonic()):
            pass
        try:
            return self._process.wait(max(_REST, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            raise DocumentationError(f"still running after {seconds} s; the screen:\n{self.text}") from None

    @property
    def text(self) -> str:
        """Without trailing spaces and empty lines."""
        return "\n".join(line.rstrip() for line in self._screen.display).rstrip()

    def lines(self) -> list[Text]:
        """The lines with their styles, without empty ones at the end; the cursor is white."""
        screen = self._screen
        rows = []
        for y in range(screen.lines):
            cells = [screen.buffer[y][x] for x in range(screen.columns)]
            parts = (("".join(cell.data for cell in each), style) for style, each in groupby(cells, _style))
            rows.append(Text.assemble(*parts))
        cursor = screen.cursor
        if not cursor.hidden and self._process.poll() is None and cursor.x < screen.columns:
            rows[cursor.y].stylize("on white", cursor.x, cursor.x + 1)
        while len(rows) > 1 and not rows[-1].plain.strip() and not any(span.style for span in rows[-1].spans):
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
    """Dim characters, which pyte lacks, become blinking ones, which Lolli never writes."""

    def select_graphic_rendition(self, *attrs: int) -> None:
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


def _style(char: pyte.screens.Char) -> Style:
    foreground, background = _colour(char.fg), _colour(char.bg)
    if char.reverse:
        foreground, background = background or "black", foreground or "white"
    return Style(
        color=foreground,
        bgcolor=background,
        bold=char.bold or None,
        italic=char.italics or None,
        underline=char.underscore or None,
        dim=char.blink or None,
    )


def _colour(name: str) -> str | None:
    if re.fullmatch("[0-9a-f]{6}", name):
        return f"#{name}"
    # Brown is pyte's name for the yellow of 1981.
    return None if name == "default" else name.replace("bright", "bright_").replace("brown", "yellow")


_INK, _PAPER = (0xD6, 0xDA, 0xE1), (0x17, 0x1B, 0x21)
_THEME = TerminalTheme(
    *(_PAPER, _INK),
    [
        *(_PAPER, (0xE8, 0x70, 0x7A), (0x8F, 0xC7, 0x66), (0xE0, 0xAF, 0x62)),
        *((0x62, 0xA8, 0xEC), (0xC5, 0x85, 0xE6), (0x54, 0xBC, 0xC6), _INK),
    ],
    [
        *((0x7D, 0x86, 0x94), (0xFF, 0x8A, 0x92), (0xA9, 0xE0, 0x7F), (0xF4, 0xCB, 0x80)),
        *((0x85, 0xC1, 0xFF), (0xDB, 0xA5, 0xF5), (0x76, 0xD7, 0xE0), (0xFF, 0xFF, 0xFF)),
    ],
)
# No web font: a picture may not refer to the network. DejaVu Sans Mono has the chess pieces and lines.
_SVG = re.sub(r"@font-face \{\{.*?\}\}\n", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL).replace(
    "Fira Code, monospace", "DejaVu Sans Mono, Menlo, Consolas, monospace"
)
_ASPECT = 0.602  # of a character of that font


def drawn(lines: Sequence[Text], title: str) -> str:
    console = Console(
        record=True,
        width=max(line.cell_len for line in lines),
        file=io.StringIO(),
        force_terminal=True,
        color_system="truecolor",
    )
    for line in lines:
        console.print(line, no_wrap=True, overflow="crop", highlight=False)
    return console.export_svg(
        title=title, theme=_THEME, code_format=_SVG, font_aspect_ratio=_ASPECT, unique_id="screen"
    )


_MEDIA = [
    {"name": "prefers-color-scheme", "value": "light"},
    {"name": "prefers-reduced-motion", "value": "reduce"},  # or pictures may show animations
]


class Browser:
    def __init__(self, file: Path) -> None:
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
        metrics = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": mobile}
        self._driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def click(self, selector: str) -> None:
        try:
            element = self._driver.find_element(By.CSS_SELECTOR, selector)
        except WebDriverException:
            raise DocumentationError(f"no element matches {selector}") from None
        self._driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
        self._driver.execute_script("arguments[0].click()", element)

    def scroll_up(self) -> None:
        self._driver.execute_script("window.scrollTo(0, 0)")

    def picture(self) -> bytes:
        answer = self._driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})
        return small_png(base64.b64decode(answer["data"]))


def small_png(data: bytes) -> bytes:
    """The picture with a palette of 256 colours."""
    out = io.BytesIO()
    with Image.open(io.BytesIO(data)) as image:
        image.convert("RGB").quantize(dither=Image.Dither.NONE).save(out, "PNG", optimize=True)
    return min(out.getvalue(), data, key=len)
