"""When a game of self-play is over: by the rules of chess, or because its result is clear."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.adjudication import STANDARD, Ending

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.board.position import Position


def end_by_rule(position: Position, moves: Sequence[int]) -> tuple[Ending, int] | None:
    """How the rules end the game in this position, whose legal moves these are, and White's result."""
    if not moves:
        return (Ending.CHECKMATE, 1 if position.side else -1) if position.checkers else (Ending.STALEMATE, 0)
    if position.is_insufficient():
        return Ending.INSUFFICIENT, 0
    if position.is_fifty_moves():
        return Ending.FIFTY_MOVES, 0
    return (Ending.REPETITION, 0) if position.is_repetition(0) else None


def adjudicate(scores: Sequence[int]) -> tuple[Ending, int] | None:
    """How the game ends after searches with these scores, White's centipawns, one for each ply played."""
    rules = STANDARD
    last = scores[-rules.won_plies :]
    if len(last) == rules.won_plies:
        if min(last) > rules.won_score:
            return Ending.CLEAR_WIN, 1
        if max(last) < -rules.won_score:
            return Ending.CLEAR_WIN, -1
    if len(scores) >= rules.drawn_from + rules.drawn_plies and all(
        abs(score) <= rules.drawn_score for score in scores[-rules.drawn_plies :]
    ):
        return Ending.CLEAR_DRAW, 0
    return (Ending.TOO_LONG, 0) if len(scores) >= rules.longest else None
