"""The command line of scripts/screen_search."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from engine.search.parameters import NUMBERS, TECHNIQUES, ParameterError, changes
from scripts.laboratory.matches.display import RunDisplay
from scripts.laboratory.matches.journal import JournalError, RunJournal, whole

from .duel import Duel, Fought, points_of
from .duelling import concurrency_option, engine, fight, nodes_option, record_option, seed_option
from .screen import Effect, Factor, duels, effects

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@click.command(context_settings={"max_content_width": 110})
@click.argument("factors", nargs=-1)
@record_option
@click.option("--pairs", type=click.IntRange(1), default=2000, show_default=True, help="Of games, in all.")
@nodes_option
@click.option(
    "--rate", type=click.FloatRange(0, 1), default=0.2, show_default=True, help="How often a factor."
)
@seed_option("factors")
@concurrency_option
def screen(
    factors: tuple[str, ...], record: Path, pairs: int, nodes: int, rate: float, seed: int, concurrency: int
) -> None:
    """Find out what FACTORS are worth, such as `probcut=off late_base=5`.

    By default they are all switches turned over, except for those that a search can hardly do without.
    A run that was stopped goes on from its record; --pairs may be changed.
    """
    try:
        chosen = [Factor(*each) for word in factors for each in changes(word).items()] or _switches()
        run = {
            "factors": [f"{each.name}={each.value}" for each in chosen],
            "nodes": nodes,
            "rate": rate,
            "seed": seed,
            "engine": engine(),
        }
        journal = RunJournal(record, run)
        fought = journal.read(_read)
    except (ParameterError, JournalError) as error:
        raise click.UsageError(str(error)) from error
    with journal:
        done = {each.duel.number for each in fought}

        def learn(result: Fought) -> int:
            fought.append(result)
            journal.append(_written(result))
            return len(fought)

        left = (duel for duel in duels(chosen, rate, seed, range(pairs)) if duel.number not in done)
        with RunDisplay("pairs", pairs, len(fought), 200) as display:
            status = fight(left, nodes, seed, concurrency, display, learn)
    _show(effects(chosen, fought))
    sys.exit(status)


def _switches() -> list[Factor]:
    return [
        Factor(name, int(not technique.default))
        for name, technique in TECHNIQUES.items()
        if name not in _BASE
    ]


_BASE = ("alpha_beta", "quiescence", "table", "ordering", "history", "principal_variation")
"""Without these a search is so much weaker that nothing is learned of the others."""


_LARGEST = 1 << 60  # value of a parameter, either sign


def _written(fought: Fought) -> dict[str, object]:
    duel = fought.duel
    return {
        "number": duel.number,
        "first": dict(duel.first),
        "second": dict(duel.second),
        "points": fought.points,
    }


def _read(record: Mapping[str, Any]) -> Fought:
    first, second = (
        {name: whole(value, -_LARGEST) for name, value in record[side].items()}
        for side in ("first", "second")
    )
    return Fought(Duel(whole(record["number"]), first, second), points_of(record))


def _show(found: list[Effect]) -> None:
    names = [_shown(effect.factor) for effect in found]
    width = max(map(len, names))
    for effect, name in sorted(zip(found, names, strict=True), key=lambda each: each[0].elo):
        click.echo(f"{name:<{width}} {effect.elo:+7.1f} ± {effect.error:.1f}")


def _shown(factor: Factor) -> str:
    """As it was asked for."""
    value = factor.value if factor.name in NUMBERS else ("on" if factor.value else "off")
    return f"{factor.name}={value}"
