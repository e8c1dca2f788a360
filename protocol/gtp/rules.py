"""Games by name and with their options, as a command line or a line of GTP gives them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from inspect import signature
from math import isfinite
from typing import TYPE_CHECKING, Any, Self

from engine.games.players import catalogue
from engine.games.rules.game import SizeError
from protocol.text import quoted

if TYPE_CHECKING:
    from engine.games.rules.game import Game


def folded(name: str) -> str:
    """The name of a game as in the catalogue, from a title such as `Tic-Tac-Toe` or `Connect Four`."""
    return "".join(letter for letter in name.lower() if letter.isalnum())


@dataclass(frozen=True, slots=True)
class Rules:
    """A game by name, for `players` or the usual number of them, with options of its own.

    `text` is the value of the game's one option that is a text, such as a tree or the piles of Nim.
    """

    name: str
    players: int | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    text: str = ""

    @classmethod
    def named(cls, name: str, players: int | None, options: Mapping[str, str]) -> Self:
        """The rules that --game, --players and --set name, as in `tree lecture` or `Connect Four`."""
        kind, _, text = (name, "", "") if folded(name) in catalogue.GAMES else name.strip().partition(" ")
        return cls(kind, players, options, text.strip())

    def game(self) -> Game[Any]:
        """The game. Raises SizeError, with a message in one line, where there is no such game."""
        known = folded(self.name)
        if known not in catalogue.GAMES:
            raise SizeError(f"unknown game {quoted(self.name)}; available: {', '.join(catalogue.GAMES)}")
        kinds = options_of(known)
        given = dict(self.options)
        if self.text:
            option = next((option for option, kind in kinds.items() if "str" in kind), self.text)
            if option in given:
                raise SizeError(f"{option} is given twice: {quoted(self.text)}, {quoted(given[option])}")
            given[option] = self.text
        for option in given:
            if option not in kinds:
                available = ", ".join(kinds) or "none"
                raise SizeError(f"unknown option {quoted(option)} of {known}; available: {available}")
        values = {option: _value(given[option], kinds[option]) for option in given}
        try:
            return catalogue.game(known, self.players, **values)
        except TypeError:  # a text in place of a number, say
            words = ", ".join(f"{option}={given[option]}" for option in given)
            raise SizeError(f"invalid options of {known}: {quoted(words)}") from None


def options_of(known: str) -> dict[str, str]:
    """The options of a game in the catalogue, each with its annotated type."""
    parameters = signature(type(catalogue.game(known))).parameters.values()
    return {each.name: str(each.annotation) for each in parameters if each.name != "players"}


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
            raise SizeError(f"not a finite number: {quoted(text)}")
        return value
    return {"true": True, "false": False}.get(text.lower(), text)
