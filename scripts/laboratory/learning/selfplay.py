"""`scripts/lab selfplay` and `harvest`: games and positions to learn from."""

import contextlib
import json
import random
import sys
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import partial, wraps
from itertools import islice
from pathlib import Path
from typing import Any, Self

import click

from engine.board.fen import parse_fen
from engine.board.movegen import legal_moves
from engine.board.position import Position
from engine.search.engine import Engine
from engine.search.selfplay import SelfPlayer, Teacher
from engine.system.files import write_whole
from engine.system.services import yield_to_others
from eval.evaluator import Evaluator
from eval.outcome import STANDARD, Adjudication
from eval.training import positions as training_positions
from eval.training.game_file import (
    GAMES,
    SUFFIX,
    GameFileError,
    description,
    pack_block,
    pack_game,
    pack_position,
    read_blocks,
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
    JournalError,
    RunDisplay,
    RunJournal,
    checkout_commit,
    description_in,
    exit_status,
    whole,
)
from scripts.laboratory.openings import OpeningSuite, OpeningSuiteError

GAMES_A_FILE = 250
GAMES_A_SAMPLED_FILE = 100
"""Games of which a file of sampled positions is made."""

HARD_TIMES_SOFT = 8
"""The hard limit of nodes of a search, in soft ones."""

