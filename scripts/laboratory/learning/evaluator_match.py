"""Matches of two evaluators under the same search, at the speed of self-play."""

from __future__ import annotations

import contextlib
from collections import Counter
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from engine.adjudication import STANDARD, Ending
from engine.search.constants import INFINITE
from engine.search.engine import Engine
from engine.search.selfplay import SelfPlayer
from engine.search.worker import NO_NODE_LIMIT
from scripts.laboratory.learning.duel import engine
from scripts.laboratory.learning.selfplay_games import Openings, OpeningSource
from scripts.laboratory.long_run import RunJournal, whole
from scripts.laboratory.openings import OpeningSuiteError

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from engine.board.position import Position
    from scripts.laboratory.job_options import JobRunner
    from scripts.laboratory.learning.given_evaluator import GivenEvaluator
    from scripts.laboratory.openings import OpeningSuite

_RULES = replace(STANDARD, level_score=INFINITE)  # an opening is played with either colour, level or not


@dataclass(frozen=True, slots=True)
class EvaluatorMatchTerms:
    """How the games are played: `nodes` a move or, if that is not 0, `microseconds` of processor time."""

    first: GivenEvaluator
    second: GivenEvaluator
    book: OpeningSuite
    nodes: int
    microseconds: int
    megabytes: int
    seed: int

    def identity(self) -> dict[str, Any]:
        """What two runs must have in common to be the same match."""
        return {
            "first": f"{self.first.name} {engine(self.first)}",
            "second": f"{self.second.name} {engine(self.second)}",
            "openings": self.book.digest(),
            "nodes": 0 if self.microseconds else self.nodes,
            "microseconds": self.microseconds,
            "hash": self.megabytes,
            "seed": self.seed,
            "adjudication": asdict(_RULES),
        }


@dataclass(frozen=True, slots=True)
class PlayedPair:
    """Two games from one opening: first `first` has White, then Black.

    `results` are those of `first`: 1, 0 or -1. `endings` are places in `Ending`. `plies`: of each game.
    `moves` and `nodes`: of either side in both games.
    """

    number: int
    results: tuple[int, int]
    endings: tuple[int, int]
    plies: tuple[int, int]
    moves: tuple[int, int]
    nodes: tuple[int, int]


class EvaluatorMatchWorker:
    """Plays pairs of games in a worker process."""

    def __init__(self, terms: EvaluatorMatchTerms) -> None:
        """Create both players."""
        self._openings = Openings([OpeningSource(terms.book, 0, 0)], terms.seed)
        self._players = [_player(terms, evaluator) for evaluator in (terms.first, terms.second)]

    def work(self, number: int) -> PlayedPair:
        """Play both games of a pair. Raises OpeningSuiteError."""
        first, second = self._players
        before = [(each.searches, each.searched_nodes) for each in self._players]
        opening = next(self._openings.of_game(number))
        white = _play(first, second, opening)
        black = _play(second, first, opening)
        moves, nodes = zip(
            *(
                (each.searches - searches, each.searched_nodes - searched)
                for each, (searches, searched) in zip(self._players, before, strict=True)
            ),
            strict=True,
        )
        results, endings, plies = zip(white, (-black[0], *black[1:]), strict=True)
        return PlayedPair(number, results, endings, plies, moves, nodes)

    def close(self) -> None:
        """Nothing to release."""


def _player(terms: EvaluatorMatchTerms, evaluator: GivenEvaluator) -> SelfPlayer:
    nodes = NO_NODE_LIMIT if terms.microseconds else terms.nodes
    searcher = Engine.single(evaluator.make(), terms.megabytes).searchers[0]
    player = SelfPlayer(searcher, nodes, nodes, _RULES)
    player.thread_time = 1000 * terms.microseconds
    return player


def _play(white: SelfPlayer, black: SelfPlayer, opening: Position) -> tuple[int, int, int]:
    """Play a game. White's result, how it ended, and the plies. Raises OpeningSuiteError."""
    plies = white.play_against(black, opening)
    if not plies:
        raise OpeningSuiteError("the game is over in one of the openings")
    return white.result, white.ending_number, plies


@dataclass(slots=True)
class EvaluatorMatchTally:
    """Counts over games and pairs, worst for `first` first; sums of moves and nodes by side."""

    games: list[int] = field(default_factory=lambda: [0] * 3)
    pairs: list[int] = field(default_factory=lambda: [0] * 5)
    endings: Counter[str] = field(default_factory=Counter)
    plies: int = 0
    moves: list[int] = field(default_factory=lambda: [0] * 2)
    nodes: list[int] = field(default_factory=lambda: [0] * 2)

    def add(self, pair: PlayedPair) -> None:
        """Count a pair."""
        self.pairs[sum(pair.results) + 2] += 1
        self.plies += sum(pair.plies)
        for result, ending in zip(pair.results, pair.endings, strict=True):
            self.games[result + 1] += 1
            self.endings[list(Ending)[ending].value] += 1
        for side in range(2):
            self.moves[side] += pair.moves[side]
            self.nodes[side] += pair.nodes[side]


class EvaluatorMatch:
    """A match that resumes from its journal. With a number of nodes the same terms give the same games."""

    def __init__(self, record: Path, terms: EvaluatorMatchTerms, pairs: int) -> None:
        """Resume the match. Raises JournalError."""
        self._terms = terms
        self._pairs = pairs
        self._journal = RunJournal(record, terms.identity())
        self.tally = EvaluatorMatchTally()
        self._played: set[int] = set()
        for pair in self._journal.read(_pair):
            if pair.number not in self._played:
                self._count(pair)

    def close(self) -> None:
        """Close the journal."""
        self._journal.close()

    def play(self, run_all: JobRunner) -> Generator[PlayedPair, None, None]:
        """Play the remaining pairs; record and yield each. Raises JobError and OSError.

        Closing the generator discards the games in progress.
        """
        left = (number for number in range(self._pairs) if number not in self._played)
        make_worker = partial(EvaluatorMatchWorker, self._terms)
        with contextlib.closing(run_all(make_worker, left)) as results:
            for pair in results:
                self._journal.append(asdict(pair))
                self._count(pair)
                yield pair

    def _count(self, pair: PlayedPair) -> None:
        self._played.add(pair.number)
        self.tally.add(pair)


def _pair(record: dict[str, Any]) -> PlayedPair:
    """A pair as the journal has it. Raises ValueError."""

    def two(name: str, least: int = 0, most: int | None = None) -> tuple[int, int]:
        one, other = (whole(value, least) for value in record[name])
        if most is not None and max(one, other) > most:
            raise ValueError(f"{name} are too large")
        return one, other

    return PlayedPair(
        whole(record["number"]),
        two("results", -1, 1),
        two("endings", 0, len(Ending) - 1),
        two("plies"),
        two("moves"),
        two("nodes"),
    )
