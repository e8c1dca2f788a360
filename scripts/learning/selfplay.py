"""Self-play: many games by many processes, kept in blocks from which a run that was stopped goes on."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from eval.learning.samples import SAMPLE, SUFFIX
from eval.linear import Linear
from eval.material import Material
from scripts.matches.journal import Journal, JournalError, whole
from scripts.matches.slots import run_jobs

from .game import Game, play_game
from .openings import Openings
from .player import Player

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping
    from pathlib import Path

    from eval.weight_file import Weights
    from scripts.matches.book import Book

BLOCK = 200
"""Games in a file."""

# Games that a worker plays at a stretch: few, so that progress is seen, and that few are lost.
_STRETCH = 10


@dataclass(frozen=True, slots=True)
class Rules:
    """How the games are played: with the linear evaluation, or without weights with material alone."""

    book: Book
    weights: Weights | None
    nodes: int
    seed: int
    random_plies: int

    def identity(self) -> dict[str, Any]:
        """What two runs must have in common to be one."""
        return {
            "openings": self.book.digest(),
            "weights": self.weights and digest(self.weights),
            "nodes": self.nodes,
            "seed": self.seed,
            "random_plies": self.random_plies,
            "block": BLOCK,
        }


class GameWorker:
    """Plays games in a process of its own."""

    def __init__(self, rules: Rules) -> None:
        """Get ready to play."""
        self._openings = Openings(rules.book, rules.random_plies, rules.seed)
        self._player = Player(Linear(rules.weights) if rules.weights else Material(), rules.nodes)

    def work(self, numbers: range) -> list[Game]:
        """Play the games of these numbers. Raises BookError."""
        return [play_game(self._player, self._openings.of_game(number), number) for number in numbers]

    def close(self) -> None:
        """Nothing was opened."""


@dataclass(slots=True)
class Tally:
    """What has come out: `results` are White's, `endings` by name."""

    games: int = 0
    plies: int = 0
    samples: int = 0
    results: Counter[int] = field(default_factory=Counter)
    endings: Counter[str] = field(default_factory=Counter)

    def add(self, game: Game) -> None:
        """Count a game in."""
        self.games += 1
        self.plies += game.plies
        self.samples += len(game.samples)
        self.results[game.result] += 1
        self.endings[game.ending.value] += 1

    def to_json(self) -> dict[str, Any]:
        """As JSON can hold it."""
        results = [self.results[result] for result in (1, 0, -1)]
        return {
            "games": self.games,
            "plies": self.plies,
            "samples": self.samples,
            "results": results,
            "endings": dict(self.endings),
        }

    def add_json(self, record: Mapping[str, Any]) -> None:
        """Count in what `to_json` has made."""
        self.games += record["games"]
        self.plies += record["plies"]
        self.samples += record["samples"]
        self.results.update(dict(zip((1, 0, -1), record["results"], strict=True)))
        self.endings.update(record["endings"])


class SelfPlay:
    """A run of self-play in a folder of its own; the same rules always make the same files."""

    def __init__(self, folder: Path, rules: Rules, games: int) -> None:
        """Go on with what is in the folder. Raises JournalError where another run is, OSError."""
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._rules = rules
        self._games = games
        self.tally = Tally()
        self._done: set[int] = set()
        self._journal = Journal(folder / "selfplay.jsonl", rules.identity())
        try:
            self._take_over()
        except JournalError:
            self._journal.close()
            raise

    def close(self) -> None:
        """Close the journal."""
        self._journal.close()

    def play(self, concurrency: int) -> Generator[Game, None, None]:
        """Play the games that are left, each yielded when it is over. Raises SlotError, OSError.

        A block is written when its last game is over; closing the iterator loses those begun.
        """
        begun: dict[int, list[Game]] = {}
        make_worker = partial(GameWorker, self._rules)
        with contextlib.closing(run_jobs(make_worker, self._stretches(), concurrency)) as results:
            for games in results:
                block = games[0].number // BLOCK
                finished = begun.setdefault(block, [])
                finished += games
                for game in games:
                    self.tally.add(game)
                    yield game
                if len(finished) == len(self._numbers(block)):
                    self._keep(block, begun.pop(block))

    def _take_over(self) -> None:
        """Believe the last record of each block where its file is as it says; it may have more games."""
        records = dict(self._journal.read(_block))
        for block, record in records.items():
            path = self._path(block)
            size = path.stat().st_size if path.exists() else -1
            if record["games"] >= len(self._numbers(block)) and size == record["samples"] * SAMPLE.itemsize:
                self._done.add(block)
                self.tally.add_json(record)

    def _stretches(self) -> Iterator[range]:
        for block in range(-(-self._games // BLOCK)):
            if block not in self._done:
                numbers = self._numbers(block)
                for first in range(numbers.start, numbers.stop, _STRETCH):
                    yield range(first, min(first + _STRETCH, numbers.stop))

    def _keep(self, block: int, games: list[Game]) -> None:
        """Write a block, whole or not at all."""
        games.sort(key=lambda game: game.number)
        tally = Tally()
        for game in games:
            tally.add(game)
        path = self._path(block)
        scratch = path.with_name(f"{path.name}.new")
        with scratch.open("wb") as file:
            file.write(np.concatenate([game.samples for game in games]).tobytes())
            file.flush()
            os.fsync(file.fileno())
        scratch.replace(path)
        self._journal.append({"block": block, **tally.to_json()})

    def _numbers(self, block: int) -> range:
        """The games of a block; the last one may be shorter."""
        return range(block * BLOCK, min((block + 1) * BLOCK, self._games))

    def _path(self, block: int) -> Path:
        return self._folder / f"block-{block:05}{SUFFIX}"


def digest(weights: Weights) -> str:
    """What tells weights apart, whatever else their file says."""
    return hashlib.sha256(repr((weights.middle, weights.endgame)).encode()).hexdigest()[:16]


def _block(record: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """The number of a block with its record, which counts as `Tally.add_json` will need it."""
    for name in ("games", "plies", "samples"):
        whole(record[name])
    for count in (*record["results"], *record["endings"].values()):
        whole(count)
    _, _, _ = record["results"]
    return whole(record["block"]), record
