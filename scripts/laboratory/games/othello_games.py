"""Games of Othello to learn from: a random opening, shallow searches, and an end that is solved."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from random import Random
from threading import get_ident
from typing import TYPE_CHECKING

import numpy as np

from engine.games.compiled.othello_search import OthelloSearch
from engine.games.rules.othello import Othello
from engine.games.rules.othello_patterns import OthelloPatterns

if TYPE_CHECKING:
    from typing import TypeAlias

    from numpy.typing import NDArray

    Samples: TypeAlias = NDArray[np.void]

SAMPLE = np.dtype([("own", "<u8"), ("others", "<u8"), ("score", "i1")])
"""The discs of the player to move and the others'; by how many discs the former is ahead at the end."""
_MEGABYTES = 16
_FEWEST, _MOST = 6, 24  # random plies at the start of a game
_WHOLE = 60  # plies, to the end of the game
_PAIR_PLIES = 10  # random ones before the games of a match


@dataclass(frozen=True, slots=True)
class PortionJob:
    """Games to play; `number` is the portion's place in its generation."""

    number: int
    games: int
    seed: str


class OthelloPlayer:
    """Plays the games of a generation in a worker process."""

    def __init__(self, weights: bytes, depth: int, solved: int) -> None:
        """See `play`."""
        self._weights, self._depth, self._solved = weights, depth, solved

    def work(self, job: PortionJob) -> tuple[int, Samples]:
        """The number of the job, and the positions of its games."""
        return job.number, play(self._weights, self._depth, self._solved, job.games, job.seed)

    def close(self) -> None:
        """Nothing to release."""


class OthelloPairPlayer:
    """Plays pairs of games of two generations in a worker process."""

    def __init__(self, new: bytes, old: bytes, depth: int, solved: int, seed: int) -> None:
        """See `play_pair`; `seed` is that of all pairs."""
        self._new, self._old, self._depth, self._solved, self._seed = new, old, depth, solved, seed

    def work(self, pair: int) -> tuple[int, tuple[float, float]]:
        """The number of the pair, and the points of the new weights."""
        seed = f"{self._seed} match {pair}"
        return pair, play_pair(self._new, self._old, self._depth, self._solved, seed)

    def close(self) -> None:
        """Nothing to release."""


def search_with(weights: bytes) -> OthelloSearch:
    """A search with a file of weights, which remembers nothing yet; empty: without."""
    return OthelloSearch(_patterns_with(weights, get_ident()), _MEGABYTES)


@lru_cache(64)
def _patterns_with(weights: bytes, _thread: int) -> OthelloPatterns:
    """Those of one thread, since what evaluates a position has room for one."""
    patterns = OthelloPatterns()
    if weights:
        patterns.read(weights)
    return patterns


def opening(random: Random, fewest: int = _FEWEST, most: int = _MOST) -> Othello:
    """A position after some random moves in which the game goes on."""
    while True:
        state = Othello()
        for _ in range(random.randint(fewest, most)):
            if state.player >= 0:
                state = state.play(random.choice(state.moves()))
        if state.player >= 0:
            return state


def play(weights: bytes, depth: int, solved: int, games: int, seed: str) -> Samples:
    """The positions of some games in which the player to move has a move.

    Without weights all moves are random, up to `solved` empty squares; from there on they are best.
    """
    random, search = Random(seed), search_with(weights)
    found: list[tuple[int, int, int]] = []
    for _ in range(games):
        state = opening(random)
        seen: list[tuple[int, Othello]] = []
        while state.player >= 0:
            legal = state.moves()
            move = legal[0]
            if state.empty() >> move & 1:  # not a pass
                seen.append((state.player, state))
                empty = state.empty().bit_count()
                if empty <= solved:
                    search.search(state, _WHOLE)
                    move = search.move
                elif weights and len(legal) > 1:
                    search.search(state, depth)
                    move = search.move
                elif not weights:
                    move = random.choice(legal)
            state = state.play(move)
        black = state.discs(0).bit_count() - state.discs(1).bit_count()
        found += [(s.discs(p), s.discs(1 - p), black if p == 0 else -black) for p, s in seen]
    return np.array(found, SAMPLE)


def play_pair(new: bytes, old: bytes, depth: int, solved: int, seed: str) -> tuple[float, float]:
    """The points of the new weights, 1, ½ or 0, in two games from one opening; first they have Black."""
    start = opening(Random(seed), _PAIR_PLIES, _PAIR_PLIES)
    searches = search_with(new), search_with(old)
    points = []
    for black in (0, 1):
        state = start
        while state.player >= 0:
            legal = state.moves()
            move = legal[0]
            if len(legal) > 1:
                search = searches[state.player ^ black]
                search.search(state, _WHOLE if state.empty().bit_count() <= solved else depth)
                move = search.move
            state = state.play(move)
        points.append((state.payoff()[black] + 1) / 2)
    return points[0], points[1]
