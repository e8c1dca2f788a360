"""Thinking on the opponent's time about the reply that is expected."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import chess
from chess.engine import Limit, PlayResult

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lolli._core import Request
    from lolli._options import Value


@dataclass(frozen=True, slots=True)
class Pondering:
    """The board that is expected, the limit for it, and the game and options that it belongs to."""

    board: chess.Board
    limit: Limit
    game: object
    options: Mapping[str, Value]

    def fits(self, request: Request) -> bool:
        """Whether a request is what was expected."""
        return (
            request.game == self.game
            and dict(request.options) == dict(self.options)
            and request.root_moves is None
            and request.board.move_stack == self.board.move_stack
            and request.board == self.board
        )


def pondering_after(request: Request, result: PlayResult, seconds: float) -> Pondering | None:
    """What to ponder on after a request was answered within so many seconds; None where nothing is expected.

    The limit is that of the request, with the clocks as they will be.
    """
    limit = request.limit
    if limit is None or result.move is None or result.ponder is None:
        return None
    board = request.board.copy()
    board.push(result.move)
    board.push(result.ponder)
    white, black = limit.white_clock, limit.black_clock
    if white is not None:
        white += (limit.white_inc or 0) - (seconds if board.turn == chess.WHITE else 0)
    if black is not None:
        black += (limit.black_inc or 0) - (seconds if board.turn == chess.BLACK else 0)
    moves = limit.remaining_moves - 1 if limit.remaining_moves else limit.remaining_moves
    expected = replace(limit, white_clock=white, black_clock=black, remaining_moves=moves)
    return Pondering(board, expected, request.game, dict(request.options))
