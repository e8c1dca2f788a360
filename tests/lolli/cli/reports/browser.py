"""A real browser that looks at reports."""

from __future__ import annotations

import base64
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import chess
import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_DRIVERS = ("chromedriver", "chromium.chromedriver")
_REQUIRED = "LOLLI_REQUIRE_BROWSER"
# Where the pieces are on the screen, in squares from the top left, and the names of their pictures.
_SEEN = """
    const union = (boxes) => {
        const [left, top] = ["left", "top"].map((side) => Math.min(...boxes.map((box) => box[side])));
        const [right, bottom] = ["right", "bottom"].map((side) => Math.max(...boxes.map((box) => box[side])));
        return { left, top, right, bottom, width: right - left, height: bottom - top };
    };
    const seen = (board = document.querySelector("#board svg")) => {
        const box = union([...board.querySelectorAll("rect")].map((rect) => rect.getBoundingClientRect()));
        return [...board.querySelectorAll("use")].map((use) => {
            const piece = use.getBoundingClientRect();
            const part = (at, from, size) => Math.floor(8 * (at - from) / size);
            return [
                part(piece.left + piece.width / 2, box.left, box.width),
                part(piece.top + piece.height / 2, box.top, box.height),
                use.getAttribute("href"),
            ];
        });
    };
"""


class Reader:
    def __init__(self, driver: Chrome) -> None:
        self.driver = driver

    def open(self, path: Path, fragment: str = "") -> None:
        self.driver.get("about:blank")  # else another fragment would not load the page anew
        self.driver.get(path.as_uri() + fragment)

    def window(self, width: int, height: int, *, phone: bool = False) -> None:
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": phone}
        self.command("Emulation.setDeviceMetricsOverride", **metrics)
        self.command("Emulation.setTouchEmulationEnabled", enabled=phone)

    def media(self, media: str = "", scheme: str = "light") -> None:
        """The screen or `print`, light or dark. Nothing moves, so that all is where it will be."""
        features = {"prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"}
        told = [{"name": name, "value": value} for name, value in features.items()]
        self.command("Emulation.setEmulatedMedia", media=media, features=told)

    def command(self, name: str, **values: Any) -> Any:
        """A command to the browser: https://chromedevtools.github.io/devtools-protocol"""
        return self.driver.execute_cdp_cmd(name, values)

    def ask(self, script: str, *values: Any) -> Any:
        return self.driver.execute_script(script, *values)

    def element(self, selector: str) -> WebElement:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def click(self, selector: str) -> None:
        self.element(selector).click()

    def press(self, key: str) -> None:
        self.element("body").send_keys(getattr(Keys, key, key))

    def wait(self, milliseconds: int) -> None:
        self.driver.execute_async_script("setTimeout(arguments[1], arguments[0])", milliseconds)

    def text(self, selector: str) -> str:
        return self.element(selector).text

    def board(self, *, flipped: bool = False) -> str:
        return _board(self.ask(f"{_SEEN} return seen();"), flipped)

    def boards_and_fens(self) -> list[tuple[str, str]]:
        """What is seen on the board, and the FEN under it, after a click on one move after the other."""
        script = f"""{_SEEN}
            return [...document.querySelectorAll("a.move")].map((move) => {{
                move.click();
                return [seen(), document.getElementById("fen").value];
            }});
        """
        return [(_board(seen, flipped=False), fen) for seen, fen in self.ask(script)]

    def coordinates(self) -> list[tuple[str, str, bool]]:
        """Of each board the files from the left, the ranks from the top, and whether all are beside it."""
        script = f"""{_SEEN}
            return [...document.querySelectorAll("#board svg, .diagram svg")].map((board) => {{
                const boxes = [...board.querySelectorAll("rect")].map((rect) => rect.getBoundingClientRect());
                const squares = union(boxes), frame = board.getBoundingClientRect();
                const texts = [...board.querySelectorAll(".coordinates text")].map((text) => {{
                    const box = text.getBoundingClientRect();
                    const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
                    return {{ text: text.textContent, x, y, box }};
                }});
                const line = (kind, at) => texts.filter(({{ text }}) => kind.test(text))
                    .sort((one, other) => one[at] - other[at]).map(({{ text }}) => text).join("");
                const beside = texts.every(({{ text, box, x, y }}) => /[a-h]/.test(text)
                    ? box.top >= squares.bottom - 1 && y < frame.bottom && x > squares.left
                    : box.right <= squares.left + 1 && x > frame.left && y < squares.bottom);
                return [line(/[a-h]/, "x"), line(/[1-8]/, "y"), beside];
            }});
        """
        return [(files, ranks, beside) for files, ranks, beside in self.ask(script)]

    def pdf(self) -> bytes:
        """The page as printed on A4, without backgrounds."""
        told = self.command("Page.printToPDF", paperWidth=8.27, paperHeight=11.69, preferCSSPageSize=True)
        return base64.b64decode(told["data"])

    def problems(self) -> list[Any]:
        return self.driver.get_log("browser")  # type: ignore[no-untyped-call, no-any-return]


def _board(seen: list[tuple[int, int, str]], flipped: bool) -> str:
    board = chess.BaseBoard.empty()
    for column, row, picture in seen:
        color, name = picture.removeprefix("#").split("-")
        square = chess.square(7 - column, row) if flipped else chess.square(column, 7 - row)
        assert board.piece_at(square) is None
        piece = chess.Piece(chess.PIECE_NAMES.index(name), color == "white")
        board.set_piece_at(square, piece)
    return board.board_fen()


@contextmanager
def reader() -> Iterator[Reader]:
    """A browser without a window. Skips where there is none, unless LOLLI_REQUIRE_BROWSER is set."""
    browser = next(filter(None, map(shutil.which, _BROWSERS)), None)
    driver = next(filter(None, map(shutil.which, _DRIVERS)), None)
    if browser is None or driver is None:
        reason = "Chromium and its driver are not installed (Debian: chromium, chromium-driver)"
        if os.environ.get(_REQUIRED):
            pytest.fail(reason)
        pytest.skip(reason)
    options = Options()
    options.binary_location = browser
    for argument in ("--headless=new", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(argument)
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    chrome = Chrome(options=options, service=Service(driver))
    try:
        yield Reader(chrome)
    finally:
        chrome.quit()
