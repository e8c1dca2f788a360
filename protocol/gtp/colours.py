"""Who is who in GTP: colours, and the dice, which are a colour too."""

from __future__ import annotations

from engine.games.rules.game import CHANCE, OVER
from protocol.gtp.lines import SYNTAX_ERROR, GtpError

DICE = "dice"
_NAMES = ("black", "white")


def parse_colour(text: str, players: int) -> int:
    """The player, or CHANCE for the dice. Raises GtpError.

    `b`, `black` and `p1` are the first player, `w`, `white` and `p2` the second, `p3` the third, and so on.
    """
    word = text.lower()
    if word == DICE:
        return CHANCE
    for player in range(players):
        if word == f"p{player + 1}" or (player < len(_NAMES) and word in (_NAMES[player], _NAMES[player][0])):
            return player
    raise GtpError(SYNTAX_ERROR)


def colour_name(player: int, players: int = 2) -> str:
    """`black`, `white`, `dice`, or `p1`, `p2`, … where there are more than two."""
    if player == CHANCE:
        return DICE
    return f"p{player + 1}" if players > len(_NAMES) or player == OVER else _NAMES[player]
