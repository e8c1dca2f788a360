"""A search whose outcome is left to a handicap: it chooses, and what is told fits what is played."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

    from engine.search.handicap import Handicap
    from engine.search.report import Listener, Outcome, Progress, Report


class Weakened:
    """Listens to a search in place of somebody, who hears of `shown` lines and what the handicap plays.

    A handicap looks at lines that nobody asked to see, so only the first `shown` are passed on as they come,
    and they are the true ones: whoever watches an opponent think sees how good it finds the position. If
    another line is played than the first, all shown are told once more at the end with that one in front.
    Clients take the last first line for the move's: its score goes into records and adjudications, and its
    moves are expected to begin with the one played.
    """

    def __init__(self, listener: Listener, handicap: Handicap, shown: int, chooser: Random) -> None:
        self._listener = listener
        self._handicap = handicap
        self._shown = shown
        self._chooser = chooser
        self._last: dict[int, Report] = {}

    def report(self, report: Report) -> None:
        """See `Listener`."""
        self._last[report.line] = report
        if report.line <= self._shown:
            self._listener.report(report)

    def progress(self, progress: Progress) -> None:
        """See `Listener`."""
        self._listener.progress(progress)

    def outcome(self, outcome: Outcome) -> None:
        """See `Listener`."""
        best = self._handicap.choose(self._last.values(), outcome.best, self._chooser)
        if best != outcome.best:
            outcome = replace(outcome, best=best, ponder=self._put_in_front(best))
        self._listener.outcome(outcome)

    def failed(self, error: BaseException) -> None:
        """See `Listener`."""
        self._listener.failed(error)

    def _put_in_front(self, move: int) -> int:
        """Tell the lines again with that of a move as the first. The reply to it, 0 where its line ends."""
        lines = sorted(self._last.values(), key=lambda each: (each.moves[:1] != (move,), each.line))
        for line, each in enumerate(lines[: self._shown], 1):
            self._listener.report(replace(each, line=line))
        return (*lines[0].moves, 0)[1]
