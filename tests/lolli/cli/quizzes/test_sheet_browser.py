"""The sheet of a quiz in a real browser: dark, on a phone, printed."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

import pytest
from pypdf import PdfReader

from lolli.cli.questions import TOPICS, questions
from lolli.cli.quiz import sheet_page
from tests.lolli.cli.reports.browser import Reader, reader

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def sheet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    """The sheet of all topics; whatever the browser has to complain about fails."""
    file: Path = tmp_path_factory.mktemp("sheet") / "sheet.html"
    file.write_text(sheet_page(list(questions(list(TOPICS), len(TOPICS), 5)), "lolli quiz"), encoding="utf-8")
    with reader() as browser:
        browser.open(file)
        yield browser
        assert browser.problems() == []


def test_the_solutions_are_printed_on_pages_of_their_own(sheet: Reader) -> None:
    sheet.media("print")
    pages = [page.extract_text() for page in PdfReader(BytesIO(sheet.pdf())).pages]
    first = next(place for place, page in enumerate(pages) if page.startswith("Solutions"))
    assert all("lolli tree" not in page for page in pages[:first])
    assert all("Answer:" not in page for page in pages[first:])
    assert any("Tic-tac-toe" in page for page in pages[:first])
    assert any("Tic-tac-toe" in page for page in pages[first:])
