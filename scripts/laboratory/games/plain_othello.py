"""A second solver for the end of Othello, slow and short, which shares only the rules with the first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.games.rules.game import OVER

if TYPE_CHECKING:
    from engine.games.rules.othello import Othello


class PlainSolver:
    """Proves what one player is sure of: some own move, and every reply, must lead to it."""

    def __init__(self, player: int, least: int) -> None:
        """Whether `player` is sure to be at least that many discs ahead at the end."""
        self._player, self._least = player, least
        self._known: dict[Othello, bool] = {}

    def is_sure(self, state: Othello) -> bool:
        """The answer for a state."""
        if state.player == OVER:
            own, other = (state.discs(each).bit_count() for each in (self._player, 1 - self._player))
            return own - other >= self._least
        if state not in self._known:
            answers = map(self.is_sure, sorted(map(state.play, state.moves()), key=_choices))
            self._known[state] = any(answers) if state.player == self._player else all(answers)
        return self._known[state]


def _choices(state: Othello) -> int:
    """The fewer there are for whoever is next, the sooner an answer is found."""
    return len(state.moves())


def has_score(state: Othello, score: int) -> bool:
    """Whether the player to move will be ahead by exactly so many discs with best play."""
    at_least, more = (PlainSolver(state.player, least).is_sure(state) for least in (score, score + 1))
    return at_least and not more
