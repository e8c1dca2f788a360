"""Fixtures of many tests of the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.session import Session


@pytest.fixture
def session() -> Iterator[Session]:
    from tests.engine.search.searching import opened  # noqa: PLC0415 - not before the mode is settled

    with opened() as session:
        yield session
