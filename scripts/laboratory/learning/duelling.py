"""What the commands that play many pairs of games have in common: options, and the way from pair to pair."""

from __future__ import annotations

import contextlib
import hashlib
import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from engine.search.parameters import NUMBERS, TECHNIQUES
from engine.system import processors
from eval.weight_file import STANDARD, load
from scripts.laboratory.matches.book import OpeningSuite
from scripts.laboratory.matches.slots import JobError, run_jobs
from scripts.laboratory.matches.terminal import INTERRUPTED, interrupt_on_sigterm

from .duel import Duel, DuelTerms, DuelWorker, Fought
from .selfplay import digest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scripts.laboratory.matches.display import RunDisplay

OPENINGS = Path(__file__).parent.parent / "data" / "openings.epd.xz"
_FAILED = 2

record_option = click.option(
    "--record",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="A file for what was played, to go on from.",
)
nodes_option = click.option(
    "--nodes", type=click.IntRange(1), default=5000, show_default=True, help="Of each search."
)
concurrency_option = click.option(
    "--concurrency",
    type=click.IntRange(1),
    default=processors(),
    show_default="all processors",
    help="Games at the same time.",
)


def seed_option(of: str) -> Callable[[Any], Any]:
    """The option for the seed of openings and of what else is drawn."""
    return click.option("--seed", type=int, default=1, show_default=True, help=f"Of openings and {of}.")


def engine() -> str:
    """A digest of what plays: the usual parameters and the weights."""
    usual = [(name, each.default) for table in (TECHNIQUES, NUMBERS) for name, each in table.items()]
    return hashlib.sha256(f"{json.dumps(usual)} {digest(load(STANDARD))}".encode()).hexdigest()[:16]


def fight(
    left: Iterator[Duel],
    nodes: int,
    seed: int,
    concurrency: int,
    display: RunDisplay,
    learn: Callable[[Fought], int],
) -> int:
    """Play the pairs that are left; `learn` hears of each, and tells how many there have been.

    Returns the exit status: 0, or another where it was interrupted or cannot go on.
    """
    terms = DuelTerms(OpeningSuite.read(OPENINGS, chess960=False), load(STANDARD), nodes, seed)
    interrupt_on_sigterm()
    try:
        with contextlib.closing(run_jobs(partial(DuelWorker, terms), left, concurrency)) as results:
            for fought in results:
                display.show(learn(fought), "")
    except KeyboardInterrupt:
        return INTERRUPTED
    except JobError as error:
        display.say(f"This cannot go on: {error}")
        return _FAILED
    return 0
