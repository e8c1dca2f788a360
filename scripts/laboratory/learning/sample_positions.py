"""`scripts/lab sample-positions`."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scripts.laboratory.job_options import job_options
from scripts.laboratory.jobs import JobError
from scripts.laboratory.lab_options import WIDE, count_option, every_option
from scripts.laboratory.learning.sampling import Sampling, SamplingRules
from scripts.laboratory.learning.selfplay_options import selfplay_options
from scripts.laboratory.long_run import JournalError, RunDisplay, exit_status
from scripts.laboratory.openings import OpeningSuiteError

if TYPE_CHECKING:
    from collections.abc import Callable

    from scripts.laboratory.job_options import JobRunner
    from scripts.laboratory.learning.selfplay_games import SelfPlayRules


@click.command("sample-positions", context_settings=WIDE)
@click.option(
    "--out",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="Folder for the records; a run with the same settings resumes there.",
)
@count_option("--positions", None, "Least number of positions in all.")
@count_option("--one-in", 8, "Sample about one in N of the positions that are evaluated.", most=1 << 20)
@count_option(
    "--teacher-nodes",
    0,
    "Label each position by a search with this soft limit of nodes; 0: by its static value.",
    least=0,
)
@selfplay_options
@job_options
@every_option(1_000_000, "positions")
def sample_positions(
    *,
    folder: Path,
    positions: int | None,
    one_in: int,
    teacher_nodes: int,
    make_rules: Callable[[], SelfPlayRules],
    run_all: JobRunner,
    every: int,
) -> None:
    """Sample the positions that searches evaluate in games of Lolli against itself.

    \b
    scripts/lab sample-positions --out data/asked --positions 25000000 --eval linear
    scripts/lab sample-positions --out data/taught --positions 8000000 --one-in 20 --teacher-nodes 200

    Most of them no one would play; an evaluation has to judge them all the same. Positions in check are left
    out, and those that are worth 2500 centipawns or more; with --teacher-nodes also those in which the best
    move is not quiet. The files have training records of 32 bytes.

    The same settings make the same files, whatever the number of processors. A run that was stopped or killed
    loses the files in progress, and those that wait for an earlier one; it resumes with the same command, and
    --positions may be changed.
    """
    if positions is None:
        raise click.UsageError("missing option '--positions'")
    try:
        run = Sampling(folder, SamplingRules(make_rules(), one_in, teacher_nodes), positions)
    except (OpeningSuiteError, JournalError, OSError) as error:
        raise click.UsageError(str(error)) from error
    with contextlib.closing(run):
        sys.exit(_sample(run, positions, run_all, every))


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
