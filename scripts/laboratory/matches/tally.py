"""The state of a match: points, pairs, forfeits, and what the engines spent."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from .record import FinishedGame, Termination, Usage

if TYPE_CHECKING:
    from collections.abc import Iterable


class MatchTally:
    """Counts the games of a match, from the side of engine 0."""

    def __init__(self, records: Iterable[FinishedGame] = ()) -> None:
        """Start from these games."""
        self.games = [0, 0, 0]
        """Losses, draws and wins."""
        self.pairs = [0, 0, 0, 0, 0]
        """Finished pairs by the half points won in them: none to four."""
        self.endings: Counter[Termination] = Counter()
        self.forfeits: list[FinishedGame] = []
        self.usage = [Usage(), Usage()]
        self._points: dict[int, int] = {}
        for record in records:
            self.add(record)

    def add(self, record: FinishedGame) -> None:
        """Count one game. Raises ValueError if that number was counted before."""
        if record.number in self._points:
            raise ValueError(f"game {record.number} has been played twice")
        self._points[record.number] = record.points
        self.games[record.points] += 1
        self.endings[record.ending] += 1
        if record.forfeiter is not None:
            self.forfeits.append(record)
        self.usage = [sum_ + used for sum_, used in zip(self.usage, record.usage, strict=True)]
        partner = self._points.get(record.number ^ 1)
        if partner is not None:
            self.pairs[record.points + partner] += 1

    def __contains__(self, number: int) -> bool:
        return number in self._points

    @property
    def played(self) -> int:
        """Games finished."""
        return len(self._points)

    @property
    def points(self) -> float:
        """Points of engine 0."""
        return self.games[1] / 2 + self.games[2]

    def forfeits_of(self, engine: int) -> Counter[Termination]:
        """How often this engine, 0 or 1, failed to play on, and why."""
        return Counter(record.ending for record in self.forfeits if record.forfeiter == engine)
