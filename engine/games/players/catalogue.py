"""All games by name."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.games.rules.interface import Game

GAMES = {
    "tree": "tree:TreeGame",
    "tictactoe": "tictactoe:TicTacToeGame",
    "nim": "nim:NimGame",
    "connectfour": "connectfour:ConnectFourGame",
    "othello": "othello:OthelloGame",
    "go": "go.game:GoGame",
    "backgammon": "backgammon.game:BackgammonGame",
    "chinesecheckers": "chinesecheckers:ChineseCheckersGame",
    "focus": "focus:FocusGame",
    "virus": "virus:VirusGame",
}
"""Where in engine.games.rules each game is: its module and its class."""


def game(name: str, players: int | None = None, **options: object) -> Game[Any]:
    """A game for so many players, by default the usual number, with options of its own.

    Raises KeyError where there is no such game, SizeError where it is not for so many.
    """
    module, made_by = GAMES[name].split(":")
    made: Game[Any] = getattr(import_module(f"engine.games.rules.{module}"), made_by)(
        **({} if players is None else {"players": players}), **options
    )
    return made
