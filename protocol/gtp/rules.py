"""Games by name and with their options, as a command line or a line of GTP has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from inspect import signature
from typing import TYPE_CHECKING, Any

from engine.games.players import catalogue
from engine.games.rules.game import SizeError
from protocol.text import quoted

if TYPE_CHECKING:
    from engine.games.rules.game import Game


def folded(name: str) -> str:
    """The name of a game as the catalogue has it: `Tic-Tac-Toe` and `Connect Four` are known, too."""
    return "".join(letter for letter in name.lower() if letter.isalnum())


@dataclass(frozen=True, slots=True)
class Rules:
    """What is to be played: a game by name, for so many players or the usual number, with options of its own.

    `text` is the one option of the game that is a text, such as a tree or the piles of Nim.
    """

    name: str
    players: int | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    text: str = ""

    def game(self) -> Game[Any]:
        """The game; raises SizeError, with a line for people, where there is none such."""
        known = folded(self.name)
        if known not in catalogue.GAMES:
            there_are = ", ".join(catalogue.GAMES)
            raise SizeError(f"no game is called {quoted(self.name)}; there are: {there_are}")
        kinds = options_of(known)
        given = dict(self.options)
        if self.text:
            given[next((option for option, kind in kinds.items() if "str" in kind), self.text)] = self.text
        for option in given:
            if option not in kinds:
                there_are = ", ".join(kinds) or "none"
                raise SizeError(f"{known} has no option {quoted(option)}; there are: {there_are}")
        values = {option: _value(given[option], kinds[option]) for option in given}
        try:
            return catalogue.game(known, self.players, **values)
        except TypeError:  # a text where a number is wanted, say
            words = ", ".join(f"{option}={given[option]}" for option in given)
            raise SizeError(f"{known} cannot be played with {quoted(words)}") from None


def options_of(known: str) -> dict[str, str]:
    """The options of a game in the catalogue, with what they may be."""
    parameters = signature(type(catalogue.game(known))).parameters.values()
    return {each.name: str(each.annotation) for each in parameters if each.name != "players"}


def _value(text: str, kind: str) -> object:
    """The text, or what it says where that is a number or a truth value."""
    if "str" in kind:
        return text
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(text.lower(), text)
