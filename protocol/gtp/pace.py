"""How long games last: what a clock has to be shared among."""

from __future__ import annotations

USUAL = 80  # moves of all players together, in a game that is not listed
LEAST = 8  # moves that a player may always still have to make
_LENGTHS = {"tictactoe": 9, "connectfour": 36, "othello": 60, "backgammon": 60, "chinesecheckers": 160}
_FILLED = 0.8  # of the points of a Go board, when the players pass


def moves_to_go(name: str, size: int | None, players: int, played: int) -> int:
    """How many moves of one player the game may still last, after so many moves of all."""
    length = round(_FILLED * size * size) if name == "go" and size else _LENGTHS.get(name, USUAL)
    return max(LEAST, (length - played + players - 1) // players)
