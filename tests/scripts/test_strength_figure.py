"""The figure of README.md, and where it comes from."""

from xml.etree import ElementTree as ET

import pytest

from scripts.documentation.document import (
    FIGURE,
    STRENGTH,
    points,
    scores,
    strength_svg,
)
from scripts.documentation.screens import DocumentationError
from tests.compiled import ROOT

TABLE = """
| against | won, lost, drawn | |
|---|---|---|
| Weak | 3, 0, 1 | 87.5% |
| Strong & old; `network`, equal time | 5, 72, 23 | 16.5% |
| Strong & old; `linear` | 1, 9, 0 of 10 | |
"""


def test_the_figure_is_that_of_the_table() -> None:
    assert FIGURE.read_text(encoding="utf-8") == strength_svg(scores(STRENGTH.read_text(encoding="utf-8"))), (
        "run scripts/document uci"
    )


def test_the_readme_shows_it() -> None:
    assert f"({FIGURE.relative_to(ROOT)})" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_first_row_of_each_opponent_counts_and_the_hardest_is_first() -> None:
    assert scores(TABLE) == [("Strong & old", (5, 23, 72)), ("Weak", (3, 1, 0))]
    assert [points(games) for _, games in scores(TABLE)] == [0.165, 0.875]


def test_bars_are_as_long_as_the_shares_and_fill_the_line() -> None:
    root = ET.fromstring(strength_svg([("A", (1, 1, 2))]))
    bars = [element for element in root if element.tag.endswith("rect") and len(element)]  # with a title
    lengths = [float(bar.attrib["width"]) for bar in bars]
    begins = [float(bar.attrib["x"]) for bar in bars]
    assert lengths[0] == lengths[1] == lengths[2] / 2  # won, drawn, lost
    assert begins[1:] == [x + length for x, length in zip(begins, lengths, strict=True)][:-1]


def test_a_page_without_results_is_told() -> None:
    with pytest.raises(DocumentationError, match="no row"):
        scores("| Weak | many | |")
