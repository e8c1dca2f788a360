"""`scripts/lab selfplay` and `harvest`: games and positions to learn from."""

import contextlib
import json
import sys
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache, partial, wraps
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from eval.outcome import Ending
from eval.training.game_file import SUFFIX, GameFileError, GameRecord, description, open_games, verify
from eval.training.samples import files
from eval.weight_file import WeightsError
from scripts.laboratory.jobs import JobError, JobRunner, job_options
from scripts.laboratory.lab_options import (
    OPENINGS,
    WIDE,
    amount_option,
    count_option,
    file_option,
    seed_option,
)
from scripts.laboratory.learning.evaluators import GivenEvaluator, evaluator_options
from scripts.laboratory.learning.selfplay_games import (
    JOURNAL,
    OpeningSource,
    Sampling,
    SamplingRules,
    SelfPlay,
    SelfPlayRules,
    SelfPlayWorker,
    chosen_source,
    write_shard,
)
from scripts.laboratory.long_run import FAILED, JournalError, RunDisplay, description_in, exit_status
from scripts.laboratory.openings import OpeningSuite, OpeningSuiteError

_ROUNDING = 1e-9

_OPTIONS = (
    count_option("--nodes", 500, "Soft limit of a search: no depth is begun after this number of nodes."),
    evaluator_options,
    seed_option("the openings"),
    click.option(
        "--random-plies",
        type=(click.IntRange(0), click.IntRange(0)),
        default=(6, 9),
        show_default=True,
        help="Least and most random plies from the start position.",
    ),
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
    file_option("--openings", "Book of openings: EPD, FEN or PGN, also .gz, .xz, .bz2.", OPENINGS),
)


def selfplay_options(command: Callable[..., None]) -> Any:
    """The options that say how games are played; the command gets `make_rules` in place of them.

    `make_rules()` reads the book of openings. It raises OpeningSuiteError.
    """

    @wraps(command)
    def with_rules(
        *,
        nodes: int,
        evaluator: GivenEvaluator,
        seed: int,
        random_plies: tuple[int, int],
        book_share: float,
        named_share: float,
        chess960_share: float,
        openings: Path,
        **others: Any,
    ) -> None:
        if random_plies[0] > random_plies[1]:
            raise click.UsageError("--random-plies: the least is more than the most")
        rest = 1 - book_share - named_share - chess960_share
        if rest < -_ROUNDING:
            raise click.UsageError(
                "--book-share, --named-share and --chess960-share are more than 1 together"
            )

        def make_rules() -> SelfPlayRules:
            sources = (
                OpeningSource(OpeningSuite.of_start_position(), *random_plies, share=max(rest, 0)),
                OpeningSource(OpeningSuite.read(openings, chess960=False), 0, 4, share=book_share),
                OpeningSource(OpeningSuite.of_named(), 0, 3, share=named_share),
                OpeningSource(OpeningSuite.of_chess960(), 4, 8, share=chess960_share),
            )
            return SelfPlayRules(sources, evaluator, nodes, seed)

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
@count_option("--games", None, "Number of games in all.", to="count")
@count_option("--positions", None, "Keep no games: sample so many positions, or some more.")
@count_option(
    "--one-in",
    None,
    "With --positions: sample about one in N of those that are evaluated, by default 8.",
    most=1 << 20,
)
@count_option(
    "--teacher-nodes",
    None,
    "With --positions: label each by a search with this soft limit of nodes, not by its static value.",
)
@selfplay_options
@job_options
@count_option("--every", None, "Without a terminal, print a line after every N games or positions.")
@click.option("--stats", "wants_stats", is_flag=True, help="Play nothing: count the games in the folder.")
@click.option("--verify", "wants_proof", is_flag=True, help="Play nothing: replay all games by the rules.")
@click.option("--pack", "wants_packing", is_flag=True, help="Play nothing: pack the files of older versions.")
def selfplay(  # noqa: PLR0913 - an argument for each option
    *,
    folder: Path,
    count: int | None,
    positions: int | None,
    one_in: int | None,
    teacher_nodes: int | None,
    make_rules: Callable[[], SelfPlayRules],
    run_all: JobRunner,
    every: int | None,
    wants_stats: bool,
    wants_proof: bool,
    wants_packing: bool,
) -> None:
    """Play games of Lolli against itself, and keep them with the score of each search.

    \b
    scripts/lab selfplay --out data/first --games 200000
    scripts/lab selfplay --out data/first --stats
    scripts/lab selfplay --out data/asked --positions 25000000 --eval linear
    scripts/lab selfplay --out data/taught --positions 8000000 --one-in 20 --teacher-nodes 200

    The same settings make the same files, whatever the number of processors. A run that was stopped or killed
    loses what is in progress, and resumes with the same command; --games and --positions may be changed. The
    games are packed in shards of 16 MB, at about a byte a ply; each says by which commit they were played.

    With --positions the files have training records of 32 bytes: positions that the searches evaluate. Most
    of them no one would play; an evaluation has to be right about them all the same. Positions in check are
    left out, and those that are worth 2500 centipawns or more; with --teacher-nodes also those in which the
    best move is not quiet.

    This is for chess; Connect Four, Go and Othello have scripts/lab learn-policy.
    """
    if wants_packing:
        sys.exit(_pack(folder))
    if wants_stats or wants_proof:
        sys.exit(_look(folder, prove=wants_proof))
    if (count is None) is (positions is None):
        raise click.UsageError("needs either --games or --positions")
    if positions is None and (one_in or teacher_nodes):
        raise click.UsageError("--one-in and --teacher-nodes are for --positions")
    try:
        rules = make_rules()
        if positions is not None:
            sampled = SamplingRules(rules, one_in or 8, teacher_nodes or 0)
            with contextlib.closing(Sampling(folder, sampled, positions)) as sampling:
                sys.exit(_sample(sampling, positions, run_all, every or 1_000_000))
        elif count is not None:
            with contextlib.closing(SelfPlay(folder, rules, count)) as run:
                sys.exit(_play(run, count, run_all, every or 1000))
    except (OpeningSuiteError, JournalError, GameFileError, OSError) as error:
        raise click.UsageError(str(error)) from error


