"""The games from which the policy of Go and the patterns of Othello are learned.

They are played by processes here or by the workers of a cluster.
"""

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from threading import get_ident
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.games.compiled.othello_search import OthelloSearch
from engine.games.players.searchers import player
from engine.games.rules.game import OVER
from engine.games.rules.go.game import GoGame
from engine.games.rules.go.policy import use
from engine.games.rules.othello import Othello
from engine.games.rules.othello_patterns import OthelloPatterns
from engine.games.textbook.search import SearchLimits

_DECIDED, _IN_A_ROW = 0.92, 4  # a game ends when so many values in a row are above it, or below its negative
_SEEN = 0.02  # shares of the visits below this are not kept
_STRAY = 0.5  # games with one random move


@dataclass(frozen=True, slots=True)
class SearchedGame:
    """A game as it was played, and for each position the shares of the visits that a search gave to moves."""

    size: int
    moves: Sequence[str]
    shares: Sequence[Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class GoGameJob:
    """A game to play; `number` is its place in its generation."""

    number: int
    size: int
    playouts: int
    seed: int


class GoPolicyPlayer:
    """Plays the games of a generation in a worker process."""

    def __init__(self, weights: str | None) -> None:
        """`weights`: the text of a file of the policy's weights; None: play with the priors by hand."""
        self._weights = weights

    def work(self, job: GoGameJob) -> tuple[int, SearchedGame]:
        """The number of the job, and its game."""
        if self._weights is None:
            return job.number, play_go(job.size, job.playouts, job.seed, {"policy": "0"})
        with _policy.with_weights(self._weights):
            return job.number, play_go(job.size, job.playouts, job.seed, {})

    def close(self) -> None:
        """Nothing to release."""


class _SharedPolicy:
    """The policy of this process, which all its threads share: one that wants other weights waits."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._weights = ""
        self._players = 0

    @contextmanager
    def with_weights(self, weights: str) -> Iterator[None]:
        """Meanwhile the policy has these weights."""
        with self._changed:
            self._changed.wait_for(lambda: not self._players or self._weights == weights)
            if self._weights != weights:
                self._weights = ""  # should they be bad
                use(weights)
                self._weights = weights
            self._players += 1
        try:
            yield
        finally:
            with self._changed:
                self._players -= 1
                self._changed.notify_all()


_policy = _SharedPolicy()


def play_go(size: int, playouts: int, seed: int, options: Mapping[str, str]) -> SearchedGame:
    """One game of uct-fast against itself, until it is decided.

    For variety the first moves, up to twice the size of the board, are drawn in proportion to their visits,
    and in some games one of the early moves is any.
    """
    random = Random(seed)
    rules = GoGame()
    state = rules.start(size)
    search = player(rules, "uct-fast", seed & 0x7FFFFFFF, {"megabytes": "128", "network": "none", **options})
    loose = random.randrange(2 * size)
    stray = random.randrange(size) if random.random() < _STRAY else -1
    moves: list[str] = []
    shares: list[dict[str, float]] = []
    decided = 0
    while state.player != OVER and decided < _IN_A_ROW:
        decision = search.choose(state, SearchLimits(playouts=playouts))
        visits = {each.move: each.visits for each in decision.tried}
        total = sum(visits.values())
        move = decision.move
        if len(moves) == stray:
            move = random.choice(state.moves()[:-1])
        elif len(moves) < loose and total:
            move = random.choices(list(visits), list(visits.values()))[0]
        seen = {move: number / total for move, number in visits.items() if number >= _SEEN * total}
        shares.append({rules.text(state, each): round(share, 3) for each, share in seen.items()})
        moves.append(rules.text(state, move))
        decided = decided + 1 if abs(decision.value or 0) > _DECIDED else 0
        state = state.play(move)
    return SearchedGame(size, moves, shares)


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
        return job.number, play_othello(self._weights, self._depth, self._solved, job.games, job.seed)

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


def play_othello(weights: bytes, depth: int, solved: int, games: int, seed: str) -> Samples:
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
