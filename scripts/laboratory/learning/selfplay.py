"""`scripts/lab selfplay` and `harvest`: games and positions to learn from."""

import contextlib
import json
import os
import random
import sys
import time
import zlib
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import partial, wraps
from itertools import count, islice
from pathlib import Path
from typing import Any, Self

import click

from engine.board.fen import parse_fen
from engine.board.movegen import legal_moves
from engine.board.position import Position
from engine.search.engine import Engine
from engine.search.selfplay import SelfPlayer, Teacher
from engine.system.files import append_to, descriptor_of, write_whole
from engine.system.services import yield_to_others
from eval.evaluator import Evaluator
from eval.outcome import STANDARD, Adjudication, Ending
from eval.training import positions as training_positions
from eval.training.game_file import (
    GAMES,
    GAMES_A_BLOCK,
    SUFFIX,
    GameBlock,
    GameFileError,
    GameRecord,
    description,
    files,
    open_games,
    pack_block,
    pack_game,
    pack_position,
    read_blocks,
    verify,
)
from eval.training.packing import Sampler
from eval.training.positions import RECORD
from eval.weight_file import WeightsError
from scripts.laboratory.jobs import JobError, JobRunner, job_options
from scripts.laboratory.lab_options import (
    OPENINGS,
    WIDE,
    amount_option,
    count_option,
    seed_option,
)
from scripts.laboratory.learning.evaluators import GivenEvaluator, evaluator_options
from scripts.laboratory.long_run import (
    FAILED,
    JournalError,
    RunDisplay,
    RunJournal,
    checkout_commit,
    description_in,
    exit_status,
    whole,
)
from scripts.laboratory.openings import OpeningSuite, OpeningSuiteError

GAMES_A_SHARD = 120_000
"""Some 16 MB."""

GAMES_A_FILE = 100
"""Of sampled positions."""

HARD_TIMES_SOFT = 8
"""The hard limit of nodes of a search, in soft ones."""

JOURNAL, SAMPLING_JOURNAL = "selfplay.jsonl", "sampling.jsonl"
_PART = ".part"
_TABLE_MEGABYTES = 2  # enough for a game of short searches, and small enough to be cleared for each game
_MOST_OPENINGS = 1000
_SPARE = 1000  # records: how many of a game are chosen is left to chance
_MOST_RECORDS = 1 << 24  # of a game: 512 MiB
_ROUNDING = 1e-9
_FAILURES = (JobError, JournalError, GameFileError, OpeningSuiteError, WeightsError, OSError)


@dataclass(frozen=True, slots=True)
class OpeningSource:
    """`share` of the games start with an opening of `book`, then `least` to `most` random plies."""

    book: OpeningSuite
    least: int
    most: int
    share: float = 1.0


class Openings:
    """The same seed and number of the game give the same openings."""

    def __init__(self, sources: Sequence[OpeningSource], seed: int) -> None:
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
        place = chooser.choices(range(len(self._sources)), [each.share for each in self._sources])[0]
        source, order = self._sources[place], self._orders[place]
        turn, index = divmod(number, len(order))
        yield _position(chooser, source, order[index], max(source.least, min(turn, 2)))
        while True:
            yield _position(chooser, source, chooser.choice(order), max(source.least, 1))


def _position(chooser: random.Random, source: OpeningSource, index: int, least: int) -> Position:
    board = source.book.opening(index).board(chess960=source.book.chess960)
    position = parse_fen(board.shredder_fen() if source.book.chess960 else board.fen())
    for _ in range(chooser.randint(min(least, source.most), source.most)):
        if not (moves := legal_moves(position)):
            break
        position.advance(chooser.choice(moves))
    return position


@dataclass(frozen=True, slots=True)
class Rules:
    """`nodes` is the soft limit of a search: no depth is begun after it.

    With `one_in`, positions are sampled instead of games: about one in so many of those that the searches
    evaluate. Their score is that of a search with the soft limit `teacher_nodes`.
    """

    sources: tuple[OpeningSource, ...]
    evaluator: GivenEvaluator
    nodes: int
    seed: int
    one_in: int = 0
    teacher_nodes: int = 0

    def identity(self) -> dict[str, Any]:
        sampled = {"one_in": self.one_in, "teacher_nodes": self.teacher_nodes, "games_a_file": GAMES_A_FILE}
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
            **(sampled if self.one_in else {}),
        }


