"""Self-play: many games by many processes, each kept as soon as it is over, so that a killed run goes on."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import subprocess
from collections import Counter
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.adjudication import STANDARD, Ending
from engine.control import Control
from engine.files import descriptor_of
from engine.search.alphabeta import Searcher
from engine.search.parameters import Parameters
from engine.search.selfplay import SelfPlayer
from engine.search.table import Table
from eval.learning.game_file import (
    SUFFIX,
    GameFileError,
    GameRecord,
    pack_game,
    pack_header,
    pack_position,
    read_games,
    read_header,
)
from eval.linear import Linear
from eval.material import Material
from scripts.laboratory.matches.book import OpeningSuiteError
from scripts.laboratory.matches.journal import JournalError, RunJournal, whole
from scripts.laboratory.matches.slots import run_jobs

from .openings import Openings, OpeningSource

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping

    from eval.weight_file import Weights

GAMES_A_FILE = 20_000

_TABLE_MEGABYTES = 2
"""What a game of short searches fills, and small enough to be emptied for each game."""

_HARD_TIMES_SOFT = 8
_MOST_OPENINGS = 1000


@dataclass(frozen=True, slots=True)
class SelfPlayRules:
    """How the games are played: with the linear evaluation, or without weights with material alone.

    `nodes` is the soft limit of a search: no depth is begun after it.
    """

    sources: tuple[OpeningSource, ...]
    weights: Weights | None
    nodes: int
    seed: int

    def identity(self) -> dict[str, Any]:
        """What two runs must have in common to be one."""
        return {
            "openings": [
                [each.book.digest(), each.least, each.most, each.share]
                for each in self.sources
                if each.share > 0
            ],
            "weights": self.weights and digest(self.weights),
            "nodes": self.nodes,
            "seed": self.seed,
            "adjudication": asdict(STANDARD),
            "games_a_file": GAMES_A_FILE,
        }


class SelfPlayWorker:
    """Plays games in a process of its own."""

    def __init__(self, rules: SelfPlayRules) -> None:
        """Get ready to play."""
        self._openings = Openings(list(rules.sources), rules.seed)
        evaluator = Linear(rules.weights) if rules.weights else Material()
        searcher = Searcher(Table(_TABLE_MEGABYTES), Control(), evaluator, Parameters())
        self._player = SelfPlayer(searcher, rules.nodes, _HARD_TIMES_SOFT * rules.nodes, STANDARD)

    def work(self, number: int) -> bytes:
        """The bytes of game `number`, from the first of its openings that is level. Raises BookError."""
        player = self._player
        for position in islice(self._openings.of_game(number), _MOST_OPENINGS):
            if plies := player.play(position):
                return pack_game(
                    number,
                    player.result,
                    player.ending_number,
                    pack_position(position),
                    player.moves[:plies].tobytes(),
                    player.scores[:plies].tobytes(),
                )
        raise OpeningSuiteError(f"none of {_MOST_OPENINGS} openings for game {number} is level")

    def close(self) -> None:
        """Nothing was opened."""


@dataclass(slots=True)
class SelfPlayTally:
    """What has come out: `results` are White's, `endings` by name."""

    games: int = 0
    plies: int = 0
    results: Counter[int] = field(default_factory=Counter)
    endings: Counter[str] = field(default_factory=Counter)

    def add(self, game: GameRecord) -> None:
        """Count a game in."""
        self.games += 1
        self.plies += len(game.plies)
        self.results[game.result] += 1
        self.endings[list(Ending)[game.ending].value] += 1

    def to_json(self) -> dict[str, Any]:
        """As JSON can hold it."""
        results = [self.results[result] for result in (1, 0, -1)]
        return {"games": self.games, "plies": self.plies, "results": results, "endings": dict(self.endings)}

    def add_json(self, record: Mapping[str, Any]) -> None:
        """Count in what `to_json` has made."""
        self.games += record["games"]
        self.plies += record["plies"]
        self.results.update(dict(zip((1, 0, -1), record["results"], strict=True)))
        self.endings.update(record["endings"])


