"""The engine as somebody to play against: at full strength or with a handicap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import chess

from engine.board.notation import move_text

if TYPE_CHECKING:
    from random import Random

    from engine.search.handicap import Handicap
    from engine.search.limits import Limits
    from engine.search.report import Score
    from protocol.cli.analysis.analyst import Analyst


_OVERHEAD = 20  # milliseconds of a move that are not spent on searching


@dataclass(frozen=True, slots=True)
class EngineMove:
    """The move to play, and what its line is worth to the mover; None where none was finished."""

    move: chess.Move
    score: Score | None


class Opponent:
    """One player. All methods but `stop` are for one thread."""

    def __init__(self, analyst: Analyst, handicap: Handicap, chooser: Random) -> None:
        """`chooser` decides where the handicap leaves a choice. The analyst is for the opponent alone."""
        self._analyst = analyst
        self._analyst.session.settings.move_overhead = _OVERHEAD
        self._analyst.session.chooser = chooser
        self.play_as(handicap)

    def play_as(self, handicap: Handicap) -> None:
        """Another strength from now on."""
        self._analyst.session.settings.handicap = handicap

    def answer(self, board: chess.Board, limits: Limits) -> EngineMove:
        """What to play; the game is not over. Raises FenError, and what the search fails with."""
        reports, outcome = self._analyst.choice(board, limits)
        move = chess.Move.from_uci(move_text(outcome.best, board.chess960))
        return EngineMove(move, reports[-1].score if reports else None)

    def stop(self) -> None:
        """Move now; from any thread, or a signal's handler."""
        self._analyst.stop()

    def new_game(self) -> None:
        """Forget the last game."""
        self._analyst.new_game()

    def close(self) -> None:
        """Stop, and wait until no thread is left."""
        self._analyst.close()
