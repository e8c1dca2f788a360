"""The command line of scripts/tune_search."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from engine.search.parameters import NUMBERS
from scripts.laboratory.matches.display import RunDisplay
from scripts.laboratory.matches.journal import JournalError, RunJournal, whole

from .duel import points_of
from .duelling import concurrency_option, engine, fight, nodes_option, record_option, seed_option
from .spsa import Spsa

if TYPE_CHECKING:
    from pathlib import Path

    from .duel import Fought


@click.command(context_settings={"max_content_width": 110})
@click.argument("names", nargs=-1)
@record_option
@click.option(
    "--pairs", type=click.IntRange(1), default=10_000, show_default=True, help="Of games: the budget."
)
@nodes_option
@seed_option("perturbations")
@concurrency_option
def tune_search(
    names: tuple[str, ...], record: Path, pairs: int, nodes: int, seed: int, concurrency: int
) -> None:
    """Tune the numbers NAMES of the search, by default all, by SPSA over games of Lolli against itself.

    Prints the values in the end, to be put into engine/search/parameters.py if a match against the old ones
    is won. A run that was stopped goes on from its record.
    """
    unknown = [name for name in names if name not in NUMBERS]
    if unknown:
        raise click.UsageError(f"no number is called {unknown[0]}")
    chosen = {name: NUMBERS[name] for name in names or NUMBERS}
    run = {
        "names": list(chosen),
        "from": [number.default for number in chosen.values()],
        "pairs": pairs,
        "nodes": nodes,
        "seed": seed,
        "engine": engine(),
    }
    try:
        journal = RunJournal(record, run)
        known = journal.read(lambda record: (whole(record["number"]), points_of(record)))
    except JournalError as error:
        raise click.UsageError(str(error)) from error
    spsa = Spsa(chosen, pairs, seed)
    with journal, RunDisplay("pairs", pairs, len(journal.records), 200) as display:
        done = set()
        for number, points in known:
            spsa.learn(number, points)
            done.add(number)

        def learn(fought: Fought) -> int:
            spsa.learn(fought.duel.number, fought.points)
            journal.append({"number": fought.duel.number, "points": fought.points})
            done.add(fought.duel.number)
            return len(done)

        left = (spsa.duel(number) for number in range(pairs) if number not in done)
        status = fight(left, nodes, seed, concurrency, display, learn)
    _show(spsa)
    sys.exit(status)


def _show(spsa: Spsa) -> None:
    for name, value in spsa.found().items():
        click.echo(f"{name}={value:.1f} (was {NUMBERS[name].default})")
