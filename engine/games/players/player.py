"""A searcher with a game, as somebody who can be asked for a move."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from engine.games.rules.interface import State
    from engine.games.textbook.limits import Limits
    from engine.games.textbook.result import Decision


class Player(Protocol):
    """All methods but `stop` are for one thread."""

    def choose(self, state: State, limits: Limits) -> Decision:
        """What to play in a state with a player, not chance, to move. There is always a legal move in it.

        The searcher's own depth or number of playouts holds where the limits say nothing.
        """

    def stop(self) -> None:
        """Decide now; from any thread. Lost where nothing is being chosen."""

    def new_game(self) -> None:
        """Forget what was learned."""
