"""How a game has ended, or would end if it ended here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.games.rules.game import NotApplicableError
from protocol.gtp.lines import CANNOT_SCORE, GtpError

if TYPE_CHECKING:
    from protocol.gtp.match import Match


def final_score(match: Match) -> str:
    """`B+3.5`, `W+12` or `0` with two players; with more, or payoffs that do not add up to 0, all payoffs.

    Points where the game has them, else payoffs. Raises GtpError where there are no points and no end.
    """
    game = match.game
    try:
        margin = game.margin(match.state)
    except NotApplicableError:
        if not match.over:
            raise GtpError(CANNOT_SCORE) from None
        payoffs = match.state.payoff()
        if game.players != 2 or not game.zero_sum:
            return " ".join(f"{payoff:g}" for payoff in payoffs)
        margin = payoffs[0]
    if margin == 0:
        return "0"
    return f"B+{margin:g}" if margin > 0 else f"W+{-margin:g}"


def result(match: Match) -> str:
    """What people are told at the end."""
    return f"the game is over: {final_score(match)}"
