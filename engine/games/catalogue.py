"""All games by name."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.games.interface import Game

GAMES = {
    "tree": "TreeGame",
    "tictactoe": "TicTacToeGame",
    "nim": "NimGame",
    "connectfour": "ConnectFourGame",
    "othello": "OthelloGame",
    "go": "GoGame",
    "backgammon": "BackgammonGame",
    "chinesecheckers": "ChineseCheckersGame",
    "focus": "FocusGame",
    "virus": "VirusGame",
}
"""The modules beside this one, and the class of the game in each."""


def game(name: str, players: int | None = None, **options: object) -> Game[Any]:
    """A game for so many players, by default the usual number, with options of its own.

    Raises KeyError where there is no such game, SizeError where it is not for so many.
    """
    made_by = GAMES[name]
    module = import_module(f"engine.games.{name}")
    made: Game[Any] = getattr(module, made_by)(**({} if players is None else {"players": players}), **options)
    return made