def _play(run: SelfPlay, count: int, run_all: JobRunner, every: int) -> int:
    """Play the remaining games and show the progress. The exit status."""
    before, started = run.plies, time.monotonic()
    with RunDisplay("games", count, run.games, every) as display:

        def play() -> None:
            with contextlib.closing(run.play(run_all)) as finished:
                for _ in finished:
                    rate = (run.plies - before) / max(time.monotonic() - started, 1e-9)
                    status = f"{run.plies} plies, {run.kept} to learn from, {rate:.0f} plies/s"
                    display.show(run.games, status)

        failures = (JobError, JournalError, GameFileError, OpeningSuiteError, OSError)
        status = exit_status(play, display.say, *failures)
        if status == 0:
            display.say(f"{run.games} games, {run.plies} plies, {run.kept} positions to learn from")
    return status


def _look(folder: Path, *, prove: bool) -> int:
    """Print statistics of the games in the folder, after replaying them if `prove`. The exit status."""
    try:
        rows, damaged = rows_of(folder, prove=prove)
    except (GameFileError, OSError) as error:
        click.echo(f"scripts/lab selfplay: {error}", err=True)
        return FAILED
    table = Table(show_header=False, box=None)
    for name, value in rows:
        table.add_row(name, value)
    Console().print(table)
    if prove:
        click.echo(f"{dict(rows)['games']} games replayed: all moves are legal and all results correct")
    for line in damaged:
        click.echo(line, err=True)
    return FAILED if damaged else 0


def _pack(folder: Path) -> int:
    """Pack the files of older versions. The exit status."""
    try:
        for line in pack_old_files(folder):
            click.echo(line)
    except (GameFileError, OSError) as error:
        click.echo(f"scripts/lab selfplay: {error}", err=True)
        return FAILED
    return 0


def _sample(run: Sampling, positions: int, run_all: JobRunner, every: int) -> int:
    """Sample what is missing, and show the progress. The exit status."""
    with RunDisplay("positions", positions, run.positions, every) as display:

        def sample() -> None:
            with contextlib.closing(run.sample(run_all)) as finished:
                for _ in finished:
                    display.show(run.positions, f"{len(run.files)} files")

        status = exit_status(sample, display.say, JobError, JournalError, OpeningSuiteError, OSError)
        if status == 0:
            display.say(f"{run.positions} positions in {len(run.files)} files")
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
def harvest(
    *, folder: Path, make_rules: Callable[[], SelfPlayRules], run_all: JobRunner, minutes: float
) -> None:
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
    failures = (JobError, JournalError, GameFileError, OpeningSuiteError, WeightsError, OSError)
    sys.exit(exit_status(partial(_harvest, folder, rules, run_all, 60 * minutes), _say, *failures))


def _say(line: str) -> None:
    click.echo(f"{datetime.now(UTC):%Y-%m-%d %H:%M} {line}")


def _harvest(folder: Path, rules: SelfPlayRules, run_all: JobRunner, seconds: float) -> None:
    """Play generation after generation, without end."""
    while True:
        generation = _generation(folder, rules)
        elsewhere = sum(_kept_in(each) for each in folder.iterdir() if each != generation)
        with contextlib.closing(SelfPlay(generation, rules, None)) as run:
            _say(f"{generation.name}: {elsewhere + run.kept} positions to learn from so far")
            rules = _play_generation(generation, rules, run, run_all, seconds, elsewhere)


def _play_generation(
    generation: Path, rules: SelfPlayRules, run: SelfPlay, run_all: JobRunner, seconds: float, elsewhere: int
) -> SelfPlayRules:
    """Play games of one generation until there is a newer network; the rules with that."""
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


def _generation(folder: Path, rules: SelfPlayRules) -> Path:
    """The folder of the generation with these rules, or of a new one."""
    folder.mkdir(parents=True, exist_ok=True)
    before = sorted(path for path in folder.iterdir() if (path / JOURNAL).exists())
    wanted = json.loads(json.dumps(rules.identity()))
    for path in before:
        if description_in(path / JOURNAL) == wanted:
            return path
    last = max((int(path.name[:3]) for path in before if path.name[:3].isdecimal()), default=0)
    return folder / f"{last + 1:03}-{rules.evaluator.digest() or rules.evaluator.name}"


