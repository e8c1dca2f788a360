"""All games by name, and a game with its options as a command line or a line of GTP gives them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from inspect import signature
from math import isfinite
from typing import Any, Self

from engine.games.rules.features import FEATURES, weigh
from engine.games.rules.game import Game, SizeError
from engine.games.rules.own import is_file, own_game

GAMES = {
    "tree": "tree:TreeGame",
    "tictactoe": "tictactoe:TicTacToeGame",
    "nim": "nim:NimGame",
    "connectfour": "connectfour:ConnectFourGame",
    "othello": "othello:OthelloGame",
    "checkers": "checkers:CheckersGame",
    "chess": "chess:ChessRules",
    "go": "go:GoGame",
    "backgammon": "backgammon:BackgammonGame",
    "chinesecheckers": "chinesecheckers:ChineseCheckersGame",
    "focus": "focus:FocusGame",
    "virus": "virus:VirusGame",
}
"""Where in engine.games.rules each game is: its module and its class."""
_WEIGHTS = "weights"


def game(name: str, players: int | None = None, *, weights: object = None, **options: object) -> Game[Any]:
    """A game by name, or the one in a file, for a number of players (None: the usual one), with options.

    `weights`: of its features, see rules/features.py; None: its own estimate.
    Raises KeyError for an unknown game, SizeError for a number of players or an option that it does not have.
    """
    if is_file(name):
        own = own_game(name)
        if players not in {None, own.players}:
            raise SizeError(f"{own.title} is for {own.players} players, not {players}")
        return own
    module, made_by = GAMES[name].split(":")
    made: Game[Any] = getattr(import_module(f".rules.{module}", __package__), made_by)(
        **({} if players is None else {"players": players}), **options
    )
    if weights is not None:
        weigh(made, str(weights))
    return made


@dataclass(frozen=True, slots=True)
class Rules:
    """A game by name, for `players` or the usual number of them, with options of its own.

    `text` is the value of the game's one option that is a text, such as a tree or the piles of Nim. The name
    may be that of a file, see rules/own.py.
    """

    name: str
    players: int | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    text: str = ""

    @classmethod
    def named(cls, name: str, players: int | None, options: Mapping[str, str]) -> Self:
        """The rules that --game, --players and --set name, as in `tree lecture` or `Connect Four`."""
        kind, _, text = (
            (name, "", "") if folded(name) in GAMES or is_file(name) else name.strip().partition(" ")
        )
        return cls(kind, players, options, text.strip())

    def game(self) -> Game[Any]:
        """The game. Raises SizeError, with a message in one line, where there is no such game."""
        known = self.name if is_file(self.name) else folded(self.name)
        if known not in GAMES and not is_file(known):
            raise SizeError(f"unknown game {_quoted(self.name)}; available: {', '.join(GAMES)}")
        kinds = options_of(known)
        given = dict(self.options)
        if self.text:
            texts = (option for option, kind in kinds.items() if "str" in kind and option != _WEIGHTS)
            option = next(texts, self.text)
            if option in given:
                raise SizeError(f"{option} is given twice: {_quoted(self.text)}, {_quoted(given[option])}")
            given[option] = self.text
        for option in given:
            if option not in kinds:
                available = ", ".join(kinds) or "none"
                raise SizeError(f"unknown option {_quoted(option)} of {known}; available: {available}")
        values = {option: _value(given[option], kinds[option]) for option in given}
        try:
            return game(known, self.players, **values)
        except TypeError:  # a text in place of a number, say
            words = ", ".join(f"{option}={given[option]}" for option in given)
            raise SizeError(f"invalid options of {known}: {_quoted(words)}") from None


def folded(name: str) -> str:
    """The name of a game as in GAMES, from a title such as `Tic-Tac-Toe` or `Connect Four`."""
    return "".join(letter for letter in name.lower() if letter.isalnum())


def options_of(known: str) -> dict[str, str]:
    """The options of a game of GAMES, each with its annotated type; a file has none."""
    if is_file(known):
        return {}
    parameters = signature(type(game(known))).parameters.values()
    found = {each.name: str(each.annotation) for each in parameters if each.name != "players"}
    return {**found, _WEIGHTS: "str"} if known in FEATURES else found


def _value(text: str, kind: str) -> object:
    """The number or truth value that the text stands for, else the text. Raises SizeError for infinity."""
    if "str" in kind:
        return text
    for number in (int, float):
        try:
            value = number(text)
        except ValueError:  # also for an int of more than 4,300 digits
            continue
        if not isfinite(value):
            raise SizeError(f"not a finite number: {_quoted(text)}")
        return value
    return {"true": True, "false": False}.get(text.lower(), text)


def _quoted(text: str) -> str:
    shown = ascii(text[:60])
    return shown if len(text) <= 60 and len(shown) <= 62 else f"{shown[:58]}...{shown[0]}"