class SelfPlay:
    """A run of self-play in a folder of its own; the same rules always make the same games.

    A file has GAMES_A_FILE games, by their numbers; the journal knows the files that are full, the others are
    read when a run goes on.
    """

    def __init__(self, folder: Path, rules: SelfPlayRules, games: int) -> None:
        """Go on with what is in the folder. Raises JournalError where another run is, OSError."""
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._rules = rules
        self._games = games
        self._files: dict[int, _Unfinished] = {}
        self.tally = SelfPlayTally()
        self._full: set[int] = set()
        self._journal = RunJournal(folder / "selfplay.jsonl", rules.identity())
        try:
            self._take_over()
        except JournalError:
            self.close()
            raise
        except (KeyError, TypeError, ValueError) as error:
            self.close()
            raise JournalError(f"{folder} cannot be gone on with: {error}") from error

    def close(self) -> None:
        """Close all files."""
        for each in self._files.values():
            each.file.close()
        self._journal.close()

    def play(self, concurrency: int) -> Generator[GameRecord, None, None]:
        """Play the games that are left, each kept and yielded when it is over. Raises SlotError, OSError.

        Closing the iterator loses those that are being played.
        """
        make_worker = partial(SelfPlayWorker, self._rules)
        with contextlib.closing(run_jobs(make_worker, self._left(), concurrency)) as results:
            for data in results:
                yield self._keep(data)

    def _take_over(self) -> None:
        for number, counts in self._journal.read(_counts):
            tally = SelfPlayTally()
            tally.add_json(counts)
            if tally.games == GAMES_A_FILE and self._path(number).exists():
                self._full.add(number)
                self.tally.add_json(counts)
        for path in sorted(self._folder.glob(f"games-*{SUFFIX}")):
            number = int(path.stem.removeprefix("games-"))
            if number not in self._full:
                self._files[number] = unfinished = _Unfinished(path, self._rules.identity())
                self.tally.add_json(unfinished.tally.to_json())

    def _left(self) -> Iterator[int]:
        for file in range(-(-self._games // GAMES_A_FILE)):
            if file not in self._full:
                for number in range(file * GAMES_A_FILE, min((file + 1) * GAMES_A_FILE, self._games)):
                    if file not in self._files or number not in self._files[file].numbers:
                        yield number

    def _keep(self, data: bytes) -> GameRecord:
        """Add a game to its file; it is with the operating system when this returns."""
        game = GameRecord.from_bytes(data)
        number = game.number // GAMES_A_FILE
        if number not in self._files:
            self._files[number] = self._begin(self._path(number))
        unfinished = self._files[number]
        unfinished.file.write(data)
        unfinished.file.flush()
        unfinished.add(game)
        self.tally.add(game)
        if unfinished.tally.games == GAMES_A_FILE:
            unfinished.file.close()
            del self._files[number]
            self._journal.append({"file": number, "tally": unfinished.tally.to_json()})
        return game

    def _begin(self, path: Path) -> _Unfinished:
        """A new file, which is not there before it has its header."""
        scratch = path.with_name(f"{path.name}.new")
        identity = self._rules.identity()
        scratch.write_bytes(pack_header({**identity, "commit": _commit()}))
        scratch.rename(path)
        return _Unfinished(path, identity)

    def _path(self, number: int) -> Path:
        return self._folder / f"games-{number:05}{SUFFIX}"


class _Unfinished:
    """A file that is not full yet, open behind its last whole game."""

    def __init__(self, path: Path, identity: Mapping[str, Any]) -> None:
        """Read it. Raises GameFileError where it is damaged or belongs to another run, OSError."""
        self.file = os.fdopen(descriptor_of(path, os.O_RDWR), "r+b")
        self.tally = SelfPlayTally()
        self.numbers: set[int] = set()
        try:
            self._check(read_header(self.file, str(path)), json.loads(json.dumps(identity)), path)
            for game in read_games(self.file, str(path)):
                self.add(game)
        except GameFileError:
            self.file.close()
            raise
        self.file.truncate()

    def _check(self, description: Mapping[str, Any], identity: Mapping[str, Any], path: Path) -> None:
        for key, value in identity.items():
            if description.get(key) != value:
                raise GameFileError(
                    f"{path} belongs to another run; {key} was {description.get(key)} and is {value}"
                )

    def add(self, game: GameRecord) -> None:
        self.tally.add(game)
        self.numbers.add(game.number)


def digest(weights: Weights) -> str:
    """What tells weights apart, whatever else their file says."""
    return hashlib.sha256(repr((weights.middle, weights.endgame)).encode()).hexdigest()[:16]


def _counts(record: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """The number of a file, with what `SelfPlayTally.add_json` will count in."""
    tally = record["tally"]
    for count in (tally["games"], tally["plies"], *tally["results"], *tally["endings"].values()):
        whole(count)
    _, _, _ = tally["results"]
    return whole(record["file"]), tally


def _commit() -> str | None:
    """The commit of the checkout, where this is one."""
    words = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    try:
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None
