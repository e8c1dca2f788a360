"""The entrants of a tournament: `uct`, `alphabeta:depth=4`, `uct:final=rate:playouts=1000`, `level3`."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, Any

from engine.games.players.levels import levels
from engine.games.players.searcher_options import OptionError
from engine.games.players.searchers import DEPTH, SEARCHERS, current_name
from engine.games.rules.game import NotApplicableError
from engine.games.textbook.search import SearchLimits
from protocol.gtp.gtp_player import clamped, stricter

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engine.games.players.player import Player
    from engine.games.rules.game import Game

_LEVEL = re.compile(r"level(\d{1,4})")
_WHOLE = ("depth", "nodes", "playouts")


class EntrantError(ValueError):
    """An unknown player, or one that cannot play this game; the message says why."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A searcher with its options and limits; `label` is its description, numbered if it is not unique."""

    label: str
    searcher: str
    options: tuple[tuple[str, str], ...]
    limits: SearchLimits

    def at_depth(self, plies: int) -> Entrant:
        """The same searcher with this fixed depth for its own or its level's, without iterative deepening.

        Raises EntrantError for a searcher that does not search to a depth.
        """
        if all(option.name != DEPTH.name for option in SEARCHERS[self.searcher].options):
            raise EntrantError(f"{self.label} does not search to a depth")
        options = (*self.options, (DEPTH.name, str(plies)))
        return replace(self, options=options, limits=replace(self.limits, depth=None))

    def player(self, game: Game[Any], seed: int) -> Player:
        """A player for a game. Raises EntrantError."""
        try:
            return SEARCHERS[self.searcher].player(game, seed, dict(self.options))
        except (NotApplicableError, OptionError) as error:
            raise EntrantError(f"{self.label}: {error}") from None


def entrants(texts: Sequence[str], game: Game[Any], limits: SearchLimits) -> tuple[Entrant, ...]:
    """The entrants described, in their order; `limits` hold unless a description has its own.

    Raises EntrantError.
    """
    found = [_entrant(text.strip(), game, limits) for text in texts]
    for each in found:
        each.player(game, 0)
    labels = [each.label for each in found]
    return tuple(replace(each, label=_distinct(labels, number)) for number, each in enumerate(found))


def _distinct(labels: Sequence[str], number: int) -> str:
    """The label at index `number`, with `#1`, `#2` … if it occurs several times."""
    label = labels[number]
    return label if labels.count(label) == 1 else f"{label} #{1 + labels[:number].count(label)}"


def _entrant(text: str, game: Game[Any], limits: SearchLimits) -> Entrant:
    name, *words = text.split(":")
    given: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            raise EntrantError(f"{text}: {word!r} is not of the form NAME=VALUE")
        given[key.strip()] = value.strip()
    limits = _limited(text, limits, given)
    if match := _LEVEL.fullmatch(name):
        return _of_level(text, int(match[1]), game, limits, given)
    name = current_name(name)
    if name not in SEARCHERS:
        raise EntrantError(
            f"unknown searcher {name!r}: choose from {', '.join(SEARCHERS)}, level1, level2, …"
        )
    return Entrant(text, name, tuple(given.items()), limits)


def _limited(text: str, limits: SearchLimits, given: dict[str, str]) -> SearchLimits:
    """`limits` with those in `given` in their place, cut to reasonable values; removes them from `given`."""
    for key in _WHOLE:
        if key in given:
            value = given.pop(key)
            if not (value.isascii() and value.isdigit() and int(value[:18]) > 0):
                raise EntrantError(f"{text}: {key} must be a whole number above 0")
            limits = replace(limits, **{key: int(value[:18])})
    if "seconds" in given:
        try:
            seconds = float(given.pop("seconds"))
        except ValueError:
            seconds = 0.0
        if not 0 < seconds < inf:
            raise EntrantError(f"{text}: seconds must be a number above 0")
        limits = replace(limits, seconds=seconds)
    return clamped(limits)


def _of_level(
    text: str, number: int, game: Game[Any], limits: SearchLimits, given: Mapping[str, str]
) -> Entrant:
    known = levels(game)
    if not 1 <= number <= len(known):
        raise EntrantError(f"unknown level {number}: this game has levels 1 to {len(known)}")
    level = known[number - 1]
    options = {**level.options, **given}
    return Entrant(text, level.searcher, tuple(options.items()), stricter(level.limits, limits))
