"""`scripts/lab tune`: from self-play to the weights of the linear evaluation, or to win probabilities."""

import shlex
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from math import log
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from engine.system.services import processors
from eval import weight_file
from eval.choice import owner
from eval.network_file import load_network, save_network
from eval.outcome import OutcomeModel
from eval.training import game_file, outcome_fit, positions, tuner
from eval.training.game_file import GameFileError
from eval.training.outcome_fit import FitError
from eval.training.tuner import MATERIAL, Epoch, TunerSettings, TuningError, rounded, zero_table
from eval.weight_file import Weights, WeightsError, has_features, save_outcome
from lolli.cli.shared_options import FiniteRange
from scripts.laboratory.jobs import FunctionWorker, JobError, JobRunner
from scripts.laboratory.lab_options import WIDE, amount_option, count_option, file_option, jobs_option
from scripts.laboratory.learning.evaluators import GivenEvaluator
from scripts.laboratory.learning.selfplay import JOURNAL
from scripts.laboratory.long_run import RunDisplay, description_in, exit_status

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
@file_option("--start", "File of weights to go on from; by default none, so that only material counts.")
@file_option("--out", "File of weights to write.", Path(weight_file.STANDARD))
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
    type=FiniteRange(0, 1, min_open=True, max_open=True),
    default=0.1,
    show_default=True,
    help="Share of the games that is used for validation.",
)
@jobs_option("--concurrency", "Processes that extract features.")
def tune(
    *,
    folders: tuple[Path, ...],
    outcomes: Path | None,
    other_weights: bool,
    start: Path | None,
    out: Path,
    mix: float,
    held_out: float,
    concurrency: int,
    **options: Any,
) -> None:
    """Learn the weights of the linear evaluation from FOLDERS that scripts/lab selfplay has filled.

    \b
    scripts/lab tune data/first
    scripts/lab tune data/first data/second --start eval/weights/linear.json
    scripts/lab tune data/second --outcomes eval/weights/network.lolli

    The features of the positions are extracted once and kept beside the games. Then the weights descend from
    --start, or from material alone, along the gradient of the loss. Those with the least loss in the
    validation games are written. The same data and settings give the same weights.
    """
    if outcomes is not None:
        fit_outcomes(folders, outcomes, other_weights=other_weights)
        return
    if other_weights:
        raise click.UsageError("--other-weights is for --outcomes")
    settings = TunerSettings(**options)
    try:
        first = _start(start)
        files = [game_file.files([folder]) for folder in folders]
    except (WeightsError, OSError) as error:
        raise click.UsageError(str(error)) from error
    for folder, found in zip(folders, files, strict=True):
        if not found:
            raise click.UsageError(f"{folder}: no games")
    sources = [(folder.resolve().name, description_in(folder / JOURNAL)) for folder in folders]
    every_file = [path for found in files for path in found]
    with RunDisplay("files", len(every_file), 0, _FILES_A_LINE) as display:

        def learn_and_write() -> None:
            with closing(JobRunner(concurrency)(partial(FunctionWorker, _extract), every_file)) as extracted:
                for done, _ in enumerate(extracted, start=1):
                    display.show(done, "files extracted")
            began = time.monotonic()

            def tell(epoch: Epoch) -> None:
                click.echo(
                    f"epoch {epoch.number:>3}/{settings.epochs}  training {epoch.training:.5f}  validation"
                    f" {epoch.validation:.5f}  75% at {log(3) / epoch.slope:.0f} cp"
                    f"  {time.monotonic() - began:.0f} s"
                )

            data = tuner.load(files, mix)
            learned, judgements = tuner.learn(
                data, sources, first, settings, tell, mix=mix, held_out=held_out
            )
            weight_file.save(out, learned)
            table = Table("weights", "75% at", "training", "validation", "results alone")
            for name, found in judgements.items():
                losses = (f"{loss:.5f}" for loss in (found.training, found.validation, found.outcome))
                table.add_row(name, f"{log(3) / found.slope:.0f} cp", *losses)
            display.console.print(table)
            words = shlex.join([*map(str, folders), "--outcomes", str(out), "--other-weights"])
            click.echo(f"{out}\nNext, fit the win probabilities: scripts/lab tune {words}")

        status = exit_status(learn_and_write, display.say, JobError, TuningError, GameFileError, OSError)
    sys.exit(status)


def _extract(path: Path) -> None:
    try:
        tuner.keep_features(path)
    except GameFileError as error:
        raise JobError(str(error)) from error
    except OSError as error:
        raise JobError(f"{error.filename or path}: {error.strerror or error}") from error


def _start(path: Path | None) -> tuple[str, Weights]:
    if path is None:
        return MATERIAL, rounded(zero_table())
    weights = weight_file.load(path)
    return f"{path.name} of {weights.about.get('made', 'an unknown date')}", weights


def fit_outcomes(folders: Sequence[Path], weights: Path, *, other_weights: bool) -> None:
    """Change only the model in the file. Games that other weights have played are refused by default."""
    try:
        if not other_weights:
            _check_players(folders, weights)
        sources = [(folder, game_file.SUFFIX) for folder in folders]
        with tempfile.TemporaryFile() as file:
            scratch = positions.Scratch(file)
            found = positions.load(sources, processors(), positions.NONE_HELD_OUT, scratch, say=click.echo)
            seen = outcome_fit.observe(scratch.read(0, found.size))
        model = outcome_fit.fit(seen)
        about = {
            "made": datetime.now(UTC).date().isoformat(),
            "data": [folder.resolve().name for folder in folders],
            "positions": int(seen.count.sum()),
            "loss": round(outcome_fit.loss(model, seen), 5),
        }
        _save_outcome(weights, model, about)
    except (FitError, GameFileError, positions.RecordsError, WeightsError, OSError) as error:
        raise click.UsageError(str(error)) from error
    even = ", ".join(f"{model.even(material):.0f} at material {material}" for material in (20, 40, 58, 78))
    click.echo(f"Centipawns at which a win has a probability of 50%: {even}")
    click.echo(f"{seen.count.sum()} positions, loss {outcome_fit.loss(model, seen):.4f}: {weights}")


def _check_players(folders: Sequence[Path], weights: Path) -> None:
    digest = None
    if weights.exists() and (owner(weights) == "network" or has_features(weights)):
        digest = GivenEvaluator.read(owner(weights), str(weights)).digest()
    for path in game_file.files(folders):
        described = game_file.description(path)
        if "weights" not in described:
            raise FitError(f"{path}: does not say whose weights played; --other-weights takes it")
        if described["weights"] != digest:
            raise FitError(f"{path}: other weights than {weights} played; --other-weights takes it")


def _save_outcome(path: Path, model: OutcomeModel, about: dict[str, Any]) -> None:
    if owner(path) != "network":
        save_outcome(path, model, about)
        return
    network = load_network(path)
    save_network(path, replace(network, outcome=model, about={**network.about, "outcome": about}))
