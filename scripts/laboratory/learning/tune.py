"""`scripts/lab tune`: from folders of self-play to the weights of the linear evaluation and a report."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from math import log
from pathlib import Path
from typing import TYPE_CHECKING

import click
import numpy as np
from rich.table import Table

from eval import weight_file
from eval.learning import dataset, samples, tuning_report
from eval.learning.start import hand_set
from eval.learning.tuner import (
    Epoch,
    Examples,
    Judgement,
    Tuner,
    TunerSettings,
    judge,
    least_loss,
    rounded,
    table_of,
    targets_of,
    zero_table,
)
from eval.learning.tuning_report import Source, TuningReport
from scripts.laboratory.lab_options import ROOT, WIDE, amount_option, count_option, file_option, jobs_option
from scripts.laboratory.long_run import RunDisplay, description_in, exit_status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eval.weight_file import Weights


HAND = "set by hand"
"""The name of the weights of eval/learning/start.py."""

_JOURNAL = "selfplay.jsonl"


class TuningError(ValueError):
    """The games cannot be learned from. The message says why."""


@dataclass(frozen=True, slots=True)
class TuningPlan:
    """How to learn: from the weights `start`, whose name is `origin`.

    `mix` is the share of the game's result in the targets, `held_out` the share of games for validation.
    """

    start: Weights
    origin: str
    mix: float
    held_out: float
    settings: TunerSettings


def files_of(folders: Sequence[Path]) -> list[list[Path]]:
    """The files of games or samples in each folder. Raises TuningError if there are none."""
    found = [samples.files([folder]) for folder in folders]
    for folder, files in zip(folders, found, strict=True):
        if not files:
            raise TuningError(f"{folder}: no games or samples")
    return found


def learn(
    folders: Sequence[Path],
    files: Sequence[Sequence[Path]],
    plan: TuningPlan,
    tell: Callable[[Epoch], object],
) -> tuple[Weights, TuningReport]:
    """Learn from files whose features have been extracted, and call `tell` after each epoch.

    Raises TuningError and OSError.
    """
    data = dataset.load(files)
    sources = [_source(folder, number, data) for number, folder in enumerate(folders)]
    training, validation = _examples(data, plan)
    del data
    before = table_of(plan.start)
    tuner = Tuner(training, validation, before, plan.settings)
    epochs = []
    for epoch in tuner.epochs():
        tell(epoch)
        epochs.append(epoch)
    learned = rounded(tuner.best)
    report = TuningReport(
        made=datetime.now(UTC).date().isoformat(),
        start=plan.origin,
        mix=plan.mix,
        settings=plan.settings,
        sources=sources,
        training=len(training.data),
        validation=len(validation.data),
        held_out=plan.held_out,
        epochs=epochs,
        judgements=_judgements(training, validation, plan, learned),
        least=least_loss(validation.targets),
        before=before,
        learned=table_of(learned),
        uses=training.data.uses(),
    )
    return replace(learned, outcome=plan.start.outcome, about=report.about()), report


def _examples(data: dataset.Dataset, plan: TuningPlan) -> tuple[Examples, Examples]:
    training, validation = dataset.split(data, plan.held_out, plan.settings.seed)
    if not len(training) or not len(validation):
        raise TuningError("too few games for training and validation")
    examples = Examples(data, targets_of(data, plan.mix))
    return examples.take(training), examples.take(validation)


def _judgements(
    training: Examples, validation: Examples, plan: TuningPlan, learned: Weights
) -> list[Judgement]:
    tables = {"material": zero_table(), HAND: table_of(hand_set())}
    if plan.origin != HAND:
        tables[f"before: {plan.origin}"] = table_of(plan.start)
    tables["learned"] = table_of(learned)
    return [judge(name, table, training, validation) for name, table in tables.items()]


def _source(folder: Path, number: int, data: dataset.Dataset) -> Source:
    of_folder = data.source == number
    games = len(np.unique(data.game[of_folder]))
    return Source(folder.resolve().name, games, int(of_folder.sum()), description_in(folder / _JOURNAL))


_FILES_A_LINE = 20
_DEFAULTS = TunerSettings()


@click.command(context_settings=WIDE)
@click.argument(
    "folders", nargs=-1, required=True, type=click.Path(exists=True, file_okay=False, path_type=Path)
)
@click.option("--start", default="hand", show_default=True, help="File of weights, or `hand`.")
@file_option("--out", "File of weights to write.", Path(weight_file.STANDARD))
@click.option(
    "--report",
    "page",
    type=click.Path(file_okay=False, path_type=Path),
    default=ROOT / "docs" / "learning",
    help="Folder for report.md and its pictures; default: docs/learning.",
)
@count_option("--epochs", _DEFAULTS.epochs, "Number of epochs at most.")
@count_option("--seed", _DEFAULTS.seed, "Seed of the order and the split of the games.", least=0)
@amount_option("--mix", 0.4, "Share of the game's result in the target; the rest is the score.", most=1)
@amount_option("--rate", _DEFAULTS.rate, "First learning rate, in centipawns a step.", above_least=True)
@amount_option(
    "--prior",
    _DEFAULTS.prior,
    "Expected change of a weight, in centipawns; use about 20 for less than 5000 games.",
    above_least=True,
)
@click.option(
    "--held-out",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.1,
    show_default=True,
    help="Share of the games that is used for validation.",
)
@jobs_option("--concurrency", "Processes that extract features.")
def tune(  # noqa: PLR0913, PLR0917 - an argument for each option
    folders: tuple[Path, ...],
    start: str,
    out: Path,
    page: Path,
    epochs: int,
    seed: int,
    mix: float,
    rate: float,
    prior: float,
    held_out: float,
    concurrency: int,
) -> None:
    """Learn the weights of the linear evaluation from FOLDERS that scripts/lab selfplay has filled.

    \b
    scripts/lab tune data/first
    scripts/lab tune data/first data/second --start eval/weights/linear.json

    The features of the positions are extracted once and kept beside the games. Then the weights descend from
    --start along the gradient of the loss. Those with the least loss in the validation games are written. The
    same data and settings give the same weights.
    """
    settings = TunerSettings(epochs=epochs, rate=rate, prior=prior, seed=seed)
    try:
        weights, origin = _start(start)
        files = files_of(folders)
    except (weight_file.WeightsError, TuningError, OSError) as error:
        raise click.UsageError(str(error)) from error
    every_file = [path for paths in files for path in paths]
    with RunDisplay("files", len(every_file), 0, _FILES_A_LINE) as display:

        def learn_and_write() -> None:
            for done, _ in enumerate(dataset.prepare(every_file, concurrency), start=1):
                display.show(done, "files extracted")
            plan = TuningPlan(weights, origin, mix, held_out, settings)
            learned, about = learn(folders, files, plan, EpochLines(epochs))
            weight_file.save(out, learned)
            tuning_report.write(page, about)
            display.console.print(_judgement_table(about.judgements))
            click.echo(
                f"{out}\n{page / 'report.md'}\nNext, fit the win probabilities: scripts/lab fit-outcomes"
            )

        status = exit_status(learn_and_write, display.say, TuningError, dataset.ExtractionError, OSError)
    sys.exit(status)


class EpochLines:
    """Prints a line for each epoch."""

    def __init__(self, epochs: int) -> None:
        """Start the clock; there are `epochs` epochs at most."""
        self._epochs = epochs
        self._started = time.monotonic()

    def __call__(self, epoch: Epoch) -> None:
        """Print the losses after an epoch."""
        elapsed = time.monotonic() - self._started
        click.echo(
            f"epoch {epoch.number:>3}/{self._epochs}  training {epoch.training:.5f}  validation "
            f"{epoch.validation:.5f}  75% at {log(3) / epoch.slope:.0f} cp  {elapsed:.0f} s"
        )


def _start(name: str) -> tuple[Weights, str]:
    """The weights from which to start, and their name. Raises WeightsError."""
    if name == "hand":
        return hand_set(), HAND
    weights = weight_file.load(Path(name))
    return weights, f"{Path(name).name} of {weights.about.get('made', 'an unknown date')}"


def _judgement_table(judgements: Sequence[Judgement]) -> Table:
    table = Table("weights", "75% at", "training", "validation", "results alone")
    for judgement in judgements:
        table.add_row(
            judgement.name,
            f"{log(3) / judgement.slope:.0f} cp",
            f"{judgement.training:.5f}",
            f"{judgement.validation:.5f}",
            f"{judgement.outcome:.5f}",
        )
    return table
