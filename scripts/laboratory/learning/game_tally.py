"""Counts over games of self-play."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from engine.adjudication import Ending

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eval.learning.game_file import GameRecord

_ENDINGS = [ending.value for ending in Ending]


@dataclass(slots=True)
class GameTally:
    """Counts of games and plies, of results (White's 1, 0, -1) and of endings by name."""

    games: int = 0
    plies: int = 0
    results: Counter[int] = field(default_factory=Counter)
    endings: Counter[str] = field(default_factory=Counter)

    def add(self, game: GameRecord) -> None:
        """Count a game."""
        self.games += 1
        self.plies += len(game.plies)
        self.results[game.result] += 1
        self.endings[_ENDINGS[game.ending]] += 1

    def to_json(self) -> dict[str, Any]:
        """A value for JSON."""
        results = [self.results[result] for result in (1, 0, -1)]
        return {"games": self.games, "plies": self.plies, "results": results, "endings": dict(self.endings)}

    def add_json(self, record: Mapping[str, Any]) -> None:
        """Add the counts of a value that `to_json` made."""
        self.games += record["games"]
        self.plies += record["plies"]
        self.results.update(dict(zip((1, 0, -1), record["results"], strict=True)))
        self.endings.update(record["endings"])
