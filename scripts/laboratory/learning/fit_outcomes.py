"""`scripts/lab fit-outcomes`: the win probabilities of a file of weights, fitted to games."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.table import Table

from eval.choice import owner
from eval.learning import game_file, outcome_fit, samples
from eval.learning.game_file import GameFileError
from eval.learning.outcome_fit import FitError, Integers, Observed
from eval.network_file import load_network, save_network
from eval.weight_file import STANDARD, WeightsError, has_features, save_outcome
from protocol.cli.terminal.console import PrintableConsole
from scripts.laboratory.lab_options import WIDE, file_option
from scripts.laboratory.learning.evaluators import GivenEvaluator

if TYPE_CHECKING:
    from eval.outcome import OutcomeModel


_VALUES = (-600, -400, -250, -150, -75, -25, 25, 75, 150, 250, 400, 600)
_MATERIALS = (25, 35, 45, 55, 65)


@click.command(context_settings=WIDE)
@click.argument(
    "folders", nargs=-1, required=True, metavar="DIR…", type=click.Path(exists=True, path_type=Path)
)
@file_option("--weights", "File of weights to update.", Path(STANDARD))
@click.option("--other-weights", is_flag=True, help="Fit to games that other weights have played, too.")
def fit_outcomes(folders: tuple[Path, ...], weights: Path, other_weights: bool) -> None:
    """Fit the probabilities of winning, drawing and losing to the games in DIR…

    \b
    scripts/lab fit-outcomes data/second
    scripts/lab fit-outcomes data/second --weights eval/weights/network.lolli
    scripts/lab fit-outcomes data/first --weights eval/weights/material.json

    The model predicts the results from the scores in the games, so games that other weights have played are
    refused; files of samples do not say whose they are. Only the model of the outcome is changed in the file.
    """
    try:
        if not other_weights:
            _check_players(folders, weights)
        seen = outcome_fit.observe(samples.read(folders))
        model = outcome_fit.fit(seen)
        _save(weights, model, _about(folders, seen, model))
    except (FitError, GameFileError, WeightsError, OSError) as error:
        raise click.UsageError(str(error)) from error
    console = PrintableConsole(width=None if PrintableConsole().is_terminal else 100)
    console.print(_table("by score, White's centipawns", model, seen, seen.value, _VALUES))
    console.print(_table("by material, both sides", model, seen, seen.material, _MATERIALS))
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


def _save(path: Path, model: OutcomeModel, about: dict[str, Any]) -> None:
    """Replace the model in a file of weights or of a network. Raises WeightsError and OSError."""
    if owner(path) != "network":
        save_outcome(path, model, about)
        return
    network = load_network(path)
    save_network(path, replace(network, outcome=model, about={**network.about, "outcome": about}))


def _about(folders: tuple[Path, ...], seen: Observed, model: OutcomeModel) -> dict[str, Any]:
    """The record in the file of how the model was made."""
    return {
        "made": datetime.now(UTC).date().isoformat(),
        "data": [folder.resolve().name for folder in folders],
        "positions": int(seen.count.sum()),
        "loss": round(outcome_fit.loss(model, seen), 5),
    }


def _table(title: str, model: OutcomeModel, seen: Observed, by: Integers, edges: tuple[int, ...]) -> Table:
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