def _kept_in(folder: Path) -> int:
    """The positions to learn from in the shards of a folder."""
    return sum(int(description(path).get("kept", 0)) for path in folder.glob(f"*{SUFFIX}"))


_ENDINGS = [ending.value for ending in Ending]


@dataclass(slots=True)
class GameTally:
    """Counts by result (White's 1, 0, -1), by ending and by kind of opening; and what is damaged."""

    games: int = 0
    plies: int = 0
    kept: int = 0
    results: Counter[int] = field(default_factory=Counter)
    endings: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    damaged: list[str] = field(default_factory=list)

    def add(self, game: GameRecord, kind: str) -> None:
        """Count a game."""
        self.games += 1
        self.plies += len(game.plies)
        self.results[game.result] += 1
        self.endings[_ENDINGS[game.ending]] += 1
        self.kinds[kind] += 1

    def lose(self, path: Path, first: int, last: int) -> None:
        """Note damaged bytes of a file."""
        self.damaged.append(f"{path}: {last - first} bytes from byte {first} on are damaged")


def rows_of(folder: Path, *, prove: bool) -> tuple[list[tuple[str, str]], list[str]]:
    """The names and values of a table of statistics, and what is damaged, a line each.

    If `prove`, all games are replayed by the rules, and compared with the checksum of what was packed. Raises
    GameFileError and OSError.
    """
    tally = GameTally()
    descriptions = []
    for path in files([folder]):
        description, blocks = open_games(path.read_bytes(), str(path), partial(tally.lose, path))
        descriptions.append(description)
        for block, packed in blocks:
            unpacked = list(block.unpack(packed))
            if prove and zlib.crc32(b"".join(unpacked)) != block.checksum_unpacked:
                tally.damaged.append(f"{path}: the games at byte {block.first} are not as they were")
            tally.kept += block.kept
            for game in map(GameRecord.from_bytes, unpacked):
                if prove:
                    verify(game)
                tally.add(game, kind_of_opening(description, game.number))
    learned = ("positions to learn from", f"{tally.kept} ({100 * tally.kept / max(tally.plies, 1):.0f}%)")
    rows = [*_played(tally), learned, *_ended(tally), *_made(descriptions), *_begun(tally.kinds, tally.games)]
    return rows, tally.damaged


def pack_old_files(folder: Path) -> Iterator[str]:
    """Pack the files of version 1 in a folder; a line for each. Raises GameFileError and OSError."""
    for path in files([folder]):
        data = path.read_bytes()
        if "kept" in description(path):
            continue
        tally = GameTally()
        about, blocks = open_games(data, str(path), partial(tally.lose, path))
        games = [game for block, packed in blocks for game in block.unpack(packed)]
        if not games or tally.damaged:
            yield from tally.damaged or [f"{path}: no games"]
            yield f"{path}: not packed"
            continue
        games.sort(key=lambda game: GameRecord.from_bytes(game).number)
        write_shard(path, about, games)
        yield f"{path}: {len(games)} games, {len(data)} bytes became {path.stat().st_size}"


def _played(tally: GameTally) -> list[tuple[str, str]]:
    plies = f"{tally.plies} ({tally.plies / max(tally.games, 1):.1f} a game)"
    return [("games", f"{tally.games}"), ("plies", plies)]


def _ended(tally: GameTally) -> list[tuple[str, str]]:
    names = (("White won", 1), ("drawn", 0), ("Black won", -1))
    counts = [(name, tally.results[result]) for name, result in names] + tally.endings.most_common()
    return [(name, _share(count, tally.games)) for name, count in counts]


def _made(descriptions: Sequence[dict[str, Any]]) -> list[tuple[str, str]]:
    """How the games were made, by the headers of their files."""
    return [
        (key, ", ".join(sorted({str(description.get(key)) for description in descriptions})))
        for key in ("nodes", "seed", "weights", "commit")
    ]


def _begun(kinds: Counter[str], games: int) -> list[tuple[str, str]]:
    return [(f"from {kind}", _share(count, games)) for kind, count in kinds.most_common()]


def _share(count: int, games: int) -> str:
    return f"{count} ({100 * count / max(games, 1):.1f}%)"


def kind_of_opening(description: dict[str, Any], number: int) -> str:
    """From where game `number` of a run with this description began."""
    try:
        sources = [(str(digest), float(share)) for digest, _, _, share in description["openings"]]
        digest, _ = sources[chosen_source([share for _, share in sources], description["seed"], number)]
    except (KeyError, TypeError, ValueError, IndexError):
        return "unknown openings"
    return _names().get(digest, "a book")


@cache
def _names() -> dict[str, str]:
    """The names of suites of openings by their digests."""
    return {
        OpeningSuite.of_start_position().digest(): "the start position",
        OpeningSuite.of_named().digest(): "a named opening",
        OpeningSuite.of_chess960().digest(): "Chess960",
    }
