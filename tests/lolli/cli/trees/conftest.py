"""A real browser for the pages of searches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.lolli.cli.reports.browser import Reader


@pytest.fixture(scope="module")
def browser() -> Iterator[Reader]:
    from tests.lolli.cli.reports.browser import reader  # noqa: PLC0415 - only for tests of pages

    with reader() as opened:
        yield opened


@pytest.fixture
def desktop(browser: Reader) -> Iterator[Reader]:
    """With a wide window; whatever the browser has to complain about fails the test."""
    browser.window(1200, 800)
    browser.media()
    yield browser
    assert browser.problems() == []
