"""Contests whose games are over at once."""

from __future__ import annotations

from engine.games.catalogue import Rules, game
from engine.games.search.basics import SearchLimits
from lolli.cli.contest import Contest, entrants


def contest(name: str, *players: str, seats: int | None = None, opening_plies: int = 2) -> Contest:
    made = game(name, seats)
    found = entrants(players, made, SearchLimits(depth=1, playouts=20))
    return Contest(Rules(name, made.players), made.players, None, found, opening_plies, 1)


RARE = """
from typing import NamedTuple

class Sticks(NamedTuple):
    taken: tuple = ()
    player = property(lambda self: len(self.taken) % 2 if self.left else -2)
    left = property(lambda self: 14 - sum(self.taken))
    play = lambda self, move: Sticks((*self.taken, move))
    payoff = lambda self: (1, -1) if len(self.taken) % 2 else (-1, 1)

    def moves(self):
        if self.taken[:4] == (3, 3, 3, 3): raise ValueError("rare")
        return [number for number in (1, 2, 3) if number <= self.left]

start = Sticks
"""
RARE_LINE = "line 12: ValueError: rare"
"""A game in a file with a fault that the games do not find which try its rules."""

WALK = """
from typing import NamedTuple

class Walk(NamedTuple):
    at: int = 0
    mover: int = 0
    player = property(lambda self: self.mover if abs(self.at) < 3 else -2)
    moves = lambda self: [-1, 1] if abs(self.at) < 3 else []
    play = lambda self, move: Walk(self.at + move, 1 - self.mover)
    payoff = lambda self: (1, -1) if self.at > 0 else (-1, 1)

start = Walk
"""
"""A game in a file that does not end between players who look ahead."""
