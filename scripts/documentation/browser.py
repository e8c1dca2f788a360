"""Pictures of a web page in a browser: chromium without a window."""

from __future__ import annotations

import base64
import io
import shutil
from typing import TYPE_CHECKING, Self

from PIL import Image
from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.by import By

from scripts.documentation.page_source import DocumentationError

if TYPE_CHECKING:
    from pathlib import Path

_MEDIA = [
    {"name": "prefers-color-scheme", "value": "light"},
    {"name": "prefers-reduced-motion", "value": "reduce"},  # or pictures may show animations
]
_COLOURS = 256
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
            if len(chosen) == _COLOURS:
                break
    return sorted(chosen)


def _difference(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    return max(abs(x - y) for x, y in zip(one, other, strict=True))
