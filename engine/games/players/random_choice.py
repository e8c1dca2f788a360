"""The weakest player, against whom all others are measured: any legal move, all alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

    from engine.games.rules.interface import Move, State


def random_choice(state: State, random: Random) -> Move:
    """A legal move of a state with a player, not chance, to move."""
    return random.choice(state.moves())
