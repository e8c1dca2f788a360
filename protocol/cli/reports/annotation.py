"""The analysis of a game that has none yet, with its progress on a terminal."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from engine.board.fen import FenError
from engine.search.table import TableError
from eval.choice import EvaluatorError
from eval.weight_file import WeightsError
from protocol.cli.analysis.analyst import Analyst
from protocol.cli.annotation.annotator import analysis_text, annotate_game
from protocol.cli.terminal.bar import bar
from protocol.cli.terminal.console import messages
from protocol.cli.terminal.interrupt import Interruption, stopping
from protocol.cli.terminal.progress import below

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import chess
    import chess.pgn

    from engine.search.limits import Limits
    from protocol.cli.analysis.finding import Finding
    from protocol.cli.analysis.settings import AnalystSettings


class AnnotationError(Exception):
    """Why a game cannot be analysed, in a line."""


class _InterruptedError(Exception):
    """A signal has asked for the end."""


class _WatchedAnalyst(Analyst):
    """Tells of each position that it has judged, and goes on to no other after a signal."""

    def __init__(self, settings: AnalystSettings) -> None:
        super().__init__(settings)
        self.told: Callable[[], None] = lambda: None
        self.interruption = Interruption()

    def best(self, board: chess.Board, limits: Limits) -> Finding:
        *_, finding = self._watched(board, limits)
        self.told()
        return finding

    def _watched(self, board: chess.Board, limits: Limits) -> Iterator[Finding]:
        for finding in self.search(board, limits):
            self._end_after_signal()  # a `stop` just before the search began would not do it
            yield finding
        self._end_after_signal()

    def _end_after_signal(self) -> None:
        if self.interruption.signal is not None:
            raise _InterruptedError


def annotate_watched(game: chess.pgn.Game, settings: AnalystSettings, limits: Limits) -> int:
    """Have a game annotated. The exit status: 0, or that of a signal which ended it before it was done.

    Raises AnnotationError.
    """
    try:
        with _WatchedAnalyst(settings) as analyst:
            return _annotate(game, analyst, limits)
    except (EvaluatorError, FenError, TableError, WeightsError) as error:
        raise AnnotationError(str(error)) from None


def _annotate(game: chess.pgn.Game, analyst: _WatchedAnalyst, limits: Limits) -> int:
    console = messages()
    positions = sum(1 for _ in game.mainline()) + (not game.end().board().is_checkmate())
    what = analysis_text(analyst.evaluator, limits)
    progress = bar()
    task = progress.add_task("", total=positions)
    with stopping(analyst.stop) as analyst.interruption, below(console, lambda: progress) as tell:
        tell(f"analysing {positions} positions: {what}")
        analyst.told = lambda: progress.advance(task)
        with suppress(_InterruptedError):
            annotate_game(game, analyst, limits)
    return analyst.interruption.exit_status
