"""Self-play: openings, games by many processes, and files of games from which a run resumes."""

from __future__ import annotations

import contextlib
import json
import os
import random
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from itertools import accumulate, count, islice, takewhile
from pathlib import Path
from typing import Any, Self

from engine.board.fen import parse_fen
from engine.board.movegen import legal_moves
from engine.board.position import Position
from engine.search.engine import Engine
from engine.search.selfplay import SelfPlayer, Teacher
from engine.system.files import append_to, descriptor_of, write_whole
from engine.system.services import yield_to_others
from eval.evaluator import Evaluator
from eval.outcome import STANDARD, Adjudication
from eval.training.game_file import (
    GAMES,
    GAMES_A_BLOCK,
    SUFFIX,
    GameBlock,
    GameFileError,
    GameRecord,
    description,
    pack_block,
    pack_game,
    pack_position,
    read_blocks,
)
from eval.training.records import RECORD
from eval.training.records import SUFFIX as RECORDS_SUFFIX
from eval.training.sampler import Sampler
from scripts.laboratory.jobs import JobRunner
from scripts.laboratory.learning.evaluators import GivenEvaluator
from scripts.laboratory.long_run import JournalError, RunJournal, checkout_commit, description_in, whole
from scripts.laboratory.openings import OpeningSuite, OpeningSuiteError


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
        was not level, is followed by at least one random ply if its source has random plies, and by two from
        the third time on: the same start makes the same game.
        """
        chooser = random.Random(f"{self._seed}:{number}")
        place = _chosen([each.share for each in self._sources], chooser)
        source, order = self._sources[place], self._orders[place]
        turn, index = divmod(number, len(order))
        yield _position(chooser, source, order[index], max(source.least, min(turn, 2)))
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


GAMES_A_SHARD = 120_000
"""Some 16 MB."""

JOURNAL = "selfplay.jsonl"
_PART = ".part"
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
            "games_a_shard": GAMES_A_SHARD,
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

    @classmethod
    def behind_other_work(cls, rules: SelfPlayRules) -> Self:
        """A worker in a process that lets all others have the processor."""
        yield_to_others()
        return cls(rules)

    def work(self, number: int) -> bytes:
        """Play game `number` from the first of its openings that is level. Its block.

        Raises OpeningSuiteError.
        """
        player = self._player
        position, plies = play_level_opening(player, self._openings, number)
        game = pack_game(
            number,
            player.result,
            player.ending_number,
            pack_position(position),
            player.moves[:plies].tobytes(),
            player.scores[:plies].tobytes(),
        )
        return pack_block([game])

    def close(self) -> None:
        """Nothing to release."""


class SelfPlay:
    """A run of self-play in a folder of its own. The same rules make the same games.

    A shard `games-N.games` has the packed games of consecutive numbers from N on, and is never changed. Games
    of a shard that is not complete are appended to `games-N.part`, each as a block of its own.
    """

    def __init__(self, folder: Path, rules: SelfPlayRules, games: int | None) -> None:
        """Resume the run in `folder`, until it has `games` games, or without end.

        Raises JournalError if it is another run, and OSError.
        """
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._rules = rules
        self._identity = json.loads(json.dumps(rules.identity()))
        self._wanted = games
        self._shards: list[range] = []
        self._parts: dict[int, _OpenShard] = {}
        self._packer = ThreadPoolExecutor(1)
        self._packing: Future[None] | None = None
        self.games = self.plies = self.kept = 0
        self._journal = RunJournal(folder / JOURNAL, rules.identity())
        try:
            self._take_over()
        except (KeyError, TypeError, ValueError) as error:
            self.close()
            raise JournalError(f"cannot resume {folder}: {error}") from error

    def close(self) -> None:
        """Close all files, once a shard that is being packed is complete."""
        self._packer.shutdown()
        for part in self._parts.values():
            part.file.close()
        self._journal.close()

    def play(
        self, run_all: JobRunner, make_worker: Callable[[SelfPlayRules], SelfPlayWorker] = SelfPlayWorker
    ) -> Generator[int, None, None]:
        """Have the remaining games played; write each when it is over, and yield its number.

        Raises JobError, GameFileError and OSError. Closing the generator discards the games in progress.
        """
        with contextlib.closing(run_all(partial(make_worker, self._rules), self._left())) as results:
            for data in results:
                yield self._keep(data)
        self.pack()

    def pack(self) -> None:
        """Make shards of the games so far, where no number is missing. Raises GameFileError and OSError."""
        for part in list(self._parts.values()):
            if part.numbers == {*range(part.first, part.first + len(part.numbers))}:
                self._pack(part)
        self._finish_packing()

    def _take_over(self) -> None:
        for path in self._folder.glob(f"*{SUFFIX}"):
            about = description(path)
            _check(about, self._identity, path)
            self._shards.append(range(about["first"], about["first"] + about["games"]))
            self._count(about["games"], about["plies"], about["kept"])
        for path in sorted(self._folder.glob(f"*{_PART}")):
            first = int(path.stem.removeprefix("games-"))
            if self._is_packed(first):  # a kill came between the shard and this
                path.unlink()
                continue
            self._parts[first] = part = _OpenShard(path, self._identity)
            for block in part.blocks:
                self._count(1, block.plies, block.kept)
            self._pack_if_full(part)

    def _count(self, games: int, plies: int, kept: int) -> None:
        self.games += games
        self.plies += plies
        self.kept += kept

    def _left(self) -> Iterator[int]:
        """The numbers of the games that are to be played."""
        number = 0
        while self._wanted is None or number < self._wanted:
            shard = next((shard for shard in self._shards if number in shard), None)
            if shard is None:
                part = self._parts.get(self._first_with(number))
                if part is None or number not in part.numbers:
                    yield number
            number = shard.stop if shard else number + 1

    def _is_packed(self, number: int) -> bool:
        return any(number in shard for shard in self._shards)

    def _first_with(self, number: int) -> int:
        """The first number of the shard that will have game `number`."""
        cell = number // GAMES_A_SHARD
        before = [shard.stop for shard in self._shards if shard.start // GAMES_A_SHARD == cell]
        return max([cell * GAMES_A_SHARD, *before])

    def _keep(self, data: bytes) -> int:
        """Append a game's block to its part."""
        if self._packing is not None and self._packing.done():
            self._finish_packing()  # so that a full disk is reported at once
        ((block, packed),) = read_blocks(data, 0)
        number = _numbers(block, packed)[0]
        first = self._first_with(number)
        if first not in self._parts:
            self._parts[first] = self._begin(first)
        part = self._parts[first]
        append_to(part.file.fileno(), data, str(part.path))
        part.numbers.add(number)
        self._count(1, block.plies, block.kept)
        self._pack_if_full(part)
        return number

    def _begin(self, first: int) -> _OpenShard:
        """Create a part, which appears together with its header."""
        path = self._folder / f"games-{first:09}{_PART}"
        about = {**self._identity, "commit": checkout_commit(), "first": first}
        write_whole(path, GAMES.pack_header(about))
        return _OpenShard(path, self._identity)

    def _pack_if_full(self, part: _OpenShard) -> None:
        if len(part.numbers) == GAMES_A_SHARD - part.first % GAMES_A_SHARD:
            self._pack(part)

    def _pack(self, part: _OpenShard) -> None:
        """Make a shard of a part, in a thread, while games go on."""
        self._finish_packing()
        part.file.close()
        del self._parts[part.first]
        self._shards.append(range(part.first, part.first + len(part.numbers)))
        self._packing = self._packer.submit(part.pack)

    def _finish_packing(self) -> None:
        if self._packing is not None:
            self._packing.result()
        self._packing = None


