"""The engine as somebody to play against: at full strength or with a handicap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import chess

from engine.board.notation import move_text
from protocol.analysis.analyst import engine_fen

if TYPE_CHECKING:
    from random import Random

    from engine.search.handicap import Handicap
    from engine.search.limits import Limits
    from engine.search.report import Outcome, Progress, Report, Score
    from protocol.analysis.analyst import Analyst


_OVERHEAD = 20  # milliseconds of a move that are not spent on searching


@dataclass(frozen=True, slots=True)
class Answer:
    """The move to play, and what the best line is worth to the mover; None where none was finished."""

    move: chess.Move
    score: Score | None


class Opponent:
    """One player. All methods but `stop` are for one thread."""

    def __init__(self, analyst: Analyst, handicap: Handicap, chooser: Random) -> None:
        """`chooser` decides where the handicap leaves a choice. The analyst is for the opponent alone."""
        self._analyst = analyst
        self._analyst.session.settings.move_overhead = _OVERHEAD
        self._chooser = chooser
        self.play_as(handicap)

    def play_as(self, handicap: Handicap) -> None:
        """Another strength from now on."""
        self._handicap = handicap
        self._analyst.session.settings.lines = handicap.lines

    def answer(self, board: chess.Board, limits: Limits) -> Answer:
        """What to play; the game is not over. Raises FenError, and what the search fails with."""
        session = self._analyst.session
        session.set_position(engine_fen(board.root()), [move.uci() for move in board.move_stack])
        listener = _Listener()
        session.go(self._handicap.limited(limits), listener)
        session.wait()
        if listener.error is not None:
            raise listener.error
        chosen = self._handicap.choose(listener.reports, listener.best, self._chooser)
        firsts = [each.score for each in listener.reports if each.line == 1]
        move = chess.Move.from_uci(move_text(chosen, board.chess960))
        return Answer(move, firsts[-1] if firsts else None)

    def stop(self) -> None:
        """Move now; from any thread, or a signal's handler."""
        self._analyst.stop()

    def new_game(self) -> None:
        """Forget the last game."""
        self._analyst.new_game()

    def close(self) -> None:
        """Stop, and wait until no thread is left."""
        self._analyst.close()


class _Listener:
    """Keeps what the choice is made from."""

    def __init__(self) -> None:
        self.reports: list[Report] = []
        self.best = 0
        self.error: BaseException | None = None

    def report(self, report: Report) -> None:
        self.reports.append(report)

    def progress(self, progress: Progress) -> None:
        """Of no interest."""

    def outcome(self, outcome: Outcome) -> None:
        self.best = outcome.best

    def failed(self, error: BaseException) -> None:
        self.error = error
