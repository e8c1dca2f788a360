"""Games of Go that its linear policy learns from: uct-fast against itself, each a job for any process."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from engine.games.players.searchers import player
from engine.games.rules.game import OVER
from engine.games.rules.go.game import GoGame
from engine.games.rules.go.policy import use
from engine.games.textbook.search import SearchLimits

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

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
            return job.number, play(job.size, job.playouts, job.seed, {"policy": "0"})
        with _policy.with_weights(self._weights):
            return job.number, play(job.size, job.playouts, job.seed, {})

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


def play(size: int, playouts: int, seed: int, options: Mapping[str, str]) -> SearchedGame:
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
