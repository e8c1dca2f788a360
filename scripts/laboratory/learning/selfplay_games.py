"""Self-play: openings, games by many processes, and files of games from which a run resumes."""

from __future__ import annotations

import contextlib
import json
import os
import random
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.adjudication import STANDARD
from engine.board.fen import parse_fen
from engine.board.movegen import legal_moves
from engine.files import descriptor_of
from engine.search.engine import Engine
from engine.search.selfplay import SelfPlayer
from eval.learning.game_file import (
    GAMES,
    SUFFIX,
    GameFileError,
    GameRecord,
    pack_game,
    pack_position,
    read_games,
)
from scripts.laboratory.checkout import checkout_commit
from scripts.laboratory.learning.game_tally import GameTally
from scripts.laboratory.long_run import JournalError, RunJournal, whole
from scripts.laboratory.openings import OpeningSuiteError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping

    from engine.adjudication import Adjudication
    from engine.board.position import Position
    from eval.evaluator import Evaluator
    from scripts.laboratory.job_options import JobRunner
    from scripts.laboratory.learning.given_evaluator import GivenEvaluator
    from scripts.laboratory.openings import OpeningSuite


@dataclass(frozen=True, slots=True)
class OpeningSource:
    """The start of `share` of the games: an opening of `book`, then `least` to `most` random plies."""

    book: OpeningSuite
    least: int
    most: int
    share: float = 1.0


class Openings:
    """Chooses openings. The same seed and number of the game give the same openings."""

    def __init__(self, sources: list[OpeningSource], seed: int) -> None:
        """The shares of the sources need not add up to 1."""
        self._sources = [source for source in sources if source.share > 0]
        self._seed = seed
        self._orders = [source.book.order(seed) for source in self._sources]

    def of_game(self, number: int) -> Iterator[Position]:
        """Positions from which game `number` may start, without end.

        The openings of a book are used in turn. An opening that is used a second time, or instead of one that
        was not level, is followed by at least one random ply if its source has random plies.
        """
        chooser = random.Random(f"{self._seed}:{number}")
        place = _chosen([each.share for each in self._sources], chooser)
        source, order = self._sources[place], self._orders[place]
        turn, index = divmod(number, len(order))
        yield _position(chooser, source, order[index], max(source.least, min(turn, 1)))
        while True:
            yield _position(chooser, source, chooser.choice(order), max(source.least, 1))


def chosen_source(shares: list[float], seed: int, number: int) -> int:
    """The place of the source from which game `number` begins, among those with these shares."""
    return _chosen(shares, random.Random(f"{seed}:{number}"))


def _chosen(shares: list[float], chooser: random.Random) -> int:
    return chooser.choices(range(len(shares)), shares)[0]


def _position(chooser: random.Random, source: OpeningSource, index: int, least: int) -> Position:
    board = source.book.opening(index).board(chess960=source.book.chess960)
    position = parse_fen(board.shredder_fen() if source.book.chess960 else board.fen())
    for _ in range(chooser.randint(min(least, source.most), source.most)):
        if not (moves := legal_moves(position)):
            break
        position.advance(chooser.choice(moves))
    return position


GAMES_A_FILE = 20_000

_TABLE_MEGABYTES = 2
"""Enough for a game of short searches, and small enough to be cleared for each game."""

HARD_TIMES_SOFT = 8
"""The hard limit of nodes of a search, in soft ones."""

_MOST_OPENINGS = 1000


@dataclass(frozen=True, slots=True)
class SelfPlayRules:
    """How the games are played; `nodes` is the soft limit of a search: no depth is begun after it."""

    sources: tuple[OpeningSource, ...]
    evaluator: GivenEvaluator
    nodes: int
    seed: int

    def identity(self) -> dict[str, Any]:
        """What two runs must have in common to be the same run."""
        return {
            "openings": [
                [each.book.digest(), each.least, each.most, each.share]
                for each in self.sources
                if each.share > 0
            ],
            "weights": self.evaluator.digest(),
            "nodes": self.nodes,
            "seed": self.seed,
            "adjudication": asdict(STANDARD),
            "games_a_file": GAMES_A_FILE,
        }


def make_player(evaluator: Evaluator, nodes: int, rules: Adjudication = STANDARD) -> SelfPlayer:
    """A player whose searches have a soft limit of `nodes`."""
    searcher = Engine.single(evaluator, _TABLE_MEGABYTES).searchers[0]
    return SelfPlayer(searcher, nodes, HARD_TIMES_SOFT * nodes, rules)


