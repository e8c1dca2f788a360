"""The reports of many games: a page for each, and an index with one player's statistics."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import chess
import chess.pgn

from engine.board.fen import FenError
from engine.search.limits import Limits
from engine.system import files
from eval.weight_file import WeightsError
from lolli.cli import given_file
from lolli.cli.analysis.assessment import Mark
from lolli.cli.analysis.finding import AnalystSettings
from lolli.cli.annotation.annotator import AnnotationOptions, analysis_text, annotate_game
from lolli.cli.given_file import STDIO
from lolli.cli.pgn.game_reader import read_game
from lolli.cli.pgn.known_players import FileOutline, PlayerNameError, outline
from lolli.cli.pgn.movetext import NoGameError, UnreadableError
from lolli.cli.pgn.raw_games import LARGEST_FILE, RawGame, raw_games
from lolli.cli.reports.output_files import STYLE, ReportError, html_page
from lolli.cli.reports.page import analysis_identity, game_digest, origin_block, origin_in, page_of_judged
from lolli.cli.reports.source import InterruptedRunError, WatchedAnalyst, has_scores, watched_analyst
from lolli.cli.reports.story import Heading, JudgedGame, PlayerPerformance, PlayerStatistics
from lolli.cli.terminal.console import messages
from lolli.cli.terminal.progress import Display
from lolli.cli.terminal.tty import Interruption, stopping
from lolli.cli.terminal.words import counted
from protocol import about

_INDEX = "index.html"
_FOLDER = Path(__file__).parent / "page"
_SOME_UNREADABLE = 1  # exit status


@dataclass(frozen=True, slots=True)
class CollectionEntry:
    """A game in the index: its number in the file, its page, and the accuracies in per cent, if known."""

    number: int
    page: str
    heading: Heading
    moves: int
    white: float | None
    black: float | None


def report_all(
    source: str,
    folder: Path,
    player: str | None,
    orientation: chess.Color | None,
    settings: AnalystSettings,
    limits: Limits,
    annotation: AnnotationOptions,
    *,
    always: bool,
) -> int:
    """Write a page for each game and the index: the exit status, that of the signal if one came.

    `player` is a name or a part of one. `orientation` is at the bottom of the boards; None: the side of the
    player, otherwise White. Games with scores are analysed only with `always`. A page that is there already
    and was made from the same game, analysed in the same way, is kept, unless the annotation is `fresh`.
    Raises ReportError.
    """
    try:
        with (
            given_file.opened(source, LARGEST_FILE) as opened,
            given_file.rewindable(source, opened) as file,
        ):
            found = outline(file)
            if not found.games:
                raise ReportError(f"{source}: no game")
            statistics = None if player is None else PlayerStatistics(*found.names.meant(player))
            file.seek(0)
            folder.mkdir(exist_ok=True)
            run = _Run(source, folder, found, statistics, orientation, settings, limits, annotation, always)
            return run.go(file)
    except PlayerNameError as error:
        raise ReportError(f"{source}: {error}") from None
    except OSError as error:
        raise ReportError(f"{error.filename or source}: {error.strerror}") from None
    except WeightsError as error:
        raise ReportError(str(error)) from None


@dataclass(slots=True)
class _Run:
    """One game in memory at a time; progress on stderr. See `report_all`."""

    source: str
    folder: Path
    found: FileOutline
    player: PlayerStatistics | None
    orientation: chess.Color | None
    settings: AnalystSettings
    limits: Limits
    annotation: AnnotationOptions
    always: bool
    entries: list[CollectionEntry] = field(default_factory=list)
    kept: int = 0
    unread: int = 0
    analyst: WatchedAnalyst | None = None
    interruption: Interruption = field(default_factory=Interruption)
    display: Display = field(init=False)

    def go(self, file: BinaryIO) -> int:
        """The exit status. Raises ReportError, OSError."""
        self.display = Display(self.found.games, console=messages())
        try:
            with stopping(self._stop) as self.interruption, self.display.shown():
                for raw in raw_games(file):
                    self._take(raw)
                    if self.interruption.signal is not None:
                        break
        except InterruptedRunError:
            pass
        finally:
            if self.analyst is not None:
                self.analyst.close()
        return self._end()

    def _stop(self) -> None:
        if self.analyst is not None:
            self.analyst.stop()

    def _take(self, raw: RawGame) -> None:
        """Make the page of a game. Raises InterruptedRunError, ReportError, OSError."""
        try:
            self._report(raw, read_game(raw.data).game)
        except NoGameError:
            return
        except UnreadableError as error:
            self._leave_out(f"game {raw.number}, line {raw.line + error.line}: {error}")
        except FenError as error:
            self._leave_out(f"game {raw.number}: the engine cannot use one of its positions: {error}")
        self.display.progress.advance(self.display.task)

    def _leave_out(self, reason: str) -> None:
        self.display.print(f"{reason}; left out")
        self.unread += 1

    def _report(self, raw: RawGame, game: chess.pgn.Game) -> None:
        is_searched = bool(game.variations) and (self.always or not has_scores(game))
        analysis = analysis_identity(self.settings, self.limits, self.annotation) if is_searched else None
        origin = {"game": game_digest(raw), "analysis": analysis}
        known = None if self.annotation.fresh else origin_in(self.folder / self._name(raw.number))
        if known is not None and {name: known[0].get(name) for name in origin} == origin:
            self.kept += 1
            self._add(raw.number, known[1], origin, known[0].get("look"))
            return
        if is_searched:
            annotate_game(game, self._searching(), self.limits, self.annotation)
        self._add(raw.number, game, origin)

    def _searching(self) -> WatchedAnalyst:
        """The analyst, made for the first game that needs one. Raises ReportError."""
        if self.analyst is None:
            self.analyst = watched_analyst(self.settings)
            self.analyst.interruption = self.interruption
            self.display.print(f"analysing games: {analysis_text(self.analyst.evaluator, self.limits)}")
        return self.analyst

    def _add(self, number: int, game: chess.pgn.Game, origin: dict[str, Any], known_look: Any = None) -> None:
        """Count a game, and write its page unless one with this look is there."""
        judged = JudgedGame(game, opening=self.annotation.opening)
        is_white = self.orientation
        if is_white is None:
            is_white = self.player is None or self.player.colors(judged) != [chess.BLACK]
        look = {"version": about.VERSION, "flipped": not is_white, "opening": self.annotation.opening}
        if known_look != look:
            block = origin_block({**origin, "look": look}, game)
            self._write(self._name(number), page_of_judged(judged, is_white, [(_INDEX, "All games")], block))
        if self.player is not None:
            self.player.add(judged)
        white, black = (_accuracy(judged.player(color)) for color in (chess.WHITE, chess.BLACK))
        moves = (len(judged.story.main_line) + judged.story.main_line[0].ply % 2) // 2
        entry = CollectionEntry(number, self._name(number), judged.heading, moves, white, black)
        self.entries.append(entry)

    def _name(self, number: int) -> str:
        return f"game-{number:0{len(str(self.found.pieces))}}.html"

    def _write(self, name: str, page: str) -> None:
        try:
            files.write_whole(self.folder / name, page.encode())
        except OSError as error:
            raise ReportError(f"{self.folder / name}: {error.strerror}") from None

    def _end(self) -> int:
        """Write the index, and say how far the run has come: the exit status. Raises ReportError."""
        done, total = len(self.entries), self.found.games
        status = self.interruption.exit_status
        if not done and not status:
            raise ReportError(f"{self.source}: no game that can be read")
        if done:
            self._write(_INDEX, self._index(total - self.unread))
            kept = f"; kept {counted(self.kept, 'page')}" if self.kept else ""
            pages = counted(done - self.kept, "page")
            messages().print(f"wrote {self.folder / _INDEX} and {pages} beside it{kept}")
        if status:
            again = "without --fresh " if self.annotation.fresh else ""
            messages().print(
                f"Stopped after {done + self.unread:,} of {total:,} games;"
                f" repeat the command {again}to continue."
            )
            return status
        return _SOME_UNREADABLE if self.unread else 0

    def _index(self, total: int) -> str:
        """The page with the games so far, of `total`."""
        done = len(self.entries)
        return html_page(
            _FOLDER / "games.html",
            title=Path(self.source).stem if self.source != STDIO else "Games",
            styles=(STYLE, _FOLDER / "games.css"),
            count=f"{done:,} of {total:,} games" if done < total else counted(done, "game"),
            entries=self.entries,
            player=self.player,
            marks=[Mark.INACCURACY, Mark.MISTAKE, Mark.BLUNDER],
        )


def _accuracy(player: PlayerPerformance | None) -> float | None:
    return None if player is None else player.measures.accuracy