def make_player(evaluator: Evaluator, nodes: int, rules: Adjudication = STANDARD) -> SelfPlayer:
    searcher = Engine.single(evaluator, _TABLE_MEGABYTES).searchers[0]
    return SelfPlayer(searcher, nodes, HARD_TIMES_SOFT * nodes, rules)


class SelfPlayWorker:
    def __init__(self, rules: Rules, evaluator: Evaluator | None = None) -> None:
        self._openings = Openings(rules.sources, rules.seed)
        self.player = make_player(evaluator or rules.evaluator.make(), rules.nodes)

    @classmethod
    def behind_other_work(cls, rules: Rules) -> Self:
        yield_to_others()
        return cls(rules)

    def play(self, number: int) -> tuple[Position, int]:
        """The first opening of game `number` that is level, and the plies played."""
        for position in islice(self._openings.of_game(number), _MOST_OPENINGS):
            self.begin(number)
            if plies := self.player.play(position):
                return position, plies
        raise OpeningSuiteError(f"game {number}: none of {_MOST_OPENINGS} openings is level")

    def begin(self, number: int) -> None:
        """Get ready for an attempt at game `number`."""

    def work(self, number: int) -> Any:
        position, plies = self.play(number)
        player = self.player
        moves, scores = player.moves[:plies].tobytes(), player.scores[:plies].tobytes()
        start = pack_position(position)
        return pack_block([pack_game(number, player.result, player.ending_number, start, moves, scores)])


