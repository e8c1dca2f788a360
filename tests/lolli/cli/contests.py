"""Contests whose games are over at once."""

from __future__ import annotations

from engine.games.catalogue import Rules, game
from engine.games.search.basics import SearchLimits
from lolli.cli.contest import Contest, entrants


def contest(name: str, *players: str, seats: int | None = None, opening_plies: int = 2) -> Contest:
    made = game(name, seats)
    found = entrants(players, made, SearchLimits(depth=1, playouts=20))
    return Contest(Rules(name, made.players), made.players, None, found, opening_plies, 1)