class _OpenShard:
    """The games of a shard that is not complete; its file is positioned after the last one."""

    def __init__(self, path: Path, identity: Mapping[str, Any]) -> None:
        """Read the file. Raises GameFileError if it belongs to another run, and OSError.

        A game that was cut short is cut off; one that is damaged counts as not played.
        """
        self.path = path
        self.file = os.fdopen(descriptor_of(path, os.O_RDWR | os.O_APPEND), "r+b")
        try:
            self.about = GAMES.read_header(self.file, str(path))
            _check(self.about, identity, path)
        except GameFileError:
            self.file.close()
            raise
        start = self.file.tell()
        data = self.file.read()
        self.first = int(self.about["first"])
        found = list(read_blocks(data, 0))
        self.blocks = [block for block, _ in found]
        self.numbers = {number for each in found for number in _numbers(*each)}
        self.file.seek(start + (self.blocks[-1].last if self.blocks else 0))
        self.file.truncate()

    def pack(self) -> None:
        """Write the shard, then remove this file. Raises GameFileError and OSError."""
        found = read_blocks(self.path.read_bytes(), 0)
        games = sorted((game for each in found for game in each[0].unpack(each[1])), key=_number)
        if [*map(_number, games)] != [*range(self.first, self.first + len(self.numbers))]:
            raise GameFileError(f"{self.path}: games are damaged since they were written")
        write_shard(self.path.with_suffix(SUFFIX), self.about, games)
        self.path.unlink()


def _number(game: bytes) -> int:
    return GameRecord.from_bytes(game).number


def _numbers(block: GameBlock, packed: bytes) -> list[int]:
    return [_number(game) for game in block.unpack(packed)]


def write_shard(path: Path, about: Mapping[str, Any], games: Sequence[bytes]) -> None:
    """Write games, in the order of their numbers, as a shard. Raises GameFileError and OSError."""
    parts = [games[place : place + GAMES_A_BLOCK] for place in range(0, len(games), GAMES_A_BLOCK)]
    data = b"".join(map(pack_block, parts))
    blocks = [block for block, _ in read_blocks(data, 0)]
    plies, kept = sum(block.plies for block in blocks), sum(block.kept for block in blocks)
    counts = {"first": _number(games[0]), "games": len(games), "plies": plies, "kept": kept}
    write_whole(path, GAMES.pack_header({**about, **counts}) + data)


