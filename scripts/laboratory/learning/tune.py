"""`scripts/lab tune`: from self-play to the weights of the linear evaluation, or to win probabilities."""

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from math import log
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich.table import Table

from eval import weight_file
from eval.choice import owner
from eval.network_file import load_network, save_network
from eval.outcome import OutcomeModel
from eval.training import dataset, game_file, outcome_fit, samples, tuning_report
from eval.training.game_file import GameFileError
from eval.training.outcome_fit import FitError, Integers, Observed
from eval.training.start import hand_set
from eval.training.tuner import (
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
from eval.training.tuning_report import Source, TuningReport
from eval.weight_file import Weights, WeightsError, has_features, save_outcome
from lolli.cli.terminal.screen import PrintableConsole
from scripts.laboratory.lab_options import ROOT, WIDE, amount_option, count_option, file_option, jobs_option
from scripts.laboratory.learning.evaluators import GivenEvaluator
from scripts.laboratory.long_run import RunDisplay, description_in, exit_status

HAND = "set by hand"
"""The name of the weights of eval/training/start.py."""

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
@click.argument("folders", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@file_option(
    "--outcomes", "Learn no weights: fit the win probabilities in this file of weights to the games."
)
@click.option(
    "--other-weights", is_flag=True, help="With --outcomes: also fit to games that other weights have played."
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
    outcomes: Path | None,
    other_weights: bool,
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
    scripts/lab tune data/second --outcomes eval/weights/network.lolli

    The features of the positions are extracted once and kept beside the games. Then the weights descend from
    --start along the gradient of the loss. Those with the least loss in the validation games are written. The
    same data and settings give the same weights.
    """
    if outcomes is not None:
        fit_outcomes(folders, outcomes, other_weights=other_weights)
        return
    if other_weights:
        raise click.UsageError("--other-weights is for --outcomes")
    settings = TunerSettings(epochs=epochs, rate=rate, prior=prior, seed=seed)
    try:
        weights, origin = _start(start)
        files = files_of(folders)
    except (WeightsError, TuningError, OSError) as error:
        raise click.UsageError(str(error)) from error
    every_file = [path for paths in files for path in paths]
    with RunDisplay("files", len(every_file), 0, _FILES_A_LINE) as display:

        def learn_and_write() -> None:
            for done, _ in enumerate(dataset.prepare(every_file, concurrency), start=1):
                display.show(done, "files extracted")
            plan = TuningPlan(weights, origin, mix, held_out, settings)
            began = time.monotonic()
            learned, about = learn(folders, files, plan, partial(_tell, epochs, began))
            weight_file.save(out, learned)
            tuning_report.write(page, about)
            display.console.print(_judgement_table(about.judgements))
            click.echo(
                f"{out}\n{page / 'report.md'}\nNext, fit the win probabilities: scripts/lab tune --outcomes"
            )

        status = exit_status(learn_and_write, display.say, TuningError, dataset.ExtractionError, OSError)
    sys.exit(status)


def _tell(epochs: int, began: float, epoch: Epoch) -> None:
    """Print the losses after an epoch."""
    click.echo(
        f"epoch {epoch.number:>3}/{epochs}  training {epoch.training:.5f}  validation {epoch.validation:.5f}"
        f"  75% at {log(3) / epoch.slope:.0f} cp  {time.monotonic() - began:.0f} s"
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


_VALUES = (-600, -400, -250, -150, -75, -25, 25, 75, 150, 250, 400, 600)
_MATERIALS = (25, 35, 45, 55, 65)


def fit_outcomes(folders: tuple[Path, ...], weights: Path, *, other_weights: bool) -> None:
    """Fit the model of the outcome in a file to the scores and results of games; only that is changed.

    Games that other weights have played are refused, unless `other_weights`; files of samples do not say
    whose they are. Raises UsageError.
    """
    try:
        if not other_weights:
            _check_players(folders, weights)
        seen = outcome_fit.observe(samples.read(folders))
        model = outcome_fit.fit(seen)
        _save_outcome(weights, model, _about_fit(folders, seen, model))
    except (FitError, GameFileError, WeightsError, OSError) as error:
        raise click.UsageError(str(error)) from error
    console = PrintableConsole(width=None if PrintableConsole().is_terminal else 100)
    console.print(_rates_table("by score, White's centipawns", model, seen, seen.value, _VALUES))
    console.print(_rates_table("by material, both sides", model, seen, seen.material, _MATERIALS))
    even = ", ".join(f"{model.even(material):.0f} at material {material}" for material in (20, 40, 58, 78))
    click.echo(f"Centipawns at which a win has a probability of 50%: {even}")
    click.echo(f"{seen.count.sum()} positions, loss {outcome_fit.loss(model, seen):.4f}: {weights}")


def _check_players(folders: tuple[Path, ...], weights: Path) -> None:
    """Raise FitError where a file of games names other weights than these."""
    digest = None
    if weights.exists() and (owner(weights) == "network" or has_features(weights)):
        digest = GivenEvaluator.read(owner(weights), str(weights)).digest()
    for path in samples.files(folders):
        if path.suffix != game_file.SUFFIX:
            continue
        described = game_file.description(path)
        if "weights" not in described:
            raise FitError(f"{path}: does not say whose weights played; --other-weights takes it")
        if described["weights"] != digest:
            raise FitError(f"{path}: other weights than {weights} played; --other-weights takes it")


def _save_outcome(path: Path, model: OutcomeModel, about: dict[str, Any]) -> None:
    """Replace the model in a file of weights or of a network. Raises WeightsError and OSError."""
    if owner(path) != "network":
        save_outcome(path, model, about)
        return
    network = load_network(path)
    save_network(path, replace(network, outcome=model, about={**network.about, "outcome": about}))


def _about_fit(folders: tuple[Path, ...], seen: Observed, model: OutcomeModel) -> dict[str, Any]:
    """The record in the file of how the model was made."""
    return {
        "made": datetime.now(UTC).date().isoformat(),
        "data": [folder.resolve().name for folder in folders],
        "positions": int(seen.count.sum()),
        "loss": round(outcome_fit.loss(model, seen), 5),
    }


def _rates_table(
    title: str, model: OutcomeModel, seen: Observed, by: Integers, edges: tuple[int, ...]
) -> Table:
    """A table of predicted and observed rates, for each band of `by`."""
    table = Table(title=f"White's wins, draws, losses {title}")
    for heading in ("", "positions", "predicted", "observed"):
        table.add_column(heading, justify="right")
    for name, part in [*outcome_fit.bands(seen, by, edges), ("all", seen)]:
        rates = outcome_fit.rates(model, part)
        table.add_row(name, str(rates.count), _percent(rates.predicted), _percent(rates.seen))
    return table


def _percent(shares: tuple[float, float, float]) -> str:
    return "  ".join(f"{100 * share:5.1f}%" for share in shares)
