"""A searcher controlled by a test."""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from threading import Event
from typing import Any

import pytest

from engine.games.players import Player
from engine.games.rules.game import Game, Move, State
from engine.games.search.basics import Decision, SearchLimits
from engine.games.searchers import SEARCHERS, Algorithm
from tests.patience import PATIENCE

NAME = "fake"


class FakePlayer(Player):
    """Plays the first move, or what `choice` decides; records the limits; with `waits` waits for `stop`."""

    can_avoid = True

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.seed = seed
        self.limits: list[SearchLimits] = []
        self.games = 0
        self.waits = False
        self.thinking = Event()
        self.choice: Callable[[State], Decision] = lambda state: Decision(state.moves()[0])
        self._halted = Event()

    def _choose(self, state: State, limits: SearchLimits, allowed: Collection[Move] | None) -> Decision:
        del allowed
        self.limits.append(limits)
        self._halted.clear()
        self.thinking.set()
        if self.waits and not self._stop:
            assert self._halted.wait(PATIENCE), "nobody said stop"
        return self.choice(state)

    def stop(self) -> None:
        super().stop()
        self._halted.set()

    def new_game(self) -> None:
        self.games += 1


@contextmanager
def fake_searcher(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[FakePlayer]]:
    """A searcher named NAME; the players that were made by it, the newest last."""
    made: list[FakePlayer] = []

    def make(_game: Game[Any], seed: int) -> FakePlayer:
        made.append(FakePlayer(seed))
        return made[-1]

    monkeypatch.setitem(SEARCHERS, NAME, Algorithm(NAME, "Fake", "does as it is told", (), (), make))
    yield made