def _check(description: Mapping[str, Any], identity: Mapping[str, Any], path: Path) -> None:
    for key, value in identity.items():
        if description.get(key) != value:
            raise GameFileError(
                f"{path} belongs to another run: {key} was {description.get(key)} and is {value}"
            )


GAMES_A_FILE = 100

_SAMPLING_JOURNAL = "sampling.jsonl"
_SPARE = 1000  # records: how many of a game are chosen is left to chance
_MOST_RECORDS = 1 << 24  # of a game: 512 MiB


@dataclass(frozen=True, slots=True)
class SamplingRules:
    """How positions are sampled: about one in `one_in` of those that the searches of `games` ask about.

    Their score is the static value or, with `teacher_nodes`, that of a search with this soft limit of nodes.
    """

    games: SelfPlayRules
    one_in: int
    teacher_nodes: int

    def identity(self) -> dict[str, Any]:
        """What two runs must have in common to be the same run."""
        own = {"one_in": self.one_in, "teacher_nodes": self.teacher_nodes, "games_a_file": GAMES_A_FILE}
        return {**self.games.identity(), **own}


class SamplingWorker:
    """Plays games in a worker process, of which it keeps the sampled positions only."""

    def __init__(self, rules: SamplingRules) -> None:
        """Create the player and his teacher."""
        games = rules.games
        self._openings = Openings(list(games.sources), games.seed)
        inner = games.evaluator.make()
        self._teacher: Teacher | None = None
        if rules.teacher_nodes:
            self._teacher = Teacher(make_player(games.evaluator.make(), rules.teacher_nodes))
        most = STANDARD.longest * HARD_TIMES_SOFT * games.nodes
        capacity = min(most // rules.one_in + _SPARE, _MOST_RECORDS)
        self._sampler = Sampler(inner, self._teacher or inner, rules.one_in, capacity)
        self._player = make_player(self._sampler, games.nodes)

    def work(self, number: int) -> tuple[int, bytes]:
        """The number and the content of a file. Raises OpeningSuiteError."""
        return number, b"".join(
            self._records(game) for game in range(number * GAMES_A_FILE, (number + 1) * GAMES_A_FILE)
        )

    def close(self) -> None:
        """Nothing to release."""

    def _records(self, game: int) -> bytes:
        """The records of a game."""

        def begin() -> None:
            self._sampler.begin(game)
            if self._teacher is not None:
                self._teacher.forget()

        play_level_opening(self._player, self._openings, game, begin)
        return self._sampler.records()


class Sampling:
    """A run in a folder of its own. The same rules and number of positions make the same files.

    They are the first ones that together have the positions. They are written whole and in order, even if
    several are made at the same time, so that a run that ends early leaves no gap. The journal lists them.
    """

    def __init__(self, folder: Path, rules: SamplingRules, positions: int) -> None:
        """Resume the run in `folder`, until it has `positions`. Raises JournalError and OSError."""
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._rules = rules
        self._wanted = positions
        self._journal = RunJournal(folder / _SAMPLING_JOURNAL, rules.identity())
        self.files = {
            number: records
            for number, records in self._journal.read(_file)
            if self._is_whole(number, records)
        }

    def close(self) -> None:
        """Close the journal."""
        self._journal.close()

    @property
    def positions(self) -> int:
        """How many there are by now."""
        return sum(self.files.values())

    def sample(self, run_all: JobRunner) -> Generator[int, None, None]:
        """Write the missing files; yield the number of positions in each. Raises JobError and OSError.

        Closing the generator discards the files in progress, and those that wait for an earlier one.
        """
        if self.is_complete():
            return
        made: dict[int, bytes] = {}
        make_worker = partial(SamplingWorker, self._rules)
        with contextlib.closing(run_all(make_worker, self._missing())) as results:
            for number, records in results:
                made[number] = records
                while not self.is_complete() and (first := next(self._missing())) in made:
                    yield self._keep(first, made.pop(first))
                if self.is_complete():
                    break

    def is_complete(self) -> bool:
        """Whether the files before the first missing one have the positions."""
        before = takewhile(self.files.__contains__, count())
        return any(total >= self._wanted for total in accumulate(map(self.files.__getitem__, before)))

    def _missing(self) -> Iterator[int]:
        return (number for number in count() if number not in self.files)

    def _keep(self, number: int, records: bytes) -> int:
        write_whole(self._path(number), records)
        self.files[number] = len(records) // RECORD.itemsize
        self._journal.append({"file": number, "positions": self.files[number]})
        return self.files[number]

    def _is_whole(self, number: int, positions: int) -> bool:
        try:
            return self._path(number).stat().st_size == positions * RECORD.itemsize
        except FileNotFoundError:
            return False

    def _path(self, number: int) -> Path:
        return self._folder / f"positions-{number:05}{RECORDS_SUFFIX}"


def how_sampled(path: Path) -> dict[str, Any]:
    """How the positions in the folder of a run, or in a file there, were sampled; empty if not known."""
    return description_in((path if path.is_dir() else path.parent) / _SAMPLING_JOURNAL)


def _file(record: dict[str, Any]) -> tuple[int, int]:
    """The number of a file, and of its positions."""
    return whole(record["file"]), whole(record["positions"])
