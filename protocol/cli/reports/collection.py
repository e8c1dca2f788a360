"""The reports of many games: a page for each, and an index with one player's statistics."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import chess

from protocol.cli.analysis.assessment import Mark
from protocol.cli.reports.html_page import html_page
from protocol.cli.reports.judged_game import JudgedGame
from protocol.cli.reports.output_files import ReportError
from protocol.cli.reports.page import page_of_judged
from protocol.cli.reports.player_statistics import PlayerStatistics

if TYPE_CHECKING:
    import chess.pgn

    from protocol.cli.reports.judged_game import Heading, PlayerPerformance

INDEX = "index.html"
_FOLDER = Path(__file__).parent / "page"


@dataclass(frozen=True, slots=True)
class CollectionEntry:
    """A game in the index: its number in the file, its page, and the accuracies in per cent, if known."""

    number: int
    page: str
    heading: Heading
    moves: int
    white: float | None
    black: float | None


class Collection:
    """Writes the pages of games into a folder, one by one, and the index at the end."""

    def __init__(self, folder: Path, count: int, player: str | None, orientation: chess.Color | None) -> None:
        """`count` is the number of pieces of the file, by which pages are named.

        `orientation` is at the bottom of the boards; None: the side of the player, otherwise White. Raises
        ReportError if the folder cannot be made.
        """
        self._folder = folder
        self._digits = len(str(count))
        self._orientation = orientation
        self._player = PlayerStatistics(player) if player is not None else None
        self.entries: list[CollectionEntry] = []
        try:
            folder.mkdir(exist_ok=True)
        except OSError as error:
            raise ReportError(f"{folder}: {error.strerror}") from None

    def add(self, number: int, game: chess.pgn.Game) -> None:
        """Write the page of a game, which has been annotated. Raises ReportError."""
        judged = JudgedGame(game)
        name = self._name(number)
        self._write(name, page_of_judged(judged, self._bottom(judged), [(INDEX, "All games")]))
        if self._player is not None:
            self._player.add(judged)
        white, black = (_accuracy(judged.player(color)) for color in (chess.WHITE, chess.BLACK))
        moves = (len(judged.story.main_line) + judged.story.main_line[0].ply % 2) // 2
        self.entries.append(CollectionEntry(number, name, judged.heading, moves, white, black))

    def finish(self, title: str) -> Path:
        """Write the index, and return its path. Raises ReportError."""
        number = len(self.entries)
        page = html_page(
            _FOLDER / "games.html",
            title=title,
            style=_FOLDER / "games.css",
            count=f"{number} game" if number == 1 else f"{number:,} games",
            entries=self.entries,
            player=self._player,
            marks=[Mark.INACCURACY, Mark.MISTAKE, Mark.BLUNDER],
        )
        self._write(INDEX, page)
        return self._folder / INDEX

    def _name(self, number: int) -> str:
        return f"game-{number:0{self._digits}}.html"

    def _bottom(self, game: JudgedGame) -> chess.Color:
        if self._orientation is not None:
            return self._orientation
        return self._player is None or game.heading.black.name != self._player.name

    def _write(self, name: str, page: str) -> None:
        try:
            (self._folder / name).write_text(page, encoding="utf-8")
        except OSError as error:
            raise ReportError(f"{self._folder / name}: {error.strerror}") from None


def _accuracy(player: PlayerPerformance | None) -> float | None:
    return None if player is None else player.measures.accuracy
