"""The game of a report: chosen from a file, and analysed if it has no scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import BinaryIO

import chess
import chess.pgn

from engine.board.fen import FenError
from engine.search.limits import Limits
from engine.search.table import TableError
from eval.choice import EvaluatorError
from eval.weight_file import WeightsError
from lolli.cli.analysis.analyst import Analyst
from lolli.cli.analysis.finding import AnalystSettings, Finding
from lolli.cli.annotation.annotator import AnnotationOptions, analysis_text, annotate_game
from lolli.cli.pgn.game_reader import read_game
from lolli.cli.pgn.movetext import NoGameError, UnreadableError
from lolli.cli.pgn.raw_games import RawGame, raw_games
from lolli.cli.reports.output_files import ReportError
from lolli.cli.reports.story import told_score
from lolli.cli.terminal.console import messages
from lolli.cli.terminal.progress import Display
from lolli.cli.terminal.tty import Interruption, stopping


def select_game(file: BinaryIO, number: int | None) -> tuple[chess.pgn.Game, int]:
    """The game with this number, from 1, or the first; and the number of games. Raises ReportError."""
    chosen: RawGame | None = None
    count = 0
    for raw in raw_games(file):
        if raw.data.strip():
            count = raw.number
            if raw.number == (number or 1):
                chosen = raw
    if count == 0:
        raise ReportError("no game")
    if chosen is None:
        raise ReportError(f"no game {number}: the file has {count}")
    try:
        return read_game(chosen.data).game, count
    except NoGameError as error:
        raise ReportError(str(error)) from None
    except UnreadableError as error:
        place = f"game {chosen.number}, line {chosen.line + error.line}"
        raise ReportError(f"{place}: {error}") from None


def has_scores(game: chess.pgn.Game) -> bool:
    """Whether at least every other move of the main line has a score, so that no analysis is needed.

    Some may lack one: moves of the opening may be skipped, and the last move of a game that is over has none.
    """
    turn = game.turn()
    scores = [told_score(node.comment, turn) is not None for node in game.mainline()]
    return 2 * sum(scores) >= len(scores) > 0


class InterruptedRunError(Exception):
    """A signal asked the command to end."""


class WatchedAnalyst(Analyst):
    """Calls `judged` after each position, and raises InterruptedRunError after a signal."""

    def __init__(self, settings: AnalystSettings) -> None:
        super().__init__(settings)
        self.judged: Callable[[], None] = lambda: None
        self.interruption = Interruption()

    def findings(self, board: chess.Board, limits: Limits) -> tuple[Finding, ...]:
        last = {finding.line: finding for finding in self._watched(board, limits)}
        self.judged()
        return tuple(last[line] for line in sorted(last))

    def _watched(self, board: chess.Board, limits: Limits) -> Iterator[Finding]:
        for finding in self.search(board, limits):
            self._end_after_signal()  # a `stop` just before the search began has no effect
            yield finding
        self._end_after_signal()

    def _end_after_signal(self) -> None:
        if self.interruption.signal is not None:
            raise InterruptedRunError


def watched_analyst(settings: AnalystSettings) -> WatchedAnalyst:
    """An analyst with these settings. Raises ReportError if the engine cannot be set up so."""
    try:
        return WatchedAnalyst(settings)
    except (EvaluatorError, TableError, WeightsError) as error:
        raise ReportError(str(error)) from None


def annotate_watched(
    game: chess.pgn.Game, settings: AnalystSettings, limits: Limits, options: AnnotationOptions
) -> int:
    """Annotate a game. Returns the exit status: 0, or that of the signal that interrupted it.

    Raises ReportError.
    """
    with watched_analyst(settings) as analyst:
        try:
            return _annotate(game, analyst, limits, options)
        except FenError as error:
            raise ReportError(str(error)) from None


def _annotate(
    game: chess.pgn.Game, analyst: WatchedAnalyst, limits: Limits, options: AnnotationOptions
) -> int:
    positions = sum(1 for _ in game.mainline()) + (not game.end().board().is_checkmate())
    what = analysis_text(analyst.evaluator, limits)
    display = Display(positions, console=messages())
    with stopping(analyst.stop) as analyst.interruption, display.shown():
        display.print(f"analysing {positions} positions: {what}")
        analyst.judged = lambda: display.progress.advance(display.task)
        with suppress(InterruptedRunError):
            annotate_game(game, analyst, limits, options)
    return analyst.interruption.exit_status
