"""`scripts/lab harvest`: self-play behind all other work, generation after generation."""

from __future__ import annotations

import contextlib
import json
import sys
import time
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from eval.learning.game_file import SUFFIX, GameFileError, description
from eval.weight_file import WeightsError
from scripts.laboratory.job_options import job_options
from scripts.laboratory.jobs import JobError
from scripts.laboratory.lab_options import WIDE, amount_option
from scripts.laboratory.learning.selfplay_games import JOURNAL, SelfPlay, SelfPlayWorker
from scripts.laboratory.learning.selfplay_options import selfplay_options
from scripts.laboratory.long_run import JournalError, description_in, exit_status
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
    sys.exit(exit_status(partial(_play_on, folder, rules, run_all, 60 * minutes), _say, *failures))


def _say(line: str) -> None:
    click.echo(f"{datetime.now(UTC):%Y-%m-%d %H:%M} {line}")


def _play_on(folder: Path, rules: SelfPlayRules, run_all: JobRunner, seconds: float) -> None:
    """Play generation after generation, without end."""
    while True:
        generation = _generation(folder, rules)
        elsewhere = sum(_kept(each) for each in folder.iterdir() if each != generation)
        with contextlib.closing(SelfPlay(generation, rules, None)) as run:
            _say(f"{generation.name}: {elsewhere + run.kept} positions to learn from so far")
            rules = _play(generation, rules, run, run_all, seconds, elsewhere)


def _play(
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


def _kept(folder: Path) -> int:
    """The positions to learn from in the shards of a folder."""
    return sum(int(description(path).get("kept", 0)) for path in folder.glob(f"*{SUFFIX}"))
