"""`scripts/lab average-networks`: the mean of value networks that went on from the same one.

Networks that learned from other games, or at other rates, from the same start are near each other, and their
mean judges better than most of them (M. Wortsman et al., "Model soups", 2022).
"""

from __future__ import annotations

import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from eval.learning.float_network import FloatNetwork
from eval.network_file import load_network, save_network
from scripts.laboratory.checkout import checkout_commit
from scripts.laboratory.lab_options import WIDE, file_option
from scripts.laboratory.long_run import FAILED

if TYPE_CHECKING:
    from eval.network_file import NetworkWeights

_LEARNED = ("mean_of", "games", "asked", "taught", "start", "share", "foresight", "seed", "settings")


@click.command("average-networks", context_settings=WIDE)
@click.argument("networks", nargs=-1, required=True, metavar="NETWORK...", type=click.Path(path_type=Path))
@file_option("--out", "File of the network to write.", required=True)
def average_networks(networks: tuple[Path, ...], out: Path) -> None:
    """Take the mean of the weights of value networks that went on from the same one.

    \b
    scripts/lab average-networks first.lolli second.lolli third.lolli --out mean.lolli

    All must have the same width and king buckets. The scale, the rules for endings and the model of the
    outcome are those of the first. scripts/lab report-network tells what each of them learned from.
    """
    try:
        found = [load_network(path) for path in networks]
        first = found[0]
        about = {
            **first.about,
            "made": datetime.now(UTC).date().isoformat(),
            "commit": checkout_commit(),
            "mean_of": [_learned(each) for each in found],
        }
        mean = FloatNetwork.mean([FloatNetwork.of_file(each) for each in found]).for_file(
            first.scale, about, won_endings=first.won_endings, drawish_endings=first.drawish_endings
        )
        save_network(out, replace(mean, outcome=first.outcome))
    except (ValueError, OSError) as error:
        click.echo(f"Cannot take the mean: {error}")
        sys.exit(FAILED)
    click.echo(f"{out}: the mean of {len(found)} networks, {mean.digest()}")


def _learned(weights: NetworkWeights) -> dict[str, Any]:
    """Which network it is, what it learned from and how, as far as that is known."""
    known = {key: weights.about[key] for key in _LEARNED if key in weights.about}
    return {"digest": weights.digest(), **known}
