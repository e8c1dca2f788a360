"""All games by name."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.games.rules.game import Game

GAMES = {
    "tree": "tree:TreeGame",
    "tictactoe": "tictactoe:TicTacToeGame",
    "nim": "nim:NimGame",
    "connectfour": "connectfour:ConnectFourGame",
    "othello": "othello:OthelloGame",
    "checkers": "checkers.game:CheckersGame",
    "chess": "chess:ChessRules",
    "go": "go.game:GoGame",
    "backgammon": "backgammon.game:BackgammonGame",
    "chinesecheckers": "chinesecheckers:ChineseCheckersGame",
    "focus": "focus:FocusGame",
    "virus": "virus:VirusGame",
}
"""Where in engine.games.rules each game is: its module and its class."""


def game(name: str, players: int | None = None, **options: object) -> Game[Any]:
    """A game by name, for a number of players (None: the usual number), with options of its own.

    Raises KeyError for an unknown game, SizeError for a number of players or an option that it does not have.
    """
    module, made_by = GAMES[name].split(":")
    made: Game[Any] = getattr(import_module(f"..rules.{module}", __package__), made_by)(
        **({} if players is None else {"players": players}), **options
    )
    return made
