"""Which positions are fit to start a game: quiet, level, and understood by every engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import chess
from chess.engine import Cp

from .uci_player import UciPlayer
from .xboard_player import edit_lines

if TYPE_CHECKING:
    from .plan import EngineSpec
    from .random_play import BookSource, RandomSource

_SILENCE_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class OpeningRules:
    """What is asked of an opening, and of whom."""

    engine: EngineSpec
    """Judges with its limit of nodes."""
    source: RandomSource | BookSource
    max_score: int
    """No side may be ahead by more than so many centipawns."""
    chess960: bool


class OpeningWorker:
    """Judges candidates with an engine of its own."""

    def __init__(self, rules: OpeningRules) -> None:
        """Start the engine. Raises StartError."""
        self._rules = rules
        self._engine = UciPlayer(rules.engine, chess960=rules.chess960, stall_seconds=_SILENCE_SECONDS)

    def work(self, job: tuple[int, tuple[int, ...]]) -> tuple[int, list[str]]:
        """Judge the candidates of a chunk: its number, and the EPD of those that are fit, in their order."""
        chunk, numbers = job
        boards = (self._rules.source.candidate(number) for number in numbers)
        return chunk, [board.epd(shredder=self._rules.chess960) for board in boards if self._is_fit(board)]

    def close(self) -> None:
        """End the engine."""
        self._engine.close()

    def _is_fit(self, board: chess.Board) -> bool:
        if not looks_quiet(board) or not (self._rules.chess960 or is_plain(board)):
            return False
        fen = board.fen(shredder=self._rules.chess960)
        score = self._engine.analyse(fen, self._rules.engine.pace.nodes or 1).score
        return isinstance(score, Cp) and abs(score.score()) <= self._rules.max_score


def looks_quiet(board: chess.Board) -> bool:
    """No check, no end, equal material: what can be seen without a search."""
    if board.is_check() or not any(board.generate_legal_moves()):
        return False
    return _material(board, chess.WHITE) == _material(board, chess.BLACK)


def _material(board: chess.Board, colour: chess.Color) -> tuple[int, ...]:
    """Pawns, minor pieces, rooks and queens of a side."""
    pawns, knights, bishops, rooks, queens = (
        len(board.pieces(kind, colour)) for kind in chess.PIECE_TYPES if kind != chess.KING
    )
    return pawns, knights + bishops, rooks, queens


def is_plain(board: chess.Board) -> bool:
    """Whether the position can be set up even for an engine that is told the pieces alone."""
    try:
        edit_lines(board)
    except ValueError:
        return False
    return True
