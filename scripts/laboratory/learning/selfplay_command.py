"""The command line of scripts/selfplay."""

from __future__ import annotations

import contextlib
import sys
import time
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from eval.learning.game_file import GameFileError, games, read_header
from eval.learning.game_stats import Stats, verify
from eval.learning.samples import files
from eval.learning.start import hand_set
from eval.weight_file import STANDARD, Weights, WeightsError, load
from scripts.laboratory.matches.book import OpeningSuite, OpeningSuiteError
from scripts.laboratory.matches.display import RunDisplay
from scripts.laboratory.matches.journal import JournalError
from scripts.laboratory.matches.slots import JobError
from scripts.laboratory.matches.terminal import INTERRUPTED, interrupt_on_sigterm

from .duelling import OPENINGS, concurrency_option
from .openings import OpeningSource
from .selfplay import SelfPlay, SelfPlayRules, SelfPlayTally

_FAILED = 2


@click.command(context_settings={"max_content_width": 110})
@click.option(
    "--out",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="Folder for the games; a run with the same settings goes on from there.",
)
@click.option("--games", "count", type=click.IntRange(1), help="Number of games in all.")
@click.option(
    "--nodes",
    type=click.IntRange(1),
    default=500,
    show_default=True,
    help="Soft limit of a search: no depth is begun after so many nodes.",
)
@click.option(
    "--eval",
    "evaluator",
    type=click.Choice(["linear", "material"]),
    default="linear",
    show_default=True,
    help="Evaluator of both sides.",
)
@click.option(
    "--weights",
    metavar="FILE|hand",
    default=STANDARD,
    help="Weights of --eval linear; `hand` for those set by hand; default: eval/weights/linear.json.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of the openings.")
@concurrency_option
@click.option(
    "--random-plies",
    type=(click.IntRange(0), click.IntRange(0)),
    default=(6, 9),
    show_default=True,
    help="Least and most random plies from the start position.",
)
@click.option(
    "--book-share",
    type=click.FloatRange(0, 1),
    default=0.15,
    show_default=True,
    help="Share of the games that begin with an opening of the book and up to 4 random plies.",
)
@click.option(
    "--chess960-share",
    type=click.FloatRange(0, 1),
    default=0.15,
    show_default=True,
    help="Share of the games that begin from a start position of Chess960 and 4 to 8 random plies.",
)
@click.option(
    "--openings",
    type=click.Path(dir_okay=False, path_type=Path),
    default=OPENINGS,
    help="Book: EPD, FEN or PGN; .gz, .xz, .bz2; default: scripts/laboratory/data/openings.epd.xz.",
)
@click.option(
    "--every",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="Without a terminal, print a line after so many games.",
)
@click.option("--stats", "wants_stats", is_flag=True, help="Play nothing: count what is in the folder.")
@click.option("--verify", "wants_proof", is_flag=True, help="Play nothing: replay every game by the rules.")
def selfplay(  # noqa: PLR0913, PLR0917 - an argument for each option
    folder: Path,
    count: int | None,
    nodes: int,
    evaluator: str,
    weights: str,
    seed: int,
    concurrency: int,
    random_plies: tuple[int, int],
    book_share: float,
    chess960_share: float,
    openings: Path,
    every: int,
    wants_stats: bool,
    wants_proof: bool,
) -> None:
    """Let Lolli play itself, and keep the games with the score of each search.

    \b
    scripts/lab selfplay --out data/first --games 200000
    scripts/lab selfplay --out data/first --stats

    The same settings make the same games whatever the number of processors. A run that was stopped or killed
    loses the games that were being played, and goes on when it is started again; --games may be changed.
    """
    if wants_stats or wants_proof:
        sys.exit(_look(folder, prove=wants_proof))
    if count is None:
        raise click.UsageError("missing option '--games'")
    try:
        book = OpeningSuite.read(openings, chess960=False)
        sources = (
            OpeningSource(
                OpeningSuite.of_start_position(), *random_plies, share=max(1 - book_share - chess960_share, 0)
            ),
            OpeningSource(book, 0, 4, share=book_share),
            OpeningSource(OpeningSuite.of_chess960(), 4, 8, share=chess960_share),
        )
        rules = SelfPlayRules(sources, _weights(weights) if evaluator == "linear" else None, nodes, seed)
        run = SelfPlay(folder, rules, count)
    except (OpeningSuiteError, WeightsError, JournalError, OSError) as error:
        raise click.UsageError(str(error)) from error
    with contextlib.closing(run):
        sys.exit(_play(run, count, concurrency, every))


def _weights(name: str) -> Weights:
    """Raises WeightsError."""
    return hand_set() if name == "hand" else load(Path(name))


def _play(run: SelfPlay, count: int, concurrency: int, every: int) -> int:
    """Play on, showing how it goes. The exit status."""
    interrupt_on_sigterm()
    tally = run.tally
    pace = SearchRate(tally)
    with RunDisplay("games", count, tally.games, every) as display:
        try:
            with contextlib.closing(run.play(concurrency)) as finished:
                for _ in finished:
                    display.show(tally.games, f"{results_line(tally)}  {pace}")
        except KeyboardInterrupt:
            return INTERRUPTED
        except (JobError, OSError) as error:
            display.say(f"This cannot go on: {error}")
            return _FAILED
        display.say(f"{tally.games} games, {tally.plies} plies; {endings_line(tally)}")
    return 0


def _look(folder: Path, *, prove: bool) -> int:
    """Print what the files of games in the folder hold. The exit status."""
    stats = Stats()
    try:
        for path in files([folder]):
            for game in games(path):
                if prove:
                    verify(game)
                stats.add(game)
            with path.open("rb") as file:
                stats.descriptions.append(read_header(file, str(path)))
    except (GameFileError, OSError) as error:
        click.echo(f"scripts/lab selfplay: {error}", err=True)
        return _FAILED
    table = Table(show_header=False, box=None)
    for name, value in stats.rows():
        table.add_row(name, value)
    Console().print(table)
    if prove:
        click.echo(f"{stats.games} games replayed: all moves legal, all results right")
    return 0


class SearchRate:
    """How fast searches are made, over the whole of this run."""

    def __init__(self, tally: SelfPlayTally) -> None:
        """Begin now."""
        self._tally = tally
        self._before = tally.plies
        self._started = time.monotonic()

    def __str__(self) -> str:
        elapsed = max(time.monotonic() - self._started, 1e-9)
        rate = (self._tally.plies - self._before) / elapsed
        return f"{self._tally.plies} plies, {rate:.0f}/s"


def results_line(tally: SelfPlayTally) -> str:
    """White's wins, draws and losses in per cent."""
    shares = (100 * tally.results[result] / max(tally.games, 1) for result in (1, 0, -1))
    return "White {:.0f}% draws {:.0f}% Black {:.0f}%".format(*shares)


def endings_line(tally: SelfPlayTally) -> str:
    """How the games ended, the most frequent first."""
    return ", ".join(f"{ending} {count}" for ending, count in tally.endings.most_common())