JOURNAL, SAMPLING_JOURNAL = "selfplay.jsonl", "sampling.jsonl"
_TABLE_MEGABYTES = 2  # enough for a game of short searches, and small enough to be cleared for each game
_MOST_OPENINGS = 1000
_SUFFIXES = {"games": SUFFIX, "positions": training_positions.SUFFIX}
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

    With `one_in`, positions are sampled instead of games: about one in `one_in` of those that the
    searches evaluate. Their score is that of a search with the soft limit `teacher_nodes`.
    """

    sources: tuple[OpeningSource, ...]
    evaluator: GivenEvaluator
    nodes: int
    seed: int
    one_in: int = 0
    teacher_nodes: int = 0

    @property
    def games_a_file(self) -> int:
        return GAMES_A_SAMPLED_FILE if self.one_in else GAMES_A_FILE

    def identity(self) -> dict[str, Any]:
        sampled = {"one_in": self.one_in, "teacher_nodes": self.teacher_nodes}
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
            "games_a_file": self.games_a_file,
            **(sampled if self.one_in else {}),
        }


def make_player(evaluator: Evaluator, nodes: int, rules: Adjudication = STANDARD) -> SelfPlayer:
    searcher = Engine.single(evaluator, _TABLE_MEGABYTES).searchers[0]
    return SelfPlayer(searcher, nodes, HARD_TIMES_SOFT * nodes, rules)


PlayedFile = tuple[range, dict[str, int], bytes]
"""The games of a file, its counts, and its bytes, without the header of files of games."""


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

    def work(self, games: range) -> PlayedFile:
        packed = pack_block([self._game(number) for number in games])
        ((block, _),) = read_blocks(packed, 0)
        return games, {"games": block.games, "plies": block.plies, "kept": block.kept}, packed

    def _game(self, number: int) -> bytes:
        position, plies = self.play(number)
        player = self.player
        moves, scores = player.moves[:plies].tobytes(), player.scores[:plies].tobytes()
        return pack_game(number, player.result, player.ending_number, pack_position(position), moves, scores)


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

    def work(self, games: range) -> PlayedFile:
        parts = []
        for number in games:
            self.play(number)
            parts.append(self._sampler.records())
        records = b"".join(parts)
        return games, {"games": len(games), "positions": len(records) // RECORD.itemsize}, records


class SelfPlayRun:
    """A run in a folder of its own. A file depends on the rules and the numbers of its games alone."""

    def __init__(self, folder: Path, rules: Rules, wanted: int | None) -> None:
        """Resume until there are `wanted` games, or positions if the rules sample them; None: no end.

        Raises JournalError, also for another run, and OSError.
        """
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self._rules, self._wanted = folder, rules, wanted
        self._about = {**rules.identity(), "commit": checkout_commit()}
        self.unit = "positions" if rules.one_in else "games"
        journal = folder / (SAMPLING_JOURNAL if rules.one_in else JOURNAL)
        if "games_a_shard" in description_in(journal):
            raise JournalError(
                f"{folder} is of an older version: learn from its games, run in another folder"
            )
        self._journal = RunJournal(journal, rules.identity())
        self.files: dict[int, dict[str, int]] = {}
        """The counts of each file, by its number."""
        for number, size, counts in self._journal.read(self._entry):
            path = self._path(number)
            if path.exists() and path.stat().st_size == size:
                self.files[number] = counts

    def close(self) -> None:
        self._journal.close()

    def total(self, name: str) -> int:
        return sum(counts.get(name, 0) for counts in self.files.values())

    @property
    def done(self) -> int:
        return self.total(self.unit)

    def play(
        self, run_all: JobRunner, make_worker: Callable[[Rules], SelfPlayWorker] | None = None
    ) -> Generator[int, None, None]:
        """Write files and yield their numbers. Closing the generator discards unfinished files."""
        make = make_worker or (SamplingWorker if self._rules.one_in else SelfPlayWorker)
        with contextlib.closing(run_all(partial(make, self._rules), self._missing())) as results:
            # As many positions as are wanted may be in any files, games are those of certain numbers.
            while not self._rules.one_in or self._wanted is None or self.done < self._wanted:
                if (made := next(results, None)) is None:
                    return
                yield self._keep(*made)

    def _missing(self) -> Iterator[range]:
        """The games of files that are missing or too short."""
        size = self._rules.games_a_file
        end = sys.maxsize if self._wanted is None or self._rules.one_in else self._wanted
        for first in range(0, end, size):
            games = range(first, min(first + size, end))
            if self.files.get(first // size, {"games": 0})["games"] < len(games):
                yield games

    def _keep(self, games: range, counts: dict[str, int], content: bytes) -> int:
        number = games.start // self._rules.games_a_file
        if not self._rules.one_in:
            content = GAMES.pack_header({**self._about, "first": games.start, **counts}) + content
        write_whole(self._path(number), content)
        self._journal.append({"file": number, "bytes": len(content), **counts})
        self.files[number] = counts
        return number

    def _entry(self, record: dict[str, Any]) -> tuple[int, int, dict[str, int]]:
        names = ("games", "positions") if self._rules.one_in else ("games", "plies", "kept")
        return whole(record["file"]), whole(record["bytes"]), {name: whole(record[name]) for name in names}

    def _path(self, number: int) -> Path:
        return self._folder / f"{self.unit}-{number:05}{_SUFFIXES[self.unit]}"


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
@count_option("--positions", None, "Keep no games: sample at least N positions.")
@count_option(
    "--one-in", 20, "With --positions: sample about one in N of those that are evaluated.", most=1 << 20
)
@count_option("--teacher-nodes", 200, "With --positions: soft limit of the search that labels each.")
@selfplay_options
@job_options
@count_option("--every", None, "Without a terminal, print a line after every N games or positions.")
def selfplay(
    *,
    folder: Path,
    wanted: int | None,
    positions: int | None,
    one_in: int,
    teacher_nodes: int,
    make_rules: Callable[[], Rules],
    run_all: JobRunner,
    every: int | None,
) -> None:
    """Play games of Lolli against itself, and keep them with the score of each search.

    \b
    scripts/lab selfplay --out data/first --games 200000
    scripts/lab selfplay --out data/taught --positions 8000000 --seed 2

    The same settings make the same games, whatever the number of processors. Games are written in files of
    250, each with the commit by which they were played, at about a byte a ply. A run that was stopped or
    killed leaves whole files, loses at most the unfinished one of each process, and resumes with the same
    command; --games and --positions may be changed.

    With --positions the files have training records of 32 bytes: positions that the searches evaluate. Most
    of them no one would play; an evaluation has to be right about them all the same. Positions in check are
    left out, those that are worth 2500 centipawns or more, and those in which the best move is not quiet.

    This is for chess; Connect Four, Go and Othello have scripts/lab learn-policy.
    """
    if (wanted is None) is (positions is None):
        raise click.UsageError("needs either --games or --positions")
    try:
        rules = make_rules()
        if positions is not None:
            rules = replace(rules, one_in=one_in, teacher_nodes=teacher_nodes)
        number, usual = (wanted, 1000) if wanted is not None else (positions or 0, 1_000_000)
        with contextlib.closing(SelfPlayRun(folder, rules, number)) as run:
            sys.exit(_play(run, number, run_all, every or usual))
    except _FAILURES as error:
        raise click.UsageError(str(error)) from error


def _play(run: SelfPlayRun, wanted: int, run_all: JobRunner, every: int) -> int:
    before, started = run.total("plies"), time.monotonic()

    def counts() -> str:
        if run.unit == "positions":
            return f"{len(run.files)} files"
        return f"{run.total('plies')} plies, {run.total('kept')} positions to learn from"

    def rate() -> str:
        plies = run.total("plies") - before
        return f", {plies / max(time.monotonic() - started, 1e-9):.0f} plies/s" if plies else ""

    def play() -> None:
        with contextlib.closing(run.play(run_all)) as written:
            for _ in written:
                display.show(run.done, counts() + rate())

    with RunDisplay(run.unit, wanted, run.done, every) as display:
        status = exit_status(play, display.say, *_FAILURES)
        if status == 0:
            display.say(f"{run.done} {run.unit}, {counts()}")
    return status


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

    Games are kept as by scripts/lab selfplay, with a folder for each network and each choice of settings. A
    stop loses at most the unfinished file of each process, up to 250 games. Started again, it goes on where
    it was. If the weights file has changed, the next note starts a new generation.
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
        others = [path for path in folder.glob(f"*/*{SUFFIX}") if path.parent != generation]
        elsewhere = sum(map(_kept, others))
        with contextlib.closing(SelfPlayRun(generation, rules, None)) as run:
            _say(f"{generation.name}: {elsewhere + run.total('kept')} positions to learn from so far")
            rules = _play_generation(generation, rules, run, run_all, seconds, elsewhere)


def _kept(path: Path) -> int:
    """The positions to learn from in a file; 0 if it is damaged: one bad file must not stop the harvest."""
    try:
        return int(description(path).get("kept", 0))
    except GameFileError:
        return 0


def _play_generation(
    generation: Path, rules: Rules, run: SelfPlayRun, run_all: JobRunner, seconds: float, elsewhere: int
) -> Rules:
    """Play until the file of weights has changed; the rules with the new ones."""
    noted, before = time.monotonic(), run.total("kept")
    with contextlib.closing(run.play(run_all, SelfPlayWorker.behind_other_work)) as finished:
        for _ in finished:
            elapsed = time.monotonic() - noted
            if elapsed < seconds:
                continue
            kept = run.total("kept")
            _say(
                f"{generation.name}: {elsewhere + kept} positions to learn from, {kept} of them in"
                f" {run.done} games of this generation; {(kept - before) * 3600 / elapsed:.0f} an hour"
            )
            noted, before = time.monotonic(), kept
            try:
                evaluator = rules.evaluator.read_again()
            except WeightsError as error:
                _say(f"Playing on with the same network: {error}")
                continue
            if evaluator.digest() != rules.evaluator.digest():
                break
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
