"""An endgame table that was just made: as text and as an object of JSON."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any

from engine.games.players.table_file import packed
from engine.games.textbook.endgame_table import make_table
from engine.games.textbook.search import Meter, SearchStoppedError
from protocol.cli.solutions.waiting import answered
from protocol.cli.terminal.words import count_text, duration_text

if TYPE_CHECKING:
    from engine.games.rules.game import Game
    from engine.games.textbook.endgame_table import EndgameTable, Part


@dataclass(frozen=True, slots=True)
class MadeTable:
    """The table with `men`, and the seconds that it took."""

    game: Game[Any]
    men: str
    table: EndgameTable
    seconds: float

    def file(self) -> bytes:
        """The content of its file."""
        return packed(self.game, self.men, self.table)

    def text(self) -> str:
        """A line for each part, and one for the time."""
        lines = [
            f"{part.positions.title}: {_decided(part):,} positions won or lost, the longest win in "
            f"{_longest_win(part)} plies"
            for part in self.table.parts
        ]
        return "\n".join([*lines, f"made in {duration_text(self.seconds)}"])

    def content(self) -> dict[str, Any]:
        """As an object of JSON."""
        parts = [
            {"men": part.positions.name, "decided": _decided(part), "longest_win": _longest_win(part)}
            for part in self.table.parts
        ]
        return {"game": self.game.name, "men": self.men, "parts": parts, "seconds": round(self.seconds, 3)}


class InterruptedMakingError(Exception):
    """Ctrl-C or SIGTERM came before the table was made; `status` is the exit status for that."""

    def __init__(self, status: int) -> None:
        super().__init__("interrupted")
        self.status = status


def make(game: Game[Any], men: str | None) -> MadeTable:
    """Raises NotApplicableError for men that have no table, InterruptedMakingError."""
    endings = game.endings(men)
    began = monotonic()
    stops: list[bool] = []
    meter = Meter(stopped=lambda: bool(stops))
    made: list[EndgameTable] = []

    def ask() -> None:
        with suppress(SearchStoppedError):
            made.append(make_table(endings, meter))

    status = answered(ask, lambda: stops.append(True), lambda: f"{count_text(meter.visited)} positions")
    if not made:
        raise InterruptedMakingError(status)
    return MadeTable(game, endings[-1].name, made[0], monotonic() - began)


def _decided(part: Part) -> int:
    """The positions that are not drawn."""
    return part.positions.size - part.entries.count(0)


def _longest_win(part: Part) -> int:
    """In plies, for the player to move."""
    return max((entry - 1 for entry in set(part.entries) if entry and entry % 2 == 0), default=0)
