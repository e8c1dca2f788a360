"""A searcher controlled by a test."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import Event
from typing import Any

import pytest

from engine.games.players.searchers import SEARCHERS, Algorithm
from engine.games.rules.game import Game, Move, State
from engine.games.search.basics import Decision, SearchLimits

NAME = "fake"
PATIENCE = 120.0  # seconds


class FakePlayer:
    """Plays the first move, or what `choice` decides; records the limits; with `waits` waits for `stop`."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.limits: list[SearchLimits] = []
        self.games = 0
        self.waits = False
        self.allowed: frozenset[Move] | None = None
        self.thinking = Event()
        self.choice: Callable[[State], Decision] = lambda state: Decision(state.moves()[0])
        self._stopped = Event()

    def choose(self, state: State, limits: SearchLimits) -> Decision:
        """See Player."""
        self.limits.append(limits)
        self._stopped.clear()
        self.thinking.set()
        if self.waits:
            assert self._stopped.wait(PATIENCE), "nobody said stop"
        return self.choice(state)

    def stop(self) -> None:
        """See Player."""
        self._stopped.set()

    def new_game(self) -> None:
        """See Player."""
        self.games += 1


@contextmanager
def fake_searcher(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[FakePlayer]]:
    """A searcher named NAME; the players that were made by it, the newest last."""
    made: list[FakePlayer] = []

    def make(_game: Game[Any], seed: int, _values: Mapping[str, Any]) -> FakePlayer:
        made.append(FakePlayer(seed))
        return made[-1]

    monkeypatch.setitem(SEARCHERS, NAME, Algorithm(NAME, "Fake", "does as it is told", (), (), make))
    yield made
