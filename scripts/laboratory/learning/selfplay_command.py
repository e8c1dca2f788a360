"""`scripts/lab selfplay`."""

from __future__ import annotations

import contextlib
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.table import Table

from eval.learning.game_file import GameFileError
from scripts.laboratory.job_options import job_options
from scripts.laboratory.jobs import JobError
from scripts.laboratory.lab_options import WIDE, count_option, every_option
from scripts.laboratory.learning.selfplay_games import SelfPlay
from scripts.laboratory.learning.selfplay_options import selfplay_options
from scripts.laboratory.learning.selfplay_stats import pack_old_files, rows_of
from scripts.laboratory.long_run import FAILED, JournalError, RunDisplay, exit_status
from scripts.laboratory.openings import OpeningSuiteError

if TYPE_CHECKING:
    from collections.abc import Callable

    from scripts.laboratory.job_options import JobRunner
    from scripts.laboratory.learning.selfplay_games import SelfPlayRules


@click.command(context_settings=WIDE)
@click.option(
    "--out",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="Folder for the games; a run with the same settings resumes there.",
)
@count_option("--games", None, "Number of games in all.", to="count")
@selfplay_options
@job_options
@every_option(1000)
@click.option("--stats", "wants_stats", is_flag=True, help="Play nothing: count the games in the folder.")
@click.option("--verify", "wants_proof", is_flag=True, help="Play nothing: replay all games by the rules.")
@click.option("--pack", "wants_packing", is_flag=True, help="Play nothing: pack the files of older versions.")
def selfplay(
    *,
    folder: Path,
    count: int | None,
    make_rules: Callable[[], SelfPlayRules],
    run_all: JobRunner,
    every: int,
    wants_stats: bool,
    wants_proof: bool,
    wants_packing: bool,
) -> None:
    """Play games of Lolli against itself, and keep them with the score of each search.

    \b
    scripts/lab selfplay --out data/first --games 200000
    scripts/lab selfplay --out data/first --stats

    The same settings make the same games, whatever the number of processors. A run that was stopped or killed
    loses the games in progress, and resumes with the same command; --games may be changed. The games are
    packed in shards of 16 MB, at about a byte a ply; each says by which commit they were played.

    This is for chess; Connect Four, Go and Othello have scripts/lab learn-policy.
    """
    if wants_packing:
        sys.exit(_pack(folder))
    if wants_stats or wants_proof:
        sys.exit(_look(folder, prove=wants_proof))
    if count is None:
        raise click.UsageError("missing option '--games'")
    try:
        run = SelfPlay(folder, make_rules(), count)
    except (OpeningSuiteError, JournalError, GameFileError, OSError) as error:
        raise click.UsageError(str(error)) from error
    with contextlib.closing(run):
        sys.exit(_play(run, count, run_all, every))


def _play(run: SelfPlay, count: int, run_all: JobRunner, every: int) -> int:
    """Play the remaining games and show the progress. The exit status."""
    rate = SearchRate(run)
    with RunDisplay("games", count, run.games, every) as display:

        def play() -> None:
            with contextlib.closing(run.play(run_all)) as finished:
                for _ in finished:
                    display.show(run.games, str(rate))

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


class SearchRate:
    """The plies and the positions to learn from of a run, and its searches per second."""

    def __init__(self, run: SelfPlay) -> None:
        """Start the clock."""
        self._run = run
        self._before = run.plies
        self._started = time.monotonic()

    def __str__(self) -> str:
        elapsed = max(time.monotonic() - self._started, 1e-9)
        rate = (self._run.plies - self._before) / elapsed
        return f"{self._run.plies} plies, {self._run.kept} to learn from, {rate:.0f} plies/s"
