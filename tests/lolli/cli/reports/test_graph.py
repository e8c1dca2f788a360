"""The graph of a game."""

import io
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from PIL import Image

from lolli._assessment import Mark
from lolli.cli.reports.pictures import Course, Palette, graph_file, page_graph
from lolli.cli.reports.story import JudgedGame
from lolli.cli.terminal.screen import DASH, with_real_minus
from tests.lolli.cli.reports.samples import ANNOTATED, sample

SVG = "{http://www.w3.org/2000/svg}"
WINNING = Course(range(41), [None, *[1.0] * 40], [None] * 41)


def area(picture: Image.Image, color: str) -> float:
    """How much of a picture has a colour, 0 … 1."""
    wanted = tuple(bytes.fromhex(color.removeprefix("#")))
    return float((np.asarray(picture.convert("RGB")) == wanted).all(axis=2).mean())


def png(course: Course, title: str = "") -> Image.Image:
    return Image.open(io.BytesIO(graph_file(course, title, "png")))


def test_the_graph_on_a_page() -> None:
    course = JudgedGame(sample(ANNOTATED)).course()
    drawn = page_graph(course)
    root = ET.fromstring(drawn.svg)
    assert root.tag == f"{SVG}svg"
    assert root.find(f"{SVG}metadata") is None
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert {"+5", "+2", "0", with_real_minus("-2"), with_real_minus("-5"), "10", "40"} <= set(texts)
    colors = [f"var(--graph-{mark.name.lower()}" for mark in Mark]
    assert [drawn.svg.count(f"fill: {color}") > 0 for color in colors] == [True] * 3
    assert 0 < drawn.left <= drawn.edge < drawn.right <= 1


def test_colours_of_the_page_are_variables() -> None:
    palette = Palette()
    colors = [getattr(palette, name) for name in palette.__slots__]
    assert len(set(colors)) == len(colors)
    svg = page_graph(WINNING).svg
    assert all(svg.count(color) == svg.count(f", {color})") for color in colors)


def test_a_picture_shows_who_is_better() -> None:
    losing = Course(
        WINNING.plies, [None if each is None else -each for each in WINNING.chances], WINNING.marks
    )
    even = Course(WINNING.plies, [0.0] * 41, WINNING.marks)
    palette = Palette()
    shares = [
        (area(png(course), palette.white), area(png(course), palette.black))
        for course in (WINNING, even, losing)
    ]
    (white, nothing), (half, other_half), (little, black) = shares
    assert max(nothing, little) < 0.05
    assert 0.3 < half < 0.5
    assert 0.3 < other_half < 0.5
    assert min(white, black) > 0.6


def test_what_was_not_judged_is_left_blank() -> None:
    half = Course(range(41), [None] * 20 + [1.0] * 21, [None] * 41)
    whole, part = area(png(WINNING), Palette().white), area(png(half), Palette().white)
    assert 0.4 < part / whole < 0.6


@pytest.mark.parametrize("title", [f"A {DASH} B", "$x^2$ and $", "棋譜 ♟", "a & <b>", ""])
@pytest.mark.parametrize("kind", ["svg", "png"])
def test_any_title(title: str, kind: str) -> None:
    data = graph_file(WINNING, title, kind)
    if kind == "svg":
        assert ET.fromstring(data).tag == f"{SVG}svg"
    else:
        assert Image.open(io.BytesIO(data)).size == (1800, 640)
