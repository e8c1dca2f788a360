"""The reports of many games: a page for each, and an index with one player's statistics."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import chess

from engine import files
from protocol import about
from protocol.cli.analysis.assessment import Mark
from protocol.cli.reports.html_page import html_page
from protocol.cli.reports.judged_game import JudgedGame
from protocol.cli.reports.output_files import ReportError
from protocol.cli.reports.page import page_of_judged
from protocol.cli.reports.page_origin import PageOrigin, origin_in

if TYPE_CHECKING:
    import chess.pgn

    from protocol.cli.reports.judged_game import Heading, PlayerPerformance
    from protocol.cli.reports.player_statistics import PlayerStatistics

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
    """Writes the pages of games into a folder, one by one, and the index at the end.

    A page that is there already and was made from the same game, analysed in the same way, is kept.
    """

    def __init__(
        self,
        folder: Path,
        count: int,
        player: PlayerStatistics | None,
        orientation: chess.Color | None,
        *,
        opening: bool,
    ) -> None:
        """`count` is the number of pieces of the file, by which pages are named.

        `orientation` is at the bottom of the boards; None: the side of the player, otherwise White. `opening`
        is as in JudgedGame. Raises ReportError if the folder cannot be made.
        """
        self._folder = folder
        self._count = count
        self._orientation = orientation
        self._player = player
        self._opening = opening
        self.entries: list[CollectionEntry] = []
        try:
            folder.mkdir(exist_ok=True)
        except OSError as error:
            raise ReportError(f"{folder}: {error.strerror}") from None

    def keep(self, number: int, digest: str, analysis: dict[str, Any] | None) -> bool:
        """Whether the game is there, so that it need not be added. Raises ReportError."""
        found = origin_in(self._folder / self._name(number))
        if found is None:
            return False
        origin, game = found
        if (origin.game, origin.analysis) != (digest, analysis):
            return False
        judged = JudgedGame(game, opening=self._opening)
        if origin.look != self._look(judged):
            self._write_page(number, game, judged, origin)
        self._count_in(number, judged)
        return True

    def add(
        self, number: int, game: chess.pgn.Game, digest: str, analysis: dict[str, Any] | None = None
    ) -> None:
        """Write the page of a game, which has been annotated. Raises ReportError.

        `digest` is the game's, `analysis` says how it was analysed; see PageOrigin.
        """
        judged = JudgedGame(game, opening=self._opening)
        self._write_page(number, game, judged, PageOrigin(digest, analysis, {}))
        self._count_in(number, judged)

    def finish(self, title: str, total: int) -> Path:
        """Write the index of the pages so far, of `total` games, and return its path. Raises ReportError."""
        number = len(self.entries)
        if number < total:
            count = f"{number:,} of {total:,} games"
        else:
            count = f"{number} game" if number == 1 else f"{number:,} games"
        page = html_page(
            _FOLDER / "games.html",
            title=title,
            style=_FOLDER / "games.css",
            count=count,
            entries=self.entries,
            player=self._player,
            marks=[Mark.INACCURACY, Mark.MISTAKE, Mark.BLUNDER],
        )
        self._write(INDEX, page)
        return self._folder / INDEX

    def _count_in(self, number: int, judged: JudgedGame) -> None:
        if self._player is not None:
            self._player.add(judged)
        white, black = (_accuracy(judged.player(color)) for color in (chess.WHITE, chess.BLACK))
        moves = (len(judged.story.main_line) + judged.story.main_line[0].ply % 2) // 2
        self.entries.append(CollectionEntry(number, self._name(number), judged.heading, moves, white, black))

    def _write_page(self, number: int, game: chess.pgn.Game, judged: JudgedGame, origin: PageOrigin) -> None:
        origin = replace(origin, look=self._look(judged))
        page = page_of_judged(judged, self._bottom(judged), [(INDEX, "All games")], origin.block(game))
        self._write(self._name(number), page)

    def _name(self, number: int) -> str:
        return f"game-{number:0{len(str(self._count))}}.html"

    def _bottom(self, game: JudgedGame) -> chess.Color:
        if self._orientation is not None:
            return self._orientation
        return self._player is None or self._player.colors(game) != [chess.BLACK]

    def _look(self, game: JudgedGame) -> dict[str, Any]:
        flipped = self._bottom(game) == chess.BLACK
        return {"version": about.VERSION, "flipped": flipped, "opening": self._opening}

    def _write(self, name: str, page: str) -> None:
        try:
            files.write_whole(self._folder / name, page.encode())
        except OSError as error:
            raise ReportError(f"{self._folder / name}: {error.strerror}") from None


def _accuracy(player: PlayerPerformance | None) -> float | None:
    return None if player is None else player.measures.accuracy
