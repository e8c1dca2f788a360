"""When a game of self-play is over: by the rules of chess, or because its result is clear."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.board.position import Position

WON_SCORE, WON_PLIES = 2000, 6
"""A game is won when so many searches in a row, half of them by either side, say more than this."""

DRAWN_SCORE, DRAWN_PLIES, DRAWN_FROM = 5, 16, 120
"""A game is drawn when, after so many plies, so many searches in a row say no more than this either way."""

LONGEST = 400
"""After so many plies a game is drawn."""

_FIFTY_MOVES = 100


class Ending(Enum):
    """How a game ended."""

    CHECKMATE = "checkmate"
    STALEMATE = "stalemate"
    INSUFFICIENT = "insufficient material"
    FIFTY_MOVES = "fifty moves"
    REPETITION = "repetition"
    CLEAR_WIN = "clear win"
    CLEAR_DRAW = "clear draw"
    TOO_LONG = "too long"


def end_by_rule(position: Position, moves: Sequence[int]) -> tuple[Ending, int] | None:
    """How the rules end the game in this position, whose legal moves these are, and White's result."""
    if not moves:
        return (Ending.CHECKMATE, 1 if position.side else -1) if position.checkers else (Ending.STALEMATE, 0)
    if position.is_insufficient():
        return Ending.INSUFFICIENT, 0
    if position.halfmoves >= _FIFTY_MOVES:
        return Ending.FIFTY_MOVES, 0
    return (Ending.REPETITION, 0) if position.is_repetition(0) else None


def adjudicate(scores: Sequence[int]) -> tuple[Ending, int] | None:
    """How the game ends after searches with these scores, White's centipawns, one for each ply played."""
    last = scores[-WON_PLIES:]
    if len(last) == WON_PLIES:
        if min(last) > WON_SCORE:
            return Ending.CLEAR_WIN, 1
        if max(last) < -WON_SCORE:
            return Ending.CLEAR_WIN, -1
    if len(scores) >= DRAWN_FROM + DRAWN_PLIES and all(
        abs(score) <= DRAWN_SCORE for score in scores[-DRAWN_PLIES:]
    ):
        return Ending.CLEAR_DRAW, 0
    return (Ending.TOO_LONG, 0) if len(scores) >= LONGEST else None
