"""A whole run of `lolli report --all`: one game in memory at a time, and what interrupts it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from engine.board.fen import FenError
from eval.weight_file import WeightsError
from protocol import given_file
from protocol.cli.annotation.annotator import analysis_text, annotate_game
from protocol.cli.pgn.game_reader import read_game
from protocol.cli.pgn.known_players import FileOutline, KnownPlayers, PlayerNameError, outline
from protocol.cli.pgn.movetext import NoGameError, UnreadableError
from protocol.cli.pgn.raw_games import LARGEST_FILE, raw_games
from protocol.cli.reports.collection import Collection
from protocol.cli.reports.game_source import InterruptedRunError, WatchedAnalyst, has_scores, watched_analyst
from protocol.cli.reports.output_files import ReportError
from protocol.cli.reports.page_origin import analysis_identity, game_digest
from protocol.cli.reports.player_statistics import PlayerStatistics
from protocol.cli.terminal.console import messages
from protocol.cli.terminal.progress import Display
from protocol.cli.terminal.tty import Interruption, stopping

if TYPE_CHECKING:
    from pathlib import Path

    import chess
    import chess.pgn

    from engine.search.limits import Limits
    from protocol.cli.analysis.finding import AnalystSettings
    from protocol.cli.annotation.annotator import AnnotationOptions
    from protocol.cli.pgn.raw_games import RawGame

_SOME_UNREADABLE = 1  # exit status


@dataclass(frozen=True, slots=True)
class CollectionRequest:
    """The arguments of a run.

    `player` is a name or a part of one, `orientation` as in Collection. Games with scores are analysed only
    with `always`. If the annotation is `fresh` no page is kept.
    """

    source: str
    folder: Path
    title: str
    player: str | None
    orientation: chess.Color | None
    settings: AnalystSettings
    limits: Limits
    annotation: AnnotationOptions
    always: bool


def report_all(request: CollectionRequest) -> int:
    """Write the pages and the index: the exit status, that of the signal if one came. Raises ReportError."""
    try:
        with (
            given_file.opened(request.source, LARGEST_FILE) as opened,
            given_file.rewindable(request.source, opened) as file,
        ):
            found = outline(file)
            if not found.games:
                raise ReportError(f"{request.source}: no game")
            player = _player(request, found.names)
            file.seek(0)
            return _Run(request, found, player).go(file)
    except OSError as error:
        raise ReportError(f"{error.filename or request.source}: {error.strerror}") from None
    except WeightsError as error:
        raise ReportError(str(error)) from None


def _player(request: CollectionRequest, names: KnownPlayers) -> PlayerStatistics | None:
    if request.player is None:
        return None
    try:
        return PlayerStatistics(*names.meant(request.player))
    except PlayerNameError as error:
        raise ReportError(f"{request.source}: {error}") from None


class _Run:
    """Reports the progress on stderr. An analyst is made for the first game that needs one."""

    def __init__(
        self, request: CollectionRequest, found: FileOutline, player: PlayerStatistics | None
    ) -> None:
        self._request = request
        self._outline = found
        self._collection = Collection(
            request.folder, found.pieces, player, request.orientation, opening=request.annotation.opening
        )
        self._display = Display(found.games, console=messages())
        self._interruption = Interruption()
        self._analyst: WatchedAnalyst | None = None
        self._kept = self._unread = 0

    def go(self, file: BinaryIO) -> int:
        """The exit status. Raises ReportError."""
        try:
            with stopping(self._stop) as self._interruption, self._display.shown():
                for raw in raw_games(file):
                    self._take(raw)
                    if self._interruption.signal is not None:
                        break
        except InterruptedRunError:
            pass
        finally:
            if self._analyst is not None:
                self._analyst.close()
        return self._end()

    def _stop(self) -> None:
        if self._analyst is not None:
            self._analyst.stop()

    def _take(self, raw: RawGame) -> None:
        """Make the page of a game. Raises InterruptedRunError, ReportError."""
        try:
            self._report(raw, read_game(raw.data).game)
        except NoGameError:
            return
        except UnreadableError as error:
            self._leave_out(f"game {raw.number}, line {raw.line + error.line}: {error}")
        except FenError as error:
            self._leave_out(f"game {raw.number}: the engine cannot use one of its positions: {error}")
        self._display.progress.advance(self._display.task)

    def _leave_out(self, reason: str) -> None:
        self._display.print(f"{reason}; left out")
        self._unread += 1

    def _report(self, raw: RawGame, game: chess.pgn.Game) -> None:
        request = self._request
        is_searched = bool(game.variations) and (request.always or not has_scores(game))
        options = request.annotation
        analysis = analysis_identity(request.settings, request.limits, options) if is_searched else None
        digest = game_digest(raw)
        if not options.fresh and self._collection.keep(raw.number, digest, analysis):
            self._kept += 1
            return
        if is_searched:
            annotate_game(game, self._searching(), request.limits, options)
        self._collection.add(raw.number, game, digest, analysis)

    def _searching(self) -> WatchedAnalyst:
        """The analyst. Raises ReportError."""
        if self._analyst is None:
            self._analyst = watched_analyst(self._request.settings)
            self._analyst.interruption = self._interruption
            what = analysis_text(self._analyst.evaluator, self._request.limits)
            self._display.print(f"analysing games: {what}")
        return self._analyst

    def _end(self) -> int:
        """Write the index, and say how far the run has come."""
        done, total = len(self._collection.entries), self._outline.games
        status = self._interruption.exit_status
        if not done and not status:
            raise ReportError(f"{self._request.source}: no game that can be read")
        if done:
            index = self._collection.finish(self._request.title, total - self._unread)
            kept = f"; kept {_pages_text(self._kept)}" if self._kept else ""
            messages().print(f"wrote {index} and {_pages_text(done - self._kept)} beside it{kept}")
        if status:
            again = "without --fresh " if self._request.annotation.fresh else ""
            messages().print(
                f"Stopped after {done + self._unread:,} of {total:,} games;"
                f" repeat the command {again}to continue."
            )
            return status
        return _SOME_UNREADABLE if self._unread else 0


def _pages_text(number: int) -> str:
    return f"{number:,} page" if number == 1 else f"{number:,} pages"