class SamplingWorker(SelfPlayWorker):
    """Plays games of which it keeps the sampled positions only."""

    def __init__(self, rules: Rules) -> None:
        self._teacher = Teacher(make_player(rules.evaluator.make(), rules.teacher_nodes))
        most = STANDARD.longest * HARD_TIMES_SOFT * rules.nodes
        capacity = min(most // rules.one_in + _SPARE, _MOST_RECORDS)
        self._sampler = Sampler(rules.evaluator.make(), self._teacher, rules.one_in, capacity)
        super().__init__(rules, self._sampler)

    def begin(self, number: int) -> None:
        self._sampler.begin(number)
        self._teacher.forget()

    def work(self, number: int) -> tuple[int, bytes]:
        parts = []
        for game in range(number * GAMES_A_FILE, (number + 1) * GAMES_A_FILE):
            self.play(game)
            parts.append(self._sampler.records())
        return number, b"".join(parts)


class SelfPlay:
    """A run in a folder of its own. The same rules make the same games.

    A shard `games-N.games` has the packed games of consecutive numbers from N on, and is never changed. Games
    of an incomplete shard are appended to `games-N.part`, each as a block of its own.
    """

    def __init__(self, folder: Path, rules: Rules, games: int | None) -> None:
        """Resume until there are `games`, None: no end. Raises JournalError for another run, and OSError."""
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._rules = rules
        self._identity = json.loads(json.dumps(rules.identity()))
        self._wanted = games
        self._shards: list[range] = []
        self._parts: dict[int, _OpenShard] = {}
        self.games = self.plies = self.kept = 0
        self._journal = RunJournal(folder / JOURNAL, rules.identity())
        try:
            self._take_over()
        except (KeyError, TypeError, ValueError) as error:
            self.close()
            raise JournalError(f"cannot resume {folder}: {error}") from error

    def close(self) -> None:
        for part in self._parts.values():
            part.file.close()
        self._journal.close()

    def play(
        self, run_all: JobRunner, make_worker: Callable[[Rules], SelfPlayWorker] = SelfPlayWorker
    ) -> Generator[int, None, None]:
        """Write and yield each game when it is over. Closing the generator discards the games in progress."""
        with contextlib.closing(run_all(partial(make_worker, self._rules), self._left())) as results:
            for data in results:
                yield self._keep(data)
        self.pack()

    def pack(self) -> None:
        """Make shards of the games so far, where no number is missing. Raises GameFileError and OSError."""
        for part in list(self._parts.values()):
            if part.numbers == {*range(part.first, part.first + len(part.numbers))}:
                self._pack(part)

    def _take_over(self) -> None:
        for path in self._folder.glob(f"*{SUFFIX}"):
            about = description(path)
            _check(about, self._identity, path)
            self._shards.append(range(about["first"], about["first"] + about["games"]))
            self._count(about["games"], about["plies"], about["kept"])
        for path in sorted(self._folder.glob(f"*{_PART}")):
            first = int(path.stem.removeprefix("games-"))
            if any(first in shard for shard in self._shards):  # a kill came between the shard and this
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
        number = 0
        while self._wanted is None or number < self._wanted:
            shard = next((shard for shard in self._shards if number in shard), None)
            if shard is None:
                part = self._parts.get(self._first_with(number))
                if part is None or number not in part.numbers:
                    yield number
            number = shard.stop if shard else number + 1

    def _first_with(self, number: int) -> int:
        cell = number // GAMES_A_SHARD
        before = [shard.stop for shard in self._shards if shard.start // GAMES_A_SHARD == cell]
        return max([cell * GAMES_A_SHARD, *before])

    def _keep(self, data: bytes) -> int:
        ((block, packed),) = read_blocks(data, 0)
        number = _numbers(block, packed)[0]
        first = self._first_with(number)
        if first not in self._parts:
            path = self._folder / f"games-{first:09}{_PART}"
            about = {**self._identity, "commit": checkout_commit(), "first": first}
            write_whole(path, GAMES.pack_header(about))  # so that it appears together with its header
            self._parts[first] = _OpenShard(path, self._identity)
        part = self._parts[first]
        append_to(part.file.fileno(), data, str(part.path))
        part.numbers.add(number)
        self._count(1, block.plies, block.kept)
        self._pack_if_full(part)
        return number

    def _pack_if_full(self, part: "_OpenShard") -> None:
        if len(part.numbers) == GAMES_A_SHARD - part.first % GAMES_A_SHARD:
            self._pack(part)

    def _pack(self, part: "_OpenShard") -> None:
        part.file.close()
        del self._parts[part.first]
        self._shards.append(range(part.first, part.first + len(part.numbers)))
        part.pack()


class _OpenShard:
    """The games of an incomplete shard; its file is positioned after the last one."""

    def __init__(self, path: Path, identity: Mapping[str, Any]) -> None:
        """A game that was cut short is cut off; one that is damaged counts as not played."""
        self.path = path
        self.file = os.fdopen(descriptor_of(path, os.O_RDWR | os.O_APPEND), "r+b")
        try:
            self.about = GAMES.read_header(self.file, str(path))
            _check(self.about, identity, path)
        except GameFileError:
            self.file.close()
            raise
        start = self.file.tell()
        found = list(read_blocks(self.file.read(), 0))
        self.first = int(self.about["first"])
        self.blocks = [block for block, _ in found]
        self.numbers = {number for each in found for number in _numbers(*each)}
        self.file.seek(start + (self.blocks[-1].last if self.blocks else 0))
        self.file.truncate()

    def pack(self) -> None:
        found = read_blocks(self.path.read_bytes(), 0)
        games = sorted((game for each in found for game in each[0].unpack(each[1])), key=_number)
        if [*map(_number, games)] != [*range(self.first, self.first + len(self.numbers))]:
            raise GameFileError(f"{self.path}: games are damaged since they were written")
        parts = [games[place : place + GAMES_A_BLOCK] for place in range(0, len(games), GAMES_A_BLOCK)]
        data = b"".join(map(pack_block, parts))
        blocks = [block for block, _ in read_blocks(data, 0)]
        plies, kept = sum(block.plies for block in blocks), sum(block.kept for block in blocks)
        counts = {"first": self.first, "games": len(games), "plies": plies, "kept": kept}
        write_whole(self.path.with_suffix(SUFFIX), GAMES.pack_header({**self.about, **counts}) + data)
        self.path.unlink()


def _number(game: bytes) -> int:
    return GameRecord.from_bytes(game).number


def _numbers(block: GameBlock, packed: bytes) -> list[int]:
    return [_number(game) for game in block.unpack(packed)]


def _check(described: Mapping[str, Any], identity: Mapping[str, Any], path: Path) -> None:
    for key, value in identity.items():
        if described.get(key) != value:
            raise GameFileError(
                f"{path} belongs to another run: {key} was {described.get(key)} and is {value}"
            )


class Sampling:
    """A run in a folder of its own. A file depends on the rules and its number alone."""

    def __init__(self, folder: Path, rules: Rules, wanted: int) -> None:
        """Resume until there are `wanted` positions. Raises JournalError and OSError."""
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self._rules, self._wanted = folder, rules, wanted
        self._journal = RunJournal(folder / SAMPLING_JOURNAL, rules.identity())
        self.files: dict[int, int] = {}
        """By the number of a file, how many positions it has."""
        for number, positions in self._journal.read(
            lambda record: (whole(record["file"]), whole(record["positions"]))
        ):
            path = self._path(number)
            if path.exists() and path.stat().st_size == positions * RECORD.itemsize:
                self.files[number] = positions

    def close(self) -> None:
        self._journal.close()

    @property
    def positions(self) -> int:
        return sum(self.files.values())

    def play(self, run_all: JobRunner) -> Generator[int, None, None]:
        """Yield the number of positions in each file. Closing the generator discards incomplete files."""
        missing = (number for number in count() if number not in self.files)
        with contextlib.closing(run_all(partial(SamplingWorker, self._rules), missing)) as results:
            while self.positions < self._wanted:
                number, records = next(results)
                write_whole(self._path(number), records)
                self.files[number] = len(records) // RECORD.itemsize
                self._journal.append({"file": number, "positions": self.files[number]})
                yield self.files[number]

    def _path(self, number: int) -> Path:
        return self._folder / f"positions-{number:05}{training_positions.SUFFIX}"


def how_sampled(path: Path) -> dict[str, Any]:
    """In the folder of a run, or in a file there; empty if not known."""
    return description_in((path if path.is_dir() else path.parent) / SAMPLING_JOURNAL)


_OPTIONS = (
    count_option("--nodes", 500, "Soft limit of a search: no depth is begun after this number of nodes."),
    evaluator_options,
    seed_option("the openings"),
    amount_option(
        "--book-share",
        0.15,
        "Share of games that begin with a book opening and up to 4 random plies.",
        most=1,
    ),
    amount_option(
        "--named-share",
        0.2,
        "Share of games that begin with a named opening and up to 3 random plies.",
        most=1,
    ),
    amount_option(
        "--chess960-share",
        0.15,
        "Share of games that begin with a start position of Chess960 and 4 to 8 random plies.",
        most=1,
    ),
)


def selfplay_options(command: Callable[..., None]) -> Any:
    """The command gets `make_rules()`, which reads the openings and raises OpeningSuiteError."""

    @wraps(command)
    def with_rules(
        *,
        nodes: int,
        evaluator: GivenEvaluator,
        seed: int,
        book_share: float,
        named_share: float,
        chess960_share: float,
        **others: Any,
    ) -> None:
        rest = 1 - book_share - named_share - chess960_share
        if rest < -_ROUNDING:
            raise click.UsageError(
                "--book-share, --named-share and --chess960-share are more than 1 together"
            )

        def make_rules() -> Rules:
            sources = (
                OpeningSource(OpeningSuite.of_start_position(), 6, 9, share=max(rest, 0)),
                OpeningSource(OpeningSuite.read(OPENINGS, chess960=False), 0, 4, share=book_share),
                OpeningSource(OpeningSuite.of_named(), 0, 3, share=named_share),
                OpeningSource(OpeningSuite.of_chess960(), 4, 8, share=chess960_share),
            )
            return Rules(sources, evaluator, nodes, seed)

        command(make_rules=make_rules, **others)

    for option in reversed(_OPTIONS):
        with_rules = option(with_rules)
    return with_rules


@click.command(context_settings=WIDE)
@click.option(
    "--out",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="Folder for the games; a run with the same settings resumes there.",
)
@count_option("--games", None, "Number of games in all.", to="wanted")
@count_option("--positions", None, "Keep no games: sample so many positions, or some more.")
@count_option(
    "--one-in", 20, "With --positions: sample about one in N of those that are evaluated.", most=1 << 20
)
@count_option("--teacher-nodes", 200, "With --positions: soft limit of the search that labels each.")
@selfplay_options
@job_options
@count_option("--every", None, "Without a terminal, print a line after every N games or positions.")
@click.option("--stats", "wants_stats", is_flag=True, help="Play nothing: count the games in the folder.")
@click.option("--verify", "wants_proof", is_flag=True, help="Play nothing: replay all games by the rules.")
def selfplay(  # noqa: PLR0913 - an argument for each option
    *,
    folder: Path,
    wanted: int | None,
    positions: int | None,
    one_in: int,
    teacher_nodes: int,
    make_rules: Callable[[], Rules],
    run_all: JobRunner,
    every: int | None,
    wants_stats: bool,
    wants_proof: bool,
) -> None:
    """Play games of Lolli against itself, and keep them with the score of each search.

    \b
    scripts/lab selfplay --out data/first --games 200000
    scripts/lab selfplay --out data/first --stats
    scripts/lab selfplay --out data/taught --positions 8000000 --seed 2

    The same settings make the same games, whatever the number of processors. A run that was stopped or killed
    loses what is in progress, and resumes with the same command; --games and --positions may be changed. The
    games are packed in shards of 16 MB, at about a byte a ply; each says by which commit they were played.

    With --positions the files have training records of 32 bytes: positions that the searches evaluate. Most
    of them no one would play; an evaluation has to be right about them all the same. Positions in check are
    left out, those that are worth 2500 centipawns or more, and those in which the best move is not quiet.

    This is for chess; Connect Four, Go and Othello have scripts/lab learn-policy.
    """
    if wants_stats or wants_proof:
        sys.exit(_look(folder, prove=wants_proof))
    if (wanted is None) is (positions is None):
        raise click.UsageError("needs either --games or --positions")
    try:
        rules = make_rules()
        if positions is not None:
            rules = replace(rules, one_in=one_in, teacher_nodes=teacher_nodes)
            with contextlib.closing(Sampling(folder, rules, positions)) as sampling:
                sys.exit(_sample(sampling, positions, run_all, every or 1_000_000))
        elif wanted is not None:
            with contextlib.closing(SelfPlay(folder, rules, wanted)) as run:
                sys.exit(_play(run, wanted, run_all, every or 1000))
    except _FAILURES as error:
        raise click.UsageError(str(error)) from error


def _play(run: SelfPlay, wanted: int, run_all: JobRunner, every: int) -> int:
    before, started = run.plies, time.monotonic()

    def show(display: RunDisplay) -> None:
        rate = (run.plies - before) / max(time.monotonic() - started, 1e-9)
        display.show(run.games, f"{run.plies} plies, {run.kept} to learn from, {rate:.0f} plies/s")

    with RunDisplay("games", wanted, run.games, every) as display:
        status = _finish(run.play(run_all), display, show)
        if status == 0:
            display.say(f"{run.games} games, {run.plies} plies, {run.kept} positions to learn from")
    return status


def _sample(run: Sampling, wanted: int, run_all: JobRunner, every: int) -> int:
    def show(display: RunDisplay) -> None:
        display.show(run.positions, f"{len(run.files)} files")

    with RunDisplay("positions", wanted, run.positions, every) as display:
        status = _finish(run.play(run_all), display, show)
        if status == 0:
            display.say(f"{run.positions} positions in {len(run.files)} files")
    return status


def _finish(
    playing: Generator[int, None, None], display: RunDisplay, show: Callable[[RunDisplay], None]
) -> int:
    def play() -> None:
        with contextlib.closing(playing):
            for _ in playing:
                show(display)

    return exit_status(play, display.say, *_FAILURES)


def _look(folder: Path, *, prove: bool) -> int:
    try:
        rows, damaged = rows_of(folder, prove=prove)
    except (GameFileError, OSError) as error:
        click.echo(f"scripts/lab selfplay: {error}", err=True)
        return FAILED
    for name, value in rows.items():
        click.echo(f"{name:<24} {value}")
    if prove:
        click.echo(f"{rows['games']} games replayed: all moves are legal and all results correct")
    for line in damaged:
        click.echo(line, err=True)
    return FAILED if damaged else 0


def rows_of(folder: Path, *, prove: bool) -> tuple[dict[str, str], list[str]]:
    """Statistics by name, and what is damaged. `prove`: replay all games, and compare the checksums."""
    counts: Counter[str] = Counter(games=0, plies=0, kept=0)
    results, endings = Counter[int](), Counter[str]()
    described: dict[str, set[str]] = {key: set() for key in ("nodes", "seed", "weights", "commit")}
    damaged: list[str] = []
    for path in files([folder]):

        def lose(first: int, last: int, path: Path = path) -> None:
            damaged.append(f"{path}: {last - first} bytes from byte {first} on are damaged")

        about, blocks = open_games(path.read_bytes(), str(path), lose)
        for key, values in described.items():
            values.add(str(about.get(key)))
        for block, packed in blocks:
            unpacked = list(block.unpack(packed))
            if prove and zlib.crc32(b"".join(unpacked)) != block.checksum_unpacked:
                damaged.append(f"{path}: the games at byte {block.first} are not as they were")
            counts.update(games=block.games, plies=block.plies, kept=block.kept)
            for game in map(GameRecord.from_bytes, unpacked):
                if prove:
                    verify(game)
                results[game.result] += 1
                endings[list(Ending)[game.ending].value] += 1
    won = {name: results[result] for name, result in (("White won", 1), ("drawn", 0), ("Black won", -1))}
    return {
        "games": str(counts["games"]),
        "plies": str(counts["plies"]),
        "positions to learn from": str(counts["kept"]),
        **{name: str(number) for name, number in {**won, **dict(endings.most_common())}.items()},
        **{key: ", ".join(sorted(values)) for key, values in described.items()},
    }, damaged


@click.command(context_settings=WIDE)
@click.option(
    "--out",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="Folder for the games, with a folder in it for each generation.",
)
@selfplay_options
@job_options
@amount_option(
    "--minutes", 60, "Minutes between two notes on how many positions there are.", above_least=True
)
def harvest(*, folder: Path, make_rules: Callable[[], Rules], run_all: JobRunner, minutes: float) -> None:
    """Play games to learn from until stopped, only where no other program wants the processors.

    \b
    scripts/lab harvest --out ../games &
    scripts/lab train ../games/* --out new.lolli

    Games are kept as by scripts/lab selfplay, with a folder for each network and each choice of settings.
    Started again, it goes on where it was. If the weights file has changed, the next note starts a new
    generation.
    """
    try:
        rules = make_rules()
    except OpeningSuiteError as error:
        raise click.UsageError(str(error)) from error
    sys.exit(exit_status(partial(_harvest, folder, rules, run_all, 60 * minutes), _say, *_FAILURES))


def _say(line: str) -> None:
    click.echo(f"{datetime.now(UTC):%Y-%m-%d %H:%M} {line}")


def _harvest(folder: Path, rules: Rules, run_all: JobRunner, seconds: float) -> None:
    while True:
        generation = _generation(folder, rules)
        shards = [path for path in folder.glob(f"*/*{SUFFIX}") if path.parent != generation]
        elsewhere = sum(int(description(path).get("kept", 0)) for path in shards)
        with contextlib.closing(SelfPlay(generation, rules, None)) as run:
            _say(f"{generation.name}: {elsewhere + run.kept} positions to learn from so far")
            rules = _play_generation(generation, rules, run, run_all, seconds, elsewhere)


def _play_generation(
    generation: Path, rules: Rules, run: SelfPlay, run_all: JobRunner, seconds: float, elsewhere: int
) -> Rules:
    noted, kept = time.monotonic(), run.kept
    with contextlib.closing(run.play(run_all, SelfPlayWorker.behind_other_work)) as finished:
        for _ in finished:
            elapsed = time.monotonic() - noted
            if elapsed < seconds:
                continue
            rate = (run.kept - kept) * 3600 / elapsed
            _say(
                f"{generation.name}: {elsewhere + run.kept} positions to learn from, {run.kept} of them in"
                f" {run.games} games of this generation; {rate:.0f} an hour"
            )
            noted, kept = time.monotonic(), run.kept
            try:
                evaluator = rules.evaluator.read_again()
            except WeightsError as error:
                _say(f"Playing on with the same network: {error}")
                continue
            if evaluator.digest() != rules.evaluator.digest():
                break
    run.pack()
    return replace(rules, evaluator=evaluator)


def _generation(folder: Path, rules: Rules) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    before = sorted(path for path in folder.iterdir() if (path / JOURNAL).exists())
    wanted = json.loads(json.dumps(rules.identity()))
    for path in before:
        if description_in(path / JOURNAL) == wanted:
            return path
    last = max((int(path.name[:3]) for path in before if path.name[:3].isdecimal()), default=0)
    return folder / f"{last + 1:03}-{rules.evaluator.digest() or rules.evaluator.name}"
