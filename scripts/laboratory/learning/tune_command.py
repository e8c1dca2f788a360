"""The command line of scripts/tune."""

from __future__ import annotations

import sys
import time
from math import log
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.table import Table

from engine.system import processors
from eval import weight_file
from eval.learning import extraction, report
from eval.learning.start import hand_set
from eval.learning.tuner import TunerSettings
from protocol.cli.terminal.console import PrintableConsole
from scripts.laboratory.matches.display import RunDisplay
from scripts.laboratory.matches.terminal import INTERRUPTED, interrupt_on_sigterm

from .tuning import HAND, TuningError, TuningPlan, files_of, learn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eval.learning.loss import Judgement
    from eval.learning.tuner import Epoch
    from eval.weight_file import Weights

_ROOT = Path(__file__).parents[3]
_FAILED = 2
_FILES_A_LINE = 20
_DEFAULTS = TunerSettings()


@click.command(context_settings={"max_content_width": 110})
@click.argument(
    "folders", nargs=-1, required=True, type=click.Path(exists=True, file_okay=False, path_type=Path)
)
@click.option("--start", default="hand", show_default=True, help="A file of weights, or `hand`.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path(weight_file.STANDARD),
    help="The file of weights to write; eval/weights/linear.json by default.",
)
@click.option(
    "--report",
    "page",
    type=click.Path(file_okay=False, path_type=Path),
    default=_ROOT / "docs" / "learning",
    help="The folder for report.md and its pictures; docs/learning by default.",
)
@click.option(
    "--epochs", type=click.IntRange(1), default=_DEFAULTS.epochs, show_default=True, help="At most."
)
@click.option(
    "--seed", type=click.IntRange(0), default=_DEFAULTS.seed, show_default=True, help="Of order and split."
)
@click.option(
    "--mix",
    type=click.FloatRange(0, 1),
    default=0.4,
    show_default=True,
    help="How much the game's result counts; the rest is the search's score.",
)
@click.option(
    "--rate",
    type=click.FloatRange(0, min_open=True),
    default=_DEFAULTS.rate,
    show_default=True,
    help="Centipawns a step, at first.",
)
@click.option(
    "--prior",
    type=click.FloatRange(0, min_open=True),
    default=_DEFAULTS.prior,
    show_default=True,
    help="Centipawns that a weight is expected to move; less, 20 say, for less than 5000 games.",
)
@click.option(
    "--held-out",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.1,
    show_default=True,
    help="The share of games that only judge.",
)
@click.option(
    "--concurrency",
    type=click.IntRange(1),
    default=processors(),
    show_default="all processors",
    help="Processes that count features.",
)
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

    What the positions count is kept beside the samples, so that it is taken once. Then the weights descend
    from --start on the loss of their chances against those of the games; what is written are the weights with
    the least loss in games that were held out. The same data and settings give the same weights.
    """
    settings = TunerSettings(epochs=epochs, rate=rate, prior=prior, seed=seed)
    try:
        weights, origin = _start(start)
        files = files_of(folders)
    except (weight_file.WeightsError, TuningError, OSError) as error:
        raise click.UsageError(str(error)) from error
    interrupt_on_sigterm()
    try:
        _count([path for paths in files for path in paths], concurrency)
        learned, told = learn(
            folders, files, TuningPlan(weights, origin, mix, held_out, settings), Lines(epochs)
        )
        weight_file.save(out, learned)
        report.write(page, told)
    except KeyboardInterrupt:
        click.echo("interrupted", err=True)
        sys.exit(INTERRUPTED)
    except (TuningError, extraction.ExtractionError, OSError) as error:
        click.echo(f"This cannot go on: {error}", err=True)
        sys.exit(_FAILED)
    PrintableConsole().print(_judgements(told.judgements))
    click.echo(
        f"{out}\n{page / 'report.md'}\nscripts/lab fit-outcomes tells what a score of the new weights means."
    )


class Lines:
    """A line for each epoch."""

    def __init__(self, epochs: int) -> None:
        """Begin now, with so many to come."""
        self._epochs = epochs
        self._started = time.monotonic()

    def __call__(self, epoch: Epoch) -> None:
        """Print how things stand."""
        elapsed = time.monotonic() - self._started
        click.echo(
            f"epoch {epoch.number:>3}/{self._epochs}  training {epoch.training:.5f}  validation "
            f"{epoch.validation:.5f}  75% at {log(3) / epoch.slope:.0f} cp  {elapsed:.0f} s"
        )


def _start(name: str) -> tuple[Weights, str]:
    """The weights to begin with, and what they are called. Raises WeightsError."""
    if name == "hand":
        return hand_set(), HAND
    weights = weight_file.load(Path(name))
    return weights, f"{Path(name).name} of {weights.about.get('made', 'an unknown date')}"


def _count(paths: Sequence[Path], concurrency: int) -> None:
    """Have the features of all samples counted, showing how it goes."""
    with RunDisplay("files", len(paths), 0, _FILES_A_LINE) as display:
        for done, _ in enumerate(extraction.prepare(paths, concurrency), start=1):
            display.show(done, "files counted")


def _judgements(judgements: Sequence[Judgement]) -> Table:
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
