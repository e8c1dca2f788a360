"""An analyst that is made when it is first needed: a board can be shown before the engine is loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from lolli.cli.analysis.analyst import Analyst


class LazyAnalyst:
    """`make` is called at most once, for the first position that is to be analysed."""

    def __init__(self, make: Callable[[], Analyst]) -> None:
        self._make = make
        self._analyst: Analyst | None = None

    def get(self) -> Analyst:
        """The analyst. Raises what making it raises."""
        if self._analyst is None:
            self._analyst = self._make()
        return self._analyst

    def stop(self) -> None:
        """Ask the search to end. May be called from any thread or signal handler."""
        if self._analyst is not None:
            self._analyst.stop()

    def close(self) -> None:
        """Leave no thread behind."""
        if self._analyst is not None:
            self._analyst.close()
