"""The exact score of a position by looking at everything that can follow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.games.rules.compiled_state import CompiledState

OVER = -2


def negamax(state: CompiledState, score: Callable[[Any, int], int], known: dict[Any, int]) -> int:
    """Of the player to move; `score(state, player)` is that of a player where the game is over."""
    if state not in known:
        best = -1000
        for move in state.moves():
            child = state.play(move)
            if child.player == OVER:
                found = score(child, state.player)
            else:
                found = negamax(child, score, known) * (1 if child.player == state.player else -1)
            best = max(best, found)
        known[state] = best
    return known[state]
