"""The command line of scripts/fit_outcomes."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.table import Table

from eval.learning import fit_outcomes, samples
from eval.learning.fit_outcomes import FitError, Integers, Observed
from eval.weight_file import STANDARD, WeightsError, save_outcome
from protocol.cli.terminal.console import PrintableConsole

if TYPE_CHECKING:
    from eval.outcome import OutcomeModel

_VALUES = (-600, -400, -250, -150, -75, -25, 25, 75, 150, 250, 400, 600)
_MATERIALS = (25, 35, 45, 55, 65)


@click.command(context_settings={"max_content_width": 110})
@click.argument(
    "folders", nargs=-1, required=True, metavar="DIR…", type=click.Path(exists=True, path_type=Path)
)
@click.option(
    "--weights",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path(STANDARD),
    help="Where the model goes; eval/weights/linear.json by default.",
)
def fit(folders: tuple[Path, ...], weights: Path) -> None:
    """Fit the chances to win, draw and lose to the games in DIR…, and write them to a file of weights.

    \b
    scripts/lab fit-outcomes data/second
    scripts/lab fit-outcomes data/first --weights eval/weights/material.json

    The scores in the games are what is fitted: they should be those of the evaluation that the file is for.
    Nothing but the model of the outcome is changed in the file.
    """
    try:
        seen = fit_outcomes.observe(samples.read(folders))
        model = fit_outcomes.fit(seen)
        save_outcome(weights, model, _about(folders, seen, model))
    except (FitError, WeightsError, OSError) as error:
        raise click.UsageError(str(error)) from error
    console = PrintableConsole(width=None if PrintableConsole().is_terminal else 100)
    console.print(_table("by score, White's centipawns", model, seen, seen.value, _VALUES))
    console.print(_table("by material, both sides", model, seen, seen.material, _MATERIALS))
    even = ", ".join(f"{model.even(material):.0f} at material {material}" for material in (20, 40, 58, 78))
    click.echo(f"An even chance to win, in centipawns: {even}")
    click.echo(f"{seen.count.sum()} positions, loss {fit_outcomes.loss(model, seen):.4f}: {weights}")


def _about(folders: tuple[Path, ...], seen: Observed, model: OutcomeModel) -> dict[str, Any]:
    """How the model was made."""
    return {
        "made": datetime.now(UTC).date().isoformat(),
        "data": [folder.resolve().name for folder in folders],
        "positions": int(seen.count.sum()),
        "loss": round(fit_outcomes.loss(model, seen), 5),
    }


def _table(title: str, model: OutcomeModel, seen: Observed, by: Integers, edges: tuple[int, ...]) -> Table:
    """Predicted and observed rates, band by band."""
    table = Table(title=f"White's wins, draws, losses {title}")
    for heading in ("", "positions", "predicted", "observed"):
        table.add_column(heading, justify="right")
    for name, part in [*fit_outcomes.bands(seen, by, edges), ("all", seen)]:
        rates = fit_outcomes.rates(model, part)
        table.add_row(name, str(rates.count), _percent(rates.predicted), _percent(rates.seen))
    return table


def _percent(shares: tuple[float, float, float]) -> str:
    return "  ".join(f"{100 * share:5.1f}%" for share in shares)
