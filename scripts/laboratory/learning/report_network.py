"""`scripts/lab report-network`: the page about a value network."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.system import processors
from eval import network_file, weight_file
from eval.learning import corpus, game_file, network_report
from eval.network_file import load_network
from eval.weight_file import WeightsError, load
from scripts.laboratory.lab_options import ROOT, WIDE, file_option
from scripts.laboratory.long_run import FAILED

if TYPE_CHECKING:
    from collections.abc import Sequence

REPORT = ROOT / "docs" / "learning" / "network"

_FILES = 8  # of a folder: enough games to look at


def write_report(network: Path, folders: Sequence[Path], out: Path) -> Path:
    """Write the page about the network in a file, with games of these folders; the page's path.

    Raises ValueError where a file cannot be used, and OSError.
    """
    weights = load_network(network)
    settings = weights.about.get("settings", {}).get("games")
    if settings is None:
        raise WeightsError(f"{network}: does not say how it learned from games")
    files = [file for folder in folders for file in _some(folder)]
    found = corpus.load([(file, game_file.SUFFIX) for file in files], processors(), lambda _: None)
    linear = load(Path(weight_file.STANDARD))
    report = network_report.examine(weights, linear, found, settings["held_out"])
    return network_report.write(out, weights, report)


def _some(folder: Path) -> list[Path]:
    """A few files of games in a folder, or the file itself."""
    files = sorted(folder.glob(f"*{game_file.SUFFIX}")) if folder.is_dir() else [folder]
    return files[:: max(1, len(files) // _FILES)][:_FILES]


@click.command("report-network", context_settings=WIDE)
@click.argument(
    "folders",
    nargs=-1,
    required=True,
    metavar="GAMES_FOLDER...",
    type=click.Path(exists=True, path_type=Path),
)
@file_option("--network", "Network to report on.", Path(network_file.STANDARD))
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=REPORT,
    help="Folder for report.md and its pictures; default: docs/learning/network.",
)
def report_network(folders: tuple[Path, ...], network: Path, out: Path) -> None:
    """Write the page about a network: how it learned, what men are worth to it, what its units look for.

    \b
    scripts/lab report-network data/first --network first.lolli --out data/page

    It also lists the positions where the network and `linear` disagree most, from the games in GAMES_FOLDER
    that were not trained on. Networks of scripts/lab learn-policy have scripts/lab report-policy.
    """
    try:
        click.echo(str(write_report(network, folders, out)))
    except (ValueError, OSError) as error:
        click.echo(f"Cannot report: {error}")
        sys.exit(FAILED)