def play_level_opening(
    player: SelfPlayer, openings: Openings, number: int, begin: Callable[[], None] = lambda: None
) -> tuple[Position, int]:
    """Play game `number` from the first of its openings that is level: the opening, and the plies played.

    `begin` is called before each attempt. Raises OpeningSuiteError.
    """
    for position in islice(openings.of_game(number), _MOST_OPENINGS):
        begin()
        if plies := player.play(position):
            return position, plies
    raise OpeningSuiteError(f"game {number}: none of {_MOST_OPENINGS} openings is level")


class SelfPlayWorker:
    """Plays games in a worker process."""

    def __init__(self, rules: SelfPlayRules) -> None:
        """Create the player."""
        self._openings = Openings(list(rules.sources), rules.seed)
        self._player = make_player(rules.evaluator.make(), rules.nodes)

    def work(self, number: int) -> bytes:
        """Play game `number` from the first of its openings that is level. Its bytes.

        Raises OpeningSuiteError.
        """
        player = self._player
        position, plies = play_level_opening(player, self._openings, number)
        return pack_game(
            number,
            player.result,
            player.ending_number,
            pack_position(position),
            player.moves[:plies].tobytes(),
            player.scores[:plies].tobytes(),
        )

    def close(self) -> None:
        """Nothing to release."""


class SelfPlay:
    """A run of self-play in a folder of its own. The same rules make the same games.

    Each file has the games of GAMES_A_FILE consecutive numbers. The journal lists the full files; the others
    are read when a run is resumed.
    """

    def __init__(self, folder: Path, rules: SelfPlayRules, games: int) -> None:
        """Resume the run in `folder`. Raises JournalError if it is another run, and OSError."""
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._rules = rules
        self._games = games
        self._files: dict[int, _Unfinished] = {}
        self.tally = GameTally()
        self._full: set[int] = set()
        self._journal = RunJournal(folder / "selfplay.jsonl", rules.identity())
        try:
            self._take_over()
        except JournalError:
            self.close()
            raise
        except (KeyError, TypeError, ValueError) as error:
            self.close()
            raise JournalError(f"cannot resume {folder}: {error}") from error

    def close(self) -> None:
        """Close all files."""
        for each in self._files.values():
            each.file.close()
        self._journal.close()

    def play(self, run_all: JobRunner) -> Generator[GameRecord, None, None]:
        """Have the remaining games played; write and yield each when it is over. Raises JobError and OSError.

        Closing the generator discards the games in progress.
        """
        make_worker = partial(SelfPlayWorker, self._rules)
        with contextlib.closing(run_all(make_worker, self._left())) as results:
            for data in results:
                yield self._keep(data)

    def _take_over(self) -> None:
        for number, counts in self._journal.read(_counts):
            tally = GameTally()
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
        """Append a game to its file, and flush the file."""
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
        """Create a file, which appears together with its header."""
        scratch = path.with_name(f"{path.name}.new")
        identity = self._rules.identity()
        scratch.write_bytes(GAMES.pack_header({**identity, "commit": checkout_commit()}))
        scratch.rename(path)
        return _Unfinished(path, identity)

    def _path(self, number: int) -> Path:
        return self._folder / f"games-{number:05}{SUFFIX}"


class _Unfinished:
    """A file that is not full, positioned after its last complete game."""

    def __init__(self, path: Path, identity: Mapping[str, Any]) -> None:
        """Read the file. Raises GameFileError if it is damaged or belongs to another run, and OSError."""
        self.file = os.fdopen(descriptor_of(path, os.O_RDWR), "r+b")
        self.tally = GameTally()
        self.numbers: set[int] = set()
        try:
            self._check(GAMES.read_header(self.file, str(path)), json.loads(json.dumps(identity)), path)
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
                    f"{path} belongs to another run: {key} was {description.get(key)} and is {value}"
                )

    def add(self, game: GameRecord) -> None:
        self.tally.add(game)
        self.numbers.add(game.number)


def _counts(record: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """The number of a full file, and its counts for `GameTally.add_json`."""
    tally = record["tally"]
    for count in (tally["games"], tally["plies"], *tally["results"], *tally["endings"].values()):
        whole(count)
    _, _, _ = tally["results"]
    return whole(record["file"]), tally
